import type { History } from '../../model/history.ts';
import type { Interval, Measurement } from '../../model/time.ts';
import { engineErrorMs, finishedAt, intervalOf, lastOf, ofKind, toMs, toNs } from './queries.ts';
import { DISAGREEMENT_MS, earliestEnd } from './stop-duration.ts';

/** When PID 1 ended: it happened somewhere inside the interval. */
export interface ProcessEnd {
  readonly interval: Interval;
  /** Whose clock it rests on. Bounds that contain both readings where they contradict each other. */
  readonly by: Measurement['by'];
  /** Why the interval is wider than a sighting: the two clocks contradict each other. */
  readonly problem?: string;
  readonly evidence: readonly number[];
}

/**
 * The end of PID 1 on the history's axis, by the host's sighting (or the kernel's own stamp), else by the engine's
 * finish time with its error; undefined where neither is on record. As in stopDuration, two readings that contradict
 * each other are worth no more than the span of both.
 */
export function processEnd(history: History): ProcessEnd | undefined {
  const seen = ofKind(history, 'exit.seen').find((o) => o.by !== 'engine');
  const state = lastOf(history, 'exit.state');
  const finished = finishedAt(history, state);
  const error = toNs(engineErrorMs(history));
  const stored = finished === undefined ? undefined : { begin: finished - error, end: finished + error };
  const evidence = [seen?.seq, stored && state?.seq].filter((seq) => seq !== undefined);
  if (!seen) return stored && { interval: stored, by: 'engine', evidence };
  const interval = earliestEnd(history, intervalOf(seen));
  if (finished === undefined || !stored || Math.abs(toMs(interval.end - finished)) <= DISAGREEMENT_MS) {
    return { interval, by: 'host', evidence };
  }
  const both = { begin: Math.min(interval.begin, stored.begin), end: Math.max(interval.end, stored.end) };
  return { interval: both, by: 'host', problem: 'the two clocks disagree about the end', evidence };
}
