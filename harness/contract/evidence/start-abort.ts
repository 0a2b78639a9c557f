import type { Terms } from '../../model/clause.ts';
import type { History } from '../../model/history.ts';
import type { ObservationOf, ProcessFact } from '../../model/observation.ts';
import type { StartUpPeer } from '../../model/start-up-observation.ts';
import type { Interval, Nanoseconds } from '../../model/time.ts';
import { linesMatching } from './log-lines.ts';
import { mayHear, pid1Of } from './lost-signal.ts';
import { standsInFront } from './process-tree.ts';
import type { Trigger } from './queries.ts';
import { deliveredSignals, firstOf, ofKind, toMs } from './queries.ts';
import { longestStallMs } from './stop-duration.ts';

/** One request of the probe that goes on from the start of the process. */
export type EarlySample = ObservationOf<'early.sample'>;

/** By when the abort of a start-up must have ended, ms: the floor with its tolerance; without one as every stop. */
export function abortLimitMs({ floorMs, toleranceMs, stopBoundMs }: Terms): number {
  return floorMs > 0 ? floorMs + toleranceMs : stopBoundMs;
}

/** By when a stop with nothing in flight must have ended that may have a grace to use up, ms. */
export function stopLimitMs({ stopBoundMs, graceMs, floorMs, toleranceMs }: Terms): number {
  return Math.max(stopBoundMs, (graceMs ?? 0) + floorMs) + toleranceMs;
}

/** The peers that the start was proven to wait for when something happened: asked, not answered, and not ready. */
export function pendingAt(history: History, at: Nanoseconds): readonly ObservationOf<'start.pending'>[] {
  const ready = firstOf(history, 'ready');
  if (ready && ready.t <= at) return [];
  return ofKind(history, 'start.pending').filter(
    ({ t, peer }) => t <= at && !released(history, peer).some((o) => (o.begin ?? o.t) <= at),
  );
}

/** When what a peer held was answered. */
export function released(history: History, peer: StartUpPeer): readonly ObservationOf<'start.released'>[] {
  return ofKind(history, 'start.released').filter((o) => o.peer === peer);
}

const WAITS_FOR: Readonly<Record<StartUpPeer, string>> = {
  bootstrap: 'the config server',
  registration: 'the controller',
};

/** `while it waited for the config server`. */
export function waitingInWords(pending: readonly ObservationOf<'start.pending'>[]): string {
  const names = [...new Set(pending.map(({ peer }) => WAITS_FOR[peer]))];
  return `while it waited for ${names.join(' and ')}`;
}

/**
 * Whether the process that must act could hear the first signal, by its masks right before it: PID 1, or the service behind
 * an init. `unknown` where nobody saw them, and where the handler is gone after it: a runtime's own, which gives the signal
 * back, or one that was asked for once.
 */
export function hearing(history: History, trigger: Trigger): 'yes' | 'no' | 'unknown' {
  const before = ofKind(history, 'processes').findLast((o) => o.moment === 'before-signal');
  const process = before && actorOf(before);
  if (!process) return 'unknown';
  if (!mayHear(process, trigger.signal)) return 'no';
  const until = deliveredSignals(history)[1]?.interval.begin ?? Number.POSITIVE_INFINITY;
  const after = ofKind(history, 'processes').filter((o) => (o.begin ?? o.t) > trigger.interval.end && o.t < until);
  return after.every((o) => mayHear(actorOf(o) ?? process, trigger.signal)) ? 'yes' : 'unknown';
}

function actorOf({ list }: ObservationOf<'processes'>): ProcessFact | undefined {
  return pid1Of({ list }) && standsInFront(list).chain.at(-1);
}

/**
 * From when on a signal was accepted for certain: where the service logs the receipt it had accepted it by then (`said`),
 * else when the engine had answered.
 */
export function acceptedBy(
  history: History,
  terms: Terms,
  { interval }: Trigger,
): { readonly t: Nanoseconds; readonly said: boolean } {
  const { signalReceived } = terms.patterns;
  const [line] = signalReceived === undefined ? [] : linesMatching(history, signalReceived, interval.begin);
  return line ? { t: Math.max(interval.end, line.line.t), said: true } : { t: interval.end, said: false };
}

/** How long after a signal was accepted something at `at` came at least, ms; negative where it may have been before. */
export function certainlyAfterMs(history: History, terms: Terms, trigger: Trigger, at: Nanoseconds): number {
  const accepted = acceptedBy(history, terms, trigger).t;
  const window = { begin: trigger.interval.begin, end: Math.max(at, accepted) };
  return toMs(at - accepted) - history.header.uncertainty.hostMs - longestStallMs(history, window);
}

/** Requests that were answered 2xx, in order of their ends. */
export function servedEarly(history: History): readonly EarlySample[] {
  return ofKind(history, 'early.sample').filter(({ status }) => status !== undefined && status >= 200 && status < 300);
}

/** A request was under way in here: the service can have decided about it only inside. */
export function decidedIn({ begin, t, answeredAt }: EarlySample): Interval {
  return { begin: begin ?? t, end: answeredAt ?? t };
}

/** `12 refused, 3 answered 503`. */
export function outcomesInWords(samples: readonly EarlySample[]): string {
  const kinds = Map.groupBy(samples, ({ outcome, status }) =>
    outcome === 'answered' && status !== undefined ? `answered ${status}` : outcome,
  );
  return [...kinds].map(([kind, list]) => `${list.length} ${kind}`).join(', ');
}

/** The evidence of many samples: the first and the last few. */
export function fewOf(samples: readonly EarlySample[]): readonly number[] {
  const few = samples.length <= 8 ? samples : [...samples.slice(0, 4), ...samples.slice(-4)];
  return few.map(({ seq }) => seq);
}
