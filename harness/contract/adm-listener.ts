import type { Clause, Finding, Terms } from '../model/clause.ts';
import type { History } from '../model/history.ts';
import type { Interval } from '../model/time.ts';
import type { Stage } from './adm-stage.ts';
import {
  bounded,
  DECLARE_REGISTRY,
  late,
  lengthOf,
  maybeLostPackets,
  servedForMs,
  stageOf,
  withSamples,
} from './adm-stage.ts';
import type { Sample } from './evidence/probe-samples.ts';
import { isConnected } from './evidence/probe-samples.ts';
import { endingOf, firstOf, toMs, triggerOf } from './evidence/queries.ts';
import { processEnd } from './evidence/process-end.ts';
import { longestStallMs, ms, stopDuration } from './evidence/stop-duration.ts';
import { sinceSignal, windowsOf } from './evidence/windows.ts';
import { piecesOf } from './evidence/work.ts';
import { failByTime, found, untriggered } from './finding.ts';

/** From where the time to close the listener counts, and how long it may be. */
interface Due {
  readonly from: Interval;
  readonly limitMs: number;
  readonly since: string;
}

/**
 * ADM-4: counted from the acknowledgement, without a controller from the signal and its tolerance. The listener closed
 * between the begin of the last connect that succeeded and the end of the first one refused after it.
 */
export const adm4: Clause = {
  id: 'ADM-4',
  title: 'the listener closes when the goodbye is acknowledged',
  requirement:
    'within 100 ms after deregistration is acknowledged or bounded, new TCP connections are refused, also while old work drains (without a controller: from the signal)',
  levels: { 'light-fabric': 'M', 'openab-cp': '-', baseline: 'r' },
  needs: ['http', 'direct'],
  check: (history, terms) => {
    const accepted = [
      `new connections are refused within ${terms.listenerCloseMs} ms of the acknowledgement, without a controller of ${openUntil(terms)} (and ${terms.toleranceMs} ms tolerance)`,
    ];
    const { stage, finding } = stageOf(history, terms, accepted, 'connects');
    if (finding) return finding;
    const due = dueOf(stage);
    if (!due) {
      const said = stage.windows.goodbyeReceived ? 'the goodbye was never acknowledged' : 'no goodbye was received';
      return found.inconclusive(`the trigger never happened: ${said}`, stage.details);
    }
    const decided = stillOpen(stage, due) ?? closed(stage, due);
    const lost = decided.outcome === 'pass' ? maybeLostPackets(stage, hungPast(stage, due)) : [];
    if (lost.length === 0) return decided;
    const seen = `${lost.length} connects got no answer of any kind, measured beside others (${decided.seen})`;
    return found.inconclusive(seen, { ...withSamples(stage, lost), timing: true });
  },
  explain: {
    measured:
      "Connects to the container's own address every 5 ms, while the harness holds work in flight: the last that succeeded and the first that was refused after it bound the close.",
    breaks:
      'A listener that stays up for the whole drain; one that is never accepted from again but not closed either, so that connects hang; a server.close() that comes after the last answer.',
    remedy: 'Close the listening socket as soon as the goodbye is acknowledged, and drain old connections afterwards.',
  },
};

function dueOf(stage: Stage): Due | undefined {
  const { windows, controlled, terms } = stage;
  const { acknowledged } = windows;
  const serving = servingDue(stage);
  if (acknowledged && toMs(acknowledged.interval.begin - serving.from.begin) >= terms.serveAfterMs) {
    return { from: acknowledged.interval, limitMs: terms.listenerCloseMs, since: 'the acknowledgement' };
  }
  return controlled && !acknowledged ? undefined : serving;
}

/** Without a controller: from the signal, and for as long after it as new work may be served. */
function servingDue({ accepted, terms }: Stage): Due {
  return { from: accepted, limitMs: servedForMs(terms) + terms.listenerCloseMs, since: 'the signal' };
}

