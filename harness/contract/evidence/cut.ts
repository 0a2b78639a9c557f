import type { Terms } from '../../model/clause.ts';
import type { History } from '../../model/history.ts';
import type { Interval, Measurement } from '../../model/time.ts';
import type { ProcessEnd } from './process-end.ts';
import { processEnd } from './process-end.ts';
import type { Trigger } from './queries.ts';
import { toMs } from './queries.ts';
import { answerDelayMs, answeredLateMs, killEvent, longestStallMs } from './stop-duration.ts';
import type { Piece } from './work.ts';
import { inFlightAt, isAdmitted } from './work.ts';

/** Where a moment lies to the graceful deadline: `early` and `late` straddle it and its tolerance. */
type Where = 'before' | 'early' | 'at' | 'late' | 'after';

/** How admitted work that was in flight at the signal was taken away from us, and when. */
export interface Cut {
  readonly piece: Piece;
  /** `closed`, `reset`, `answered 503`, or `by the exit` where the connection told nothing of its own. */
  readonly how: string;
  /** From the signal to the cut. */
  readonly measured: Measurement;
  readonly where: Where;
}

/** A server error to work that the harness had not completed, where that is not its normal answer, is its end. */
const SERVER_ERROR = 500;

/**
 * The cuts of all admitted work in flight at the signal that its own end did not come first, in order of proof. Work
 * that was answered was not cut. What nobody saw end was cut by the end of PID 1 at the
 * latest; without any end on record it is left out.
 */
export function cutsOf(history: History, terms: Terms, trigger: Trigger): readonly Cut[] {
  const end = processEnd(history);
  return inFlightAt(history, trigger)
    .filter(isAdmitted)
    .flatMap((piece) => {
      const lost = lossOf(piece, end);
      if (!lost) return [];
      const measured = sinceSignal(history, trigger, lost.interval);
      const where = whereIs(history, terms, trigger, lost.interval);
      return [{ piece, how: lost.how, measured, where }];
    });
}

function lossOf(
  { held, finished, ended }: Piece,
  end: ProcessEnd | undefined,
): { readonly interval: Interval; readonly how: string } | undefined {
  const answered = ended?.fate === 'answered';
  const refused = !finished && (ended?.status ?? 0) >= SERVER_ERROR && ended?.status !== held.normal?.status;
  if (answered && !refused) return undefined;
  if (!ended || ended.fate === 'held' || ended.fate === 'hung') {
    return end && { interval: end.interval, how: 'by the exit' };
  }
  const { t } = ended;
  const how = answered ? `answered ${ended.status}` : ended.fate;
  // the kernel closes what is left at the end of PID 1: an end seen after it was only seen late
  const gone = end?.interval ?? { begin: t, end: t };
  return { interval: { begin: Math.min(t, gone.begin), end: Math.min(t, gone.end) }, how };
}

/**
 * From the signal to a moment that this host stamped. As in the host reading of a stop: it starts at the engine's
 * answer, or at its kill event where the answer was stamped after that.
 */
export function sinceSignal(history: History, trigger: Trigger, moment: Interval): Measurement {
  const { begin, end: answered } = trigger.interval;
  const event = killEvent(history, trigger);
  const hostMs = history.header.uncertainty.hostMs + longestStallMs(history, { begin, end: moment.end });
  const valueMs = toMs(moment.end - answered);
  return {
    by: 'host',
    valueMs: Math.max(0, valueMs + answerDelayMs(trigger, event)),
    lowMs: Math.max(0, toMs(moment.begin - answered) - hostMs),
    highMs: Math.max(0, valueMs + hostMs + answeredLateMs(trigger, event)),
  };
}

/**
 * A moment against the graceful deadline. Stamps are only ever late and the signal cannot have been received before its
 * call, so what is stamped short of call + grace came too early; the half-width of a stamp allows for timers that fire a
 * little early. Upwards the tolerance is allowed for, and what a stall may have hidden is undecided.
 */
export function whereIs(history: History, terms: Terms, trigger: Trigger, moment: Interval): Where {
  const graceMs = terms.graceMs ?? 0;
  const atMostMs = toMs(moment.end - trigger.interval.begin);
  if (atMostMs + history.header.uncertainty.hostMs < graceMs) return 'before';
  if (atMostMs < graceMs) return 'early';
  const { lowMs, highMs } = sinceSignal(history, trigger, moment);
  const limitMs = cutLimitMs(terms);
  if (highMs < limitMs) return 'at';
  return lowMs >= limitMs ? 'after' : 'late';
}

/** By when work must have been cut, ms from the signal: a grace of 0 leaves the floor for it (DLN-4). */
export function cutLimitMs(terms: Terms): number {
  return (terms.graceMs === 0 ? terms.floorMs : (terms.graceMs ?? 0)) + terms.toleranceMs;
}

/** Admitted work that was still in flight when the grace ran out: the stop expired. */
export function outlasting(history: History, terms: Terms, trigger: Trigger): readonly Piece[] {
  return cutsOf(history, terms, trigger)
    .filter((cut) => cut.where === 'at' || cut.where === 'late' || cut.where === 'after')
    .map((cut) => cut.piece);
}
