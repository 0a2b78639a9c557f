import type { Clause, Finding, Terms } from '../model/clause.ts';
import type { History } from '../model/history.ts';
import type { Headers } from '../model/observation.ts';
import type { Nanoseconds } from '../model/time.ts';
import type { Stage } from './adm-stage.ts';
import {
  blindness,
  emptyWindow,
  isAfterSignal,
  isProvenAfter,
  lateOf,
  lateSamples,
  maybeLostPackets,
  stageOf,
  uncertaintyMs,
  windowEnd,
  withSamples,
} from './adm-stage.ts';
import type { Sample } from './evidence/probe-samples.ts';
import { decidedBy, isConnected, isTurnedAway, sentNotBefore } from './evidence/probe-samples.ts';
import { toMs } from './evidence/queries.ts';
import { sinceSignal } from './evidence/windows.ts';
import { failByTime, found } from './finding.ts';

/** One or two races are every client's risk; so many are a service that drops what it should refuse. */
const RACES_BY_DESIGN = 5;

const explain = {
  breaks:
    'No gate at all: the server only stops accepting; a 503 without its headers, so that clients keep the connection; closing connections without an answer.',
  remedy:
    'On the signal, before anything else, answer every application request 503 with `Connection: close` and `Retry-After: 0`, and keep the listener up until the deregistration is acknowledged.',
};

/** ADM-1: requests on connections that were opened before the signal. */
export const adm1: Clause = {
  id: 'ADM-1',
  title: 'new work on open connections is refused with 503',
  requirement:
    'a new application request on an open keep-alive connection gets 503 + Connection: close + Retry-After: 0 (over HTTP/2: 503 + Retry-After)',
  levels: { 'light-fabric': 'M', 'openab-cp': '-', baseline: 'r' },
  needs: ['http', 'direct'],
  check: (history, terms) => checkRefusal(history, terms, 'kept'),
  explain: {
    measured:
      'The admission probe sends a request every 5 ms on one of many connections that were opened and answered before the signal; status and headers of every answer. Ends without an answer are the race of every keep-alive client, unless they are the rule.',
    ...explain,
  },
};

/** ADM-2: requests on new connections. */
export const adm2: Clause = {
  id: 'ADM-2',
  title: 'new work on new connections is refused with 503',
  requirement:
    'a new application request on a new connection, while the listener is up, gets 503 + Connection: close + Retry-After: 0 (over HTTP/2: 503 + Retry-After)',
  levels: { 'light-fabric': 'M', 'openab-cp': '-', baseline: 'r' },
  needs: ['http', 'direct'],
  check: (history, terms) => checkRefusal(history, terms, 'new'),
  explain: {
    measured:
      'The admission probe connects every 5 ms and sends a request; status and headers of every answer, and connections that are reset or left hanging while the listener is up.',
    ...explain,
  },
};

function checkRefusal(history: History, terms: Terms, via: Sample['via']): Finding {
  const { stage, finding } = stageOf(history, terms, [
    '503 + Connection: close + Retry-After: 0, HTTP/2: 503 + Retry-After',
  ]);
  if (finding) return finding;
  const where = via === 'kept' ? 'on open connections' : 'on new connections';
  const samples = stage.probe.samples.filter((s) => s.via === via && s.purpose === 'admission');
  const refused = samples.filter((s) => isTurnedAway(s) && decidedBy(s) >= stage.accepted.begin);
  const wrong = definite(stage, samples, refused, where);
  if (wrong) return wrong;
  const other = lateOf(
    stage,
    samples.filter((s) => s.outcome === 'answered' && !isTurnedAway(s)),
  );
  if (other.length > 0) {
    return lateSamples(
      stage,
      other,
      `${other.length} requests ${where} were answered ${statuses(other)} instead of 503`,
    );
  }
  if (refused.length === 0) return emptyWindow(stage, `no request ${where} was answered after the signal`);
  if (refused.every((s) => s.headers === undefined)) {
    return found.inconclusive(`the headers of the refusals ${where} are not on record`, withSamples(stage, refused));
  }
  const silent = unanswered(stage, samples).unheard;
  if (silent.length > 0) {
    const seen = `${silent.length} connects ${where} got no answer of any kind, measured beside others`;
    return found.inconclusive(seen, { ...withSamples(stage, silent), timing: true });
  }
  const gate = stage.windows.gateClosed;
  const since = gate ? `, gate closed ${sinceSignal(gate.interval, stage.accepted)}` : '';
  const seen = `${refused.length} requests ${where} got ${shape(stage)}${since}`;
  const blind = blindness(stage);
  if (blind !== undefined) return found.inconclusive(`${seen}, but ${blind}`, withSamples(stage, refused));
  return found.pass(seen, withSamples(stage, refused));
}