function openUntil({ serveAfterMs }: Terms): string {
  return serveAfterMs === 0 ? 'the signal' : `the ${serveAfterMs} ms after the signal in which new work may be served`;
}

/** A failure where the listener still takes connections when the declared time to serve new work is over (ADM-5). */
export function listenerOpenAfterServing(stage: Stage): Finding | undefined {
  const due = dueOf(stage);
  return due && stillOpen(stage, due);
}

/** Connects begun past the limit that hung. */
function hungPast(stage: Stage, due: Due): readonly Sample[] {
  return stage.probe.samples.filter(
    (s) =>
      s.via === 'new' && s.outcome === 'hung' && s.begin !== undefined && beyondMs(stage, due, s.begin) > due.limitMs,
  );
}

/** Connects past the limit that hung, or succeeded when nothing was refused after them. */
function stillOpen(stage: Stage, due: Due): Finding | undefined {
  const { history, probe } = stage;
  const past = (at: number | undefined): number =>
    at === undefined ? Number.NEGATIVE_INFINITY : beyondMs(stage, due, at);
  const fresh = probe.samples.filter((s) => s.via === 'new');
  const silent = hungPast(stage, due);
  const maybeLost = maybeLostPackets(stage, silent);
  const hung = silent.filter((s) => !maybeLost.includes(s));
  if (hung.length > 0) {
    const how = hung.every((s) => s.connectedAt === undefined) ? 'hung' : 'were accepted and never answered';
    const seen = `a black hole: ${hung.length} connects more than ${due.limitMs} ms after ${due.since} ${how} instead of being refused`;
    return failByTime(history, seen, withSamples(stage, hung));
  }
  const open = fresh.filter((s) => isConnected(s) && past(s.begin) > due.limitMs);
  if (open.length === 0) return undefined;
  const lowMs = Math.max(...open.map((s) => past(s.begin)));
  const refused = stage.windows.firstRefused ? '' : ' and none was refused';
  const seen = `${open.length} connects succeeded, the last at least ${ms(lowMs)} after ${due.since} (${due.limitMs} ms allowed)${refused}`;
  const { limitMs } = due;
  return late(history, seen, { lowMs, limitMs }, { ...withSamples(stage, open), limitMs });
}

function closed(stage: Stage, due: Due): Finding {
  const { windows, details, history } = stage;
  const { listenerClosed: listener, acknowledged, ended } = windows;
  const evidence = [...details.evidence, ...(acknowledged?.evidence ?? []), ...(listener?.evidence ?? [])];
  if (listener) {
    const measured = lengthOf(due.from, listener.interval, errorMs(history, due.from, listener.interval));
    const early = acknowledged && listener.interval.end < acknowledged.interval.begin ? 'it had closed before; ' : '';
    const seen = `${early}from ${due.since} to the close of the listener`;
    return bounded(history, seen, { measured, limitMs: due.limitMs }, { ...details, evidence });
  }
  const why = ended
    ? `the process ended ${sinceDue(ended.interval, due)}, before a connect was refused`
    : 'no connect was refused, and none was seen to succeed past the limit';
  return found.inconclusive(why, { ...details, evidence: [...evidence, ...(ended?.evidence ?? [])] });
}

function sinceDue(interval: Interval, { from, since }: Due): string {
  return sinceSignal(interval, from).replace('the signal', since);
}

/** How long after the limit's start something begun at `at` came at least, ms. */
function beyondMs({ history }: Stage, due: Due, at: number): number {
  return toMs(at - due.from.end) - errorMs(history, due.from, { begin: at, end: at });
}

function errorMs(history: History, from: Interval, to: Interval): number {
  return history.header.uncertainty.hostMs + longestStallMs(history, { begin: from.begin, end: to.end });
}

/**
 * ADM-8: what is left of the stop without the deregistration, from the signal to the goodbye and from its
 * acknowledgement to the exit. The limit is the tolerance for the teardown of a process plus the 250 ms in which a service
 * should leave after its last work (DRN-9): a dwell is a fixed time, seconds as a rule, and shows beside it.
 */
