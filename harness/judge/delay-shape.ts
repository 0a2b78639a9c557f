import { endingOf, triggerOf } from '../contract/evidence/queries.ts';
import { ms, stopDuration } from '../contract/evidence/stop-duration.ts';
import { inFlightAt, isAdmitted } from '../contract/evidence/work.ts';
import type { Terms } from '../model/clause.ts';
import type { History } from '../model/history.ts';
import type { DelayShape } from '../model/report.ts';
import type { Measurement } from '../model/time.ts';
import { shownSamples } from './shown-sample.ts';

const NO_LOAD = 'signal/no-load';
const PAST_GRACE = 'deadline/work-past-grace';
/** A measurement wider than this (its clocks contradict each other, the harness stood still) tells no delays apart. */
const VAGUE_MS = 300;
/** Ends that vary by less than this part of what the graces vary do not follow the grace. */
const SAME_PART = 1 / 4;

/** One stop: by itself after so long, or still running when the harness sent SIGKILL. */
type End =
  | { readonly measured: Measurement; readonly survivedMs?: undefined }
  | { readonly survivedMs: number; readonly measured?: undefined };
type Stop = End & { readonly graceMs: number | null; readonly terms: Terms };
type Ended = Stop & { readonly measured: Measurement };

/**
 * Tells an unbounded, a slow and a constant delay from one that follows the grace, from the histories of one image on
 * one engine: the preset's own signal with nothing in flight, and work past two or more graces. Others may be among them.
 * Undefined where they are too few, or fit none of the four. It decides nothing: verdicts rest on single histories.
 */
export function delayShape(histories: readonly History[]): DelayShape | undefined {
  const sound = shownSamples(histories);
  const idle = sound.filter(isNoLoad).flatMap(stopOf);
  const busy = sound.filter(isPastGrace).flatMap(stopOf);
  const stuck = [...busy, ...idle].filter((stop) => stop.survivedMs !== undefined);
  if (stuck.length > 0) return unbounded(stuck, idle, busy);
  const ended = busy.filter(isEnded).toSorted((a, b) => (a.graceMs ?? 0) - (b.graceMs ?? 0));
  const still = idle.filter(isEnded);
  if (ended.length === 0) return undefined;
  const said = inWords(ended, still);
  const several = new Set(ended.map((stop) => stop.graceMs)).size > 1;
  if (several && ended.every(isWithin)) {
    return { shape: 'bounded by the grace', sentence: `the end follows the grace: ${said}` };
  }
  const constant = several ? isConstant(ended) : isSameWithoutLoad(ended, still);
  if (constant) {
    const also = isSameWithoutLoad(ended, still) ? ', and the same with nothing in flight' : '';
    return { shape: 'constant', sentence: `the same delay whatever the grace${also}: ${said}` };
  }
  if (ended.some(isBeyond)) return { shape: 'slow', sentence: `bounded, but beyond the hard deadline: ${said}` };
  return undefined;
}

function isNoLoad({ header: { cell, basis } }: History): boolean {
  return cell.scenario === NO_LOAD && cell.values['signal'] === basis.terms.primarySignal;
}

/** Of work past the grace only what had work in flight says anything. */
function isPastGrace(history: History): boolean {
  const { cell, basis } = history.header;
  const trigger = triggerOf(history);
  if (cell.scenario !== PAST_GRACE || basis.terms.graceMs === null || !trigger) return false;
  return inFlightAt(history, trigger).some((piece) => isAdmitted(piece) && piece.ended?.fate !== 'answered');
}

function stopOf(history: History): readonly Stop[] {
  const { terms } = history.header.basis;
  const ending = endingOf(history);
  if (ending.how === 'outer-timeout') return [{ survivedMs: ending.survivedMs, graceMs: terms.graceMs, terms }];
  const { measurement } = stopDuration(history);
  if (ending.how !== 'itself' || !measurement || measurement.highMs - measurement.lowMs > VAGUE_MS) return [];
  return [{ measured: measurement, graceMs: terms.graceMs, terms }];
}

function isEnded(stop: Stop): stop is Ended {
  return stop.measured !== undefined;
}

/** The whole measurement can lie between the graceful and the hard deadline. */
function isWithin({ measured, graceMs, terms }: Ended): boolean {
  const grace = graceMs ?? 0;
  return measured.highMs >= grace && measured.lowMs < grace + terms.floorMs + terms.toleranceMs;
}

function isBeyond({ measured, graceMs, terms }: Ended): boolean {
  return measured.lowMs >= (graceMs ?? 0) + terms.floorMs + terms.toleranceMs;
}

function isConstant(ended: readonly Ended[]): boolean {
  return spread(ended.map(durationMs)) <= SAME_PART * spread(ended.map((stop) => stop.graceMs ?? 0));
}

/** The stops with load take as long as those without: by the tolerance, or a tenth of a long delay. */
function isSameWithoutLoad(ended: readonly Ended[], idle: readonly Ended[]): boolean {
  const all = [...ended, ...idle];
  const values = all.map(durationMs);
  const toleranceMs = Math.max(...all.map((stop) => 2 * stop.terms.toleranceMs), Math.max(...values) / 10);
  return idle.length > 0 && spread(values) <= toleranceMs;
}

function durationMs(stop: Ended): number {
  return stop.measured.valueMs;
}

function spread(values: readonly number[]): number {
  return Math.max(...values) - Math.min(...values);
}

function unbounded(stuck: readonly Stop[], idle: readonly Stop[], busy: readonly Stop[]): DelayShape {
  const longest = Math.max(...stuck.map((stop) => stop.survivedMs ?? 0));
  const idleStuck = idle.some((stop) => stop.survivedMs !== undefined);
  const how = idleStuck
    ? 'with nothing in flight too'
    : idle.length > 0
      ? `but ended ${list(idle.filter(isEnded).map(durationMs))} after it with nothing in flight`
      : 'with work in flight';
  const busyStuck = busy.filter((stop) => stop.survivedMs !== undefined);
  const graces = busyStuck.map((stop) => stop.graceMs ?? 0).toSorted((a, b) => a - b);
  const whatever = graces.length === 0 ? '' : ` (grace ${list([...new Set(graces)])})`;
  return {
    shape: 'unbounded',
    sentence: `no deadline: still running ${ms(longest)} after the signal${whatever}, ${how}`,
  };
}

function inWords(ended: readonly Ended[], idle: readonly Ended[]): string {
  const ends = ended.map((stop) => `${ms(durationMs(stop))} with a grace of ${stop.graceMs} ms`).join(', ');
  return idle.length === 0 ? ends : `${ends}, ${list(idle.map(durationMs))} with nothing in flight`;
}

function list(values: readonly number[]): string {
  return values.map(ms).join(', ');
}
