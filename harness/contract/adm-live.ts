import type { Clause, Finding } from '../model/clause.ts';
import type { Stage } from './adm-stage.ts';
import { hangs, isAfterSignal, maybeLostPackets, stageOf, uncertaintyMs, withSamples } from './adm-stage.ts';
import type { Sample } from './evidence/probe-samples.ts';
import { toMs } from './evidence/queries.ts';
import { sinceSignal } from './evidence/windows.ts';
import { endedAt, isAdmitted, piecesOf } from './evidence/work.ts';
import { found } from './finding.ts';

/** A connection that ended unanswered after so long, ms, was left hanging until then. */
const WAITED_MS = 250;

/**
 * ADM-6-live: readiness takes a service out of rotation, liveness has it killed. Whether liveness must go on is a policy; that
 * it is never left hanging is none. light-fabric has no level for it: there a liveness route is a control route, which
 * ADM-7 judges.
 */
export const adm6Live: Clause = {
  id: 'ADM-6-live',
  title: 'liveness goes on while it drains',
  requirement:
    'a declared liveness route is never left hanging in the drain; where it must go on (livenessInDrain: serving), a new connection is answered below 400 while admitted work is held',
  levels: { 'light-fabric': '-', 'openab-cp': '-', baseline: 'S' },
  needs: ['http', 'direct', 'liveness'],
  check: (history, terms) => {
    const serving = terms.livenessInDrain === 'serving';
    const accepted = serving
      ? ['liveness is answered below 400 on a new connection, while admitted work is held']
      : ['liveness is answered, with whatever status', 'or refused, where the listener is gone; never left hanging'];
    const { stage, finding } = stageOf(history, terms, accepted, 'connects');
    if (finding) return finding;
    const asked = stage.probe.samples.filter((s) => s.purpose === 'liveness' && isAfterSignal(stage, s.begin));
    if (asked.length === 0) {
      const { ended } = stage.windows;
      const why = ended ? `: the process ended ${sinceSignal(ended.interval, stage.accepted)}` : '';
      return found.inconclusive(
        `the trigger never happened: liveness was not asked after the signal${why}`,
        stage.details,
      );
    }
    return (
      hanging(stage, asked) ?? (serving ? goesOn(stage, asked) : found.pass(inWords(asked), withSamples(stage, asked)))
    );
  },
  explain: {
    measured:
      'The declared liveness routes, asked once each on a new connection, well after the signal and while the harness holds admitted work; the status, or how the connection ended.',
    breaks:
      'A listener that is closed, or a gate that refuses liveness too, for as long as old work drains: the kubelet takes the service for dead and kills it in the middle of its drain. A route that waits for what is being closed.',
    remedy:
      'Answer liveness from a listener of its own, or before the gate, for as long as the process lives; let readiness say not ready.',
  },
};

/** Left without an answer: a failure whatever the policy. */
function hanging(stage: Stage, asked: readonly Sample[]): Finding | undefined {
  const hung = asked.filter((s) => s.outcome === 'hung' || waitedLong(stage, s));
  if (hung.length === 0) return undefined;
  const lost = maybeLostPackets(stage, hung);
  const certain = hung.filter((s) => !lost.includes(s));
  if (certain.length > 0) {
    const seen = `${requestsOf(certain)} was left hanging after the signal`;
    return hangs(stage.history, seen, withSamples(stage, certain));
  }
  const seen = `${requestsOf(lost)} got no answer of any kind, measured beside others`;
  return found.inconclusive(seen, { ...withSamples(stage, lost), timing: true });
}

function waitedLong(stage: Stage, sample: Sample): boolean {
  const from = sample.sentAt ?? sample.begin;
  if (sample.outcome !== 'reset' || from === undefined) return false;
  return toMs(sample.t - from) - uncertaintyMs(stage, sample.t) > WAITED_MS;
}

/** Answered below 400 each time it was asked beside admitted work. */
function goesOn(stage: Stage, asked: readonly Sample[]): Finding {
  const beside = asked.filter((s) => heldBeside(stage, s) > 0);
  const [first] = beside;
  if (!first) {
    const seen = `the trigger never happened: no admitted work was held when liveness was asked (${inWords(asked)})`;
    return found.inconclusive(seen, withSamples(stage, asked));
  }
  const wrong = beside.filter((s) => s.outcome !== 'answered' || s.status === undefined || s.status >= 400);
  const held = `while ${heldBeside(stage, first)} admitted request(s) were held`;
  if (wrong.length > 0) {
    const fresh = wrong.some((s) => s.outcome !== 'answered')
      ? ': whoever asks for liveness makes a new connection'
      : '';
    return found.fail(`${inWords(wrong)} ${held}${fresh}`, withSamples(stage, wrong));
  }
  return found.pass(`${inWords(beside)} ${held}`, withSamples(stage, beside));
}

/** How many pieces of admitted work were held all the time that this took. */
function heldBeside({ history }: Stage, { begin, t }: Sample): number {
  return piecesOf(history).filter(
    (piece) => isAdmitted(piece) && piece.held.t <= (begin ?? t) && (endedAt(piece) ?? Number.POSITIVE_INFINITY) > t,
  ).length;
}

function inWords(samples: readonly Sample[]): string {
  return [...new Set(samples.map((s) => `${s.request} ${s.status ?? s.outcome}`))].join(', ');
}

function requestsOf(samples: readonly Sample[]): string {
  return [...new Set(samples.map((s) => s.request))].join(', ');
}