export const adm8: Clause = {
  id: 'ADM-8',
  title: 'no fixed dwell before the drain',
  requirement: 'no fixed pre-drain dwell: with nothing in flight the window is no longer than deregistration takes',
  levels: { 'light-fabric': 'M', 'openab-cp': '-', baseline: 'S' },
  needs: ['http', 'direct'],
  check: (history, terms) => {
    const limitMs = dwellLimitMs(terms);
    const accepted = [`ends in less than ${limitMs} ms, the time that deregistration takes not counted`];
    const trigger = triggerOf(history);
    if (!trigger) return untriggered(history, accepted);
    const held = piecesOf(history).filter(({ held }) => held.t <= trigger.interval.end);
    const base = { accepted, evidence: [trigger.seq] };
    if (held.length > 0) {
      const seen = `${held.length} connections were held at the signal: a dwell shows only where nothing is in flight`;
      const evidence = [trigger.seq, ...held.slice(0, 4).map((piece) => piece.held.seq)];
      return found.notExercised(seen, { accepted, evidence, declare: DECLARE_REGISTRY });
    }
    return dwell(history, terms, base);
  },
  explain: {
    measured:
      'From the signal to the arrival of the goodbye and from its acknowledgement to the end of PID 1, with nothing in flight; without a controller from the signal to the end.',
    breaks:
      'A sleep in the signal handler or in a preStop script copied into it ("wait until the load balancer knows").',
    remedy:
      'Leave out the sleep: the goodbye tells the clients, and 503 with Retry-After: 0 covers those it did not reach.',
  },
};

/** A declared time to serve on is no dwell, and nothing beyond it is allowed for. */
function dwellLimitMs(terms: Terms): number {
  return servedForMs(terms) + terms.afterWorkGoalMs;
}

function dwell(history: History, terms: Terms, base: Stage['details']): Finding {
  const limitMs = dwellLimitMs(terms);
  const { accepted: from, goodbyeReceived, acknowledged } = windowsOf(history);
  const controlled = firstOf(history, 'controller.listening') !== undefined;
  if (controlled && !(goodbyeReceived && acknowledged)) {
    const said = goodbyeReceived ? 'the goodbye was never acknowledged' : 'no goodbye was received';
    return found.inconclusive(`the trigger never happened: ${said}`, base);
  }
  const ending = endingOf(history);
  const evidence = [...base.evidence, ...(acknowledged?.evidence ?? []), ...ending.evidence];
  if (ending.how === 'outer-timeout') {
    const seen = `with nothing in flight still running ${ms(ending.survivedMs)} after the signal; the harness sent SIGKILL`;
    return found.fail(seen, { ...base, evidence });
  }
  if (ending.how !== 'itself') return found.inconclusive(ending.why, { ...base, evidence });
  const end = processEnd(history);
  if (!goodbyeReceived || !acknowledged || !from) {
    const { measurement: measured, problem = 'no duration was measured' } = stopDuration(history);
    if (!measured) return found.inconclusive(problem, { ...base, evidence });
    return bounded(history, 'without a controller it ended after', { measured, limitMs }, { ...base, evidence });
  }
  if (!end) return found.inconclusive('the end of PID 1 is on no clock', { ...base, evidence });
  const before = lengthOf(from, goodbyeReceived.interval, errorMs(history, from, goodbyeReceived.interval));
  const ack = acknowledged.interval;
  const after = lengthOf(ack, end.interval, errorMs(history, ack, end.interval), end.by);
  const measured = {
    by: end.by,
    valueMs: before.valueMs + after.valueMs,
    lowMs: before.lowMs + after.lowMs,
    highMs: before.highMs + after.highMs,
  };
  const seen = `goodbye after ${ms(before.valueMs)}, end ${ms(after.valueMs)} after the acknowledgement: together`;
  const all = { ...base, evidence: [...evidence, ...goodbyeReceived.evidence, ...end.evidence] };
  return bounded(history, seen, { measured, limitMs }, all);
}
