import type { History } from '../../model/history.ts';
import type { ObservationOf } from '../../model/observation.ts';
import type { Interval, Measurement } from '../../model/time.ts';
import type { Trigger } from './queries.ts';
import {
  byTime,
  engineErrorMs,
  finishedAt,
  firstOf,
  intervalOf,
  lastOf,
  ofKind,
  signalName,
  toMs,
  toNs,
  triggerOf,
} from './queries.ts';

/** Two readings further apart than this contradict each other (engines.md section 1). */
export const DISAGREEMENT_MS = 15;
/**
 * From the call of an engine's own stop to the signal in the process, at most: podman writes no kill event for it, so
 * only the call is known (send to receipt 6 to 9 ms, up to 37 with other calls pending: engines.md section 1).
 */
export const STOP_DISPATCH_MS = 40;

/** The stop duration of a history: both readings, the one that counts, and what evidence they rest on. */
export interface StopDuration {
  readonly host?: Measurement;
  readonly engine?: Measurement;
  /** Host where it exists, else engine; where they contradict each other, host with bounds that contain both. */
  readonly measurement?: Measurement;
  /** Why there is no reading, or how the two contradict each other. */
  readonly problem?: string;
  readonly evidence: readonly number[];
}

/**
 * How long the stop took, from the trigger to the end of PID 1 (architecture rules 1 to 3). The host reading runs from
 * the kill response, or from the kill event where the response was stamped after it, to the end seen by this host; the engine reading from its kill event to its finish time. Two
 * readings that contradict each other are worth no more than the span of both: a limit inside it voids the sample, one
 * outside of it is decided whichever of the two is right. For the engine's own stop both start at Docker's kill event,
 * else at the call, and then the interval reaches down by STOP_DISPATCH_MS, because the signal may have left that much
 * later.
 */
export function stopDuration(history: History): StopDuration {
  const trigger = triggerOf(history);
  if (!trigger) return { problem: 'there was no signal to measure from', evidence: [] };
  const seen = ofKind(history, 'exit.seen').find((o) => o.by !== 'engine');
  const state = lastOf(history, 'exit.state');
  const event = killEvent(history, trigger);
  const host = seen && hostReading(history, trigger, seen, event);
  const engine = engineReading(history, trigger, state, event);
  const evidence = [trigger.seq, seen?.seq, event?.seq, state?.seq].filter((seq) => seq !== undefined);
  const readings = { ...(host && { host }), ...(engine && { engine }), evidence };
  if (host && engine && Math.abs(host.valueMs - engine.valueMs) > DISAGREEMENT_MS) {
    const problem = `the two readings disagree: ${ms(host.valueMs)} by the host, ${ms(engine.valueMs)} by the engine`;
    const lowMs = Math.min(host.lowMs, engine.lowMs);
    const highMs = Math.max(host.highMs, engine.highMs);
    return { ...readings, problem, measurement: { ...host, lowMs, highMs } };
  }
  const measurement = host ?? engine;
  if (!measurement) return { ...readings, problem: 'neither clock has a reading of the end' };
  return { ...readings, measurement };
}

/** Where a measurement lies: the whole interval decides, a limit inside it decides nothing (rule 3). */
export function compareToLimit(measured: Measurement, limitMs: number): 'within' | 'beyond' | 'undecided' {
  if (measured.highMs < limitMs) return 'within';
  // a lower bound of 0 is one that was cut off there: beyond a limit of 0 it is certainly not
  return measured.lowMs >= limitMs && measured.lowMs > 0 ? 'beyond' : 'undecided';
}

/** Milliseconds as reports print them. */
export function ms(value: number): string {
  return `${Math.round(value * 10) / 10} ms`;
}

/** A measurement in words, with its bounds and its clock. */
export function describeMeasurement(m: Measurement): string {
  return `${ms(m.valueMs)} [${Math.round(m.lowMs * 10) / 10}..${Math.round(m.highMs * 10) / 10}] by the ${m.by} clock`;
}