/** What is wrong whatever the time: a 503 of another shape, an answer after a 503, a request that is never answered. */
function definite(
  stage: Stage,
  samples: readonly Sample[],
  refused: readonly Sample[],
  where: string,
): Finding | undefined {
  const fail = (wrong: readonly Sample[], seen: string): Finding => found.fail(seen, withSamples(stage, wrong));
  const misshapen = refused.filter((s) => s.headers !== undefined && lacks(stage, s.headers).length > 0);
  const first = misshapen[0];
  if (first) {
    const missing = lacks(stage, first.headers ?? {}).join(' and ');
    return fail(misshapen, `${misshapen.length} of ${refused.length} refusals ${where} were 503 without ${missing}`);
  }
  const proven = samples.filter(
    (s) => s.outcome === 'answered' && !isTurnedAway(s) && isProvenAfter(stage, sentNotBefore(s)),
  );
  if (proven.length > 0) {
    return fail(
      proven,
      `${proven.length} requests ${where}, sent when a 503 had come already, were answered ${statuses(proven)}`,
    );
  }
  const { hung, reset, races } = unanswered(stage, samples);
  if (hung.length > 0) {
    const seen = `${hung.length} requests ${where} were left hanging after the signal`;
    return failByTime(stage.history, seen, withSamples(stage, hung));
  }
  if (reset.length > 0) {
    return fail(reset, `${reset.length} new connections ended without an answer while the listener was up`);
  }
  if (races.length < RACES_BY_DESIGN || refused.length >= races.length) return undefined;
  const all = races.length + refused.length;
  const which = refused.length === 0 ? `none of ${all} requests ${where} was answered: each` : '';
  const most = which === '' ? `${races.length} of ${all} requests ${where} were not answered: the` : which;
  return fail(races, `${most} connection ended under the request`);
}

interface Unanswered {
  readonly hung: readonly Sample[];
  readonly reset: readonly Sample[];
  readonly races: readonly Sample[];
  /** New connections that ended without an answer after a long wait for one. */
  readonly waited: readonly Sample[];
  /** Connects without an answer of any kind that may be lost packets: a bridge drops some when a neighbour leaves. */
  readonly unheard: readonly Sample[];
}

/**
 * Requests without an answer that were certainly begun after the signal, in the window. A new connection that was reset
 * after the last successful connect began is the race of a backlog: the listener is proven up only until then; unless
 * it had waited there for long. Kept
 * connections may be closed at once where there is no deregistration to wait for.
 */
function unanswered(stage: Stage, samples: readonly Sample[]): Unanswered {
  const end = windowEnd(stage);
  const connects = stage.probe.samples.filter(isConnected).map((s) => s.begin ?? Number.NEGATIVE_INFINITY);
  const up = Math.min(end, Math.max(...connects));
  // never hung, whether new work may still be served or not
  const after = samples.filter((s) => isAfterSignal(stage, s.begin) && s.begin < end);
  const reset = after.filter((s) => s.outcome === 'reset');
  const hung = after.filter((s) => s.outcome === 'hung');
  const unheard = maybeLostPackets(stage, hung);
  return {
    hung: hung.filter((s) => !unheard.includes(s)),
    unheard,
    reset: reset.filter((s) => s.via === 'new' && (s.t < up || wasLeftWaiting(stage, s, up))),
    waited: reset.filter((s) => s.via === 'new' && wasLeftWaiting(stage, s, up)),
    races: reset.filter((s) => s.via === 'kept' && stage.controlled && s.t < end),
  };
}

/**
 * New connections of the probe that stood, or not even that, and were never answered, from after the signal on; `unheard` may
 * be lost packets. A connection that is refused, or dropped at once, sends its client elsewhere: one that waits does not.
 */
export function leftHanging(stage: Stage): { readonly hung: readonly Sample[]; readonly unheard: readonly Sample[] } {
  const fresh = stage.probe.samples.filter((s) => s.via === 'new' && s.purpose === 'admission');
  const { hung, unheard, waited } = unanswered(stage, fresh);
  return { hung: [...hung, ...waited], unheard };
}

/**
 * An orderly end comes from a service that had read the request; after a reset it may have waited in the backlog of a
 * service that got no CPU, ms.
 */
const LEFT_WAITING_MS = { FIN: 100, RST: 250 } as const;

/**
 * Whether a request was with the service for long before its connection ended unanswered: with one that had read it until
 * the end, in a backlog only while the listener was up.
 */
function wasLeftWaiting(stage: Stage, sample: Sample, up: Nanoseconds): boolean {
  if (sample.sentAt === undefined) return false;
  const read = sample.by === 'FIN';
  const until = read ? sample.t : Math.min(sample.t, up);
  const limitMs = read ? LEFT_WAITING_MS.FIN : LEFT_WAITING_MS.RST;
  return toMs(until - sample.sentAt) - uncertaintyMs(stage, sample.t) > limitMs;
}

/** What a refusal lacks. Over HTTP/2 there is no Connection header, and any Retry-After will do. */
function lacks(stage: Stage, headers: Headers): readonly string[] {
  const retry = headers['retry-after']?.trim();
  if (stage.probe.over === 'h2') return retry === undefined ? ['Retry-After'] : [];
  const close = (headers['connection'] ?? '').split(',').some((token) => token.trim().toLowerCase() === 'close');
  return [...(close ? [] : ['Connection: close']), ...(retry === '0' ? [] : ['Retry-After: 0'])];
}

function shape(stage: Stage): string {
  return stage.probe.over === 'h2' ? '503 + Retry-After' : '503 + Connection: close + Retry-After: 0';
}

function statuses(samples: readonly Sample[]): string {
  return [...new Set(samples.map((s) => s.status ?? 'without a status'))].join(', ');
}