function hostReading(
  history: History,
  trigger: Trigger,
  seen: ObservationOf<'exit.seen'>,
  event: ObservationOf<'engine.event'> | undefined,
): Measurement {
  const exit = earliestEnd(history, intervalOf(seen));
  const hostMs =
    history.header.uncertainty.hostMs + longestStallMs(history, { begin: trigger.interval.begin, end: exit.end });
  if (trigger.by === 'stop') {
    const half = event ? Math.max(hostMs, engineErrorMs(history)) : hostMs;
    const start = event?.at ?? trigger.interval.begin;
    return measurement('host', start, exit, { below: half + (event ? 0 : STOP_DISPATCH_MS), above: half });
  }
  const answered = trigger.interval.end;
  const above = hostMs + answeredLateMs(trigger, event);
  const { lowMs, highMs } = measurement('host', answered, exit, { below: hostMs, above });
  // the service may have ended before the engine answered: the estimate runs from where the signal was
  const valueMs = Math.max(0, toMs(exit.end - answered) + answerDelayMs(trigger, event));
  return { by: 'host', valueMs, lowMs, highMs };
}

/** A kill is answered within so long where nothing holds it up, ms (engines.md section 2: received after 6 to 9). */
export const PROMPT_CALL_MS = 30;

/**
 * How much earlier than the engine's answer the service may have had the signal, ms: it was sent somewhere in the call (rule
 * 3). The engine writes its kill event after that: at once in a prompt call; in one that was held up nobody knows where.
 */
export function answeredLateMs(trigger: Trigger, event: ObservationOf<'engine.event'> | undefined): number {
  const callMs = toMs(trigger.interval.end - trigger.interval.begin);
  return event !== undefined && callMs < PROMPT_CALL_MS ? answerDelayMs(trigger, event) : callMs;
}

/** The same as an estimate: by the engine's kill event, where it wrote one inside the call; else nothing is known. */
export function answerDelayMs({ interval }: Trigger, event: ObservationOf<'engine.event'> | undefined): number {
  if (event === undefined) return 0;
  return toMs(Math.max(0, interval.end - Math.max(event.at, interval.begin)));
}

function engineReading(
  history: History,
  trigger: Trigger,
  state: ObservationOf<'exit.state'> | undefined,
  event: ObservationOf<'engine.event'> | undefined,
): Measurement | undefined {
  const finished = finishedAt(history, state);
  if (finished === undefined) return undefined;
  const start = event?.at ?? (trigger.by === 'stop' ? trigger.interval.begin : undefined);
  if (start === undefined) return undefined;
  const half = engineErrorMs(history);
  const below = half + (event ? 0 : STOP_DISPATCH_MS);
  return measurement('engine', start, { begin: finished, end: finished }, { below, above: half });
}

/** The kernel's own stamp of PID 1's end, where its event was seen: the watcher may have been scheduled late. */
export function earliestEnd(history: History, seen: Interval): Interval {
  const started = firstOf(history, 'container.started');
  const exact = ofKind(history, 'process.exit').find((o) => o.pid === started?.pid);
  return exact === undefined || exact.t >= seen.end ? seen : { begin: Math.min(seen.begin, exact.t), end: exact.t };
}

/**
 * The longest the harness's own loop was late between signal and end, ms. Whatever kept it from running (other load on
 * the machine) kept engine, fixture and watcher from running too, so every stamp is worth that much less.
 */
export function longestStallMs(history: History, window: Interval): number {
  const late = ofKind(history, 'stall').filter((o) => o.t >= window.begin && (o.begin ?? o.t) <= window.end);
  return late.reduce((longest, { lateMs }) => Math.max(longest, lateMs), 0);
}

/** The estimate is the moment first seen dead: the end was seen within a poll of it, and the bounds say the rest. */
function measurement(
  by: Measurement['by'],
  start: number,
  exit: Interval,
  error: { readonly below: number; readonly above: number },
): Measurement {
  const lowMs = Math.max(0, toMs(exit.begin - start) - error.below);
  const highMs = Math.max(0, toMs(exit.end - start) + error.above);
  return { by, valueMs: Math.max(0, toMs(exit.end - start)), lowMs, highMs };
}

/** The engine's kill event of the trigger. Docker names the signal, podman does not. */
export function killEvent(history: History, trigger: Trigger): ObservationOf<'engine.event'> | undefined {
  const margin = toNs(engineErrorMs(history));
  const end = firstOf(history, 'stop.returned')?.t ?? Number.POSITIVE_INFINITY;
  const until = trigger.by === 'stop' ? end : trigger.interval.end;
  return byTime(history)
    .filter((o): o is ObservationOf<'engine.event'> => o.kind === 'engine.event' && o.action === 'kill')
    .filter((o) => o.signal === undefined || signalName(o.signal) === trigger.signal)
    .filter((o) => o.at >= trigger.interval.begin - margin && o.at <= until + margin)
    .sort((a, b) => a.at - b.at)[0];
}
