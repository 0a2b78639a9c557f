import { processEnd } from '../contract/evidence/process-end.ts';
import { ofKind, toMs, triggerOf } from '../contract/evidence/queries.ts';
import { DISAGREEMENT_MS, ms, PROMPT_CALL_MS, stopDuration } from '../contract/evidence/stop-duration.ts';
import type { Finding } from '../model/clause.ts';
import type { History } from '../model/history.ts';
import type { EngineHealth } from '../model/report.ts';
import type { Interval } from '../model/time.ts';

/** Less is the usual unrest of any machine, and no limit is missed by it. */
const WORTH_SAYING_MS = 5;
/** A probe that paused for longer than so many of its periods left a hole. */
const PERIODS = 4;

/**
 * What disturbed the measuring between signal and end of one history, in words, by what is on record: stalls of the harness,
 * pressure on the processors, a kill call that was held up, clocks that disagree, holes of the probe; and, of the whole run,
 * a control container that was measured wrong. Empty where nothing is on record.
 */
export function disturbances(history: History, control?: EngineHealth['control']): readonly string[] {
  const window = measuredWindow(history);
  return [
    ...stalled(history, window),
    ...pressed(history, window),
    ...heldUp(history),
    ...disagreeing(history),
    ...holes(history),
    ...offControl(control),
  ];
}

/** Adds it to what is inconclusive by timing alone; every other finding stays as it is. */
export function withDisturbances<T extends Finding>(
  finding: T,
  history: History,
  control?: EngineHealth['control'],
): T & { readonly disturbedBy?: readonly string[] } {
  if (finding.outcome !== 'inconclusive' || finding.timing !== true) return finding;
  return { ...finding, disturbedBy: disturbances(history, control) };
}

/** From the call of the signal to the end, or to the end of the record. */
function measuredWindow(history: History): Interval {
  const end = processEnd(history)?.interval.end ?? Number.POSITIVE_INFINITY;
  return { begin: triggerOf(history)?.interval.begin ?? 0, end };
}

const within = ({ begin, end }: Interval, o: { readonly begin?: number; readonly t: number }): boolean =>
  o.t >= begin && (o.begin ?? o.t) <= end;

function stalled(history: History, window: Interval): readonly string[] {
  const late = ofKind(history, 'stall').filter((o) => within(window, o) && o.lateMs >= WORTH_SAYING_MS);
  if (late.length === 0) return [];
  const longest = Math.max(...late.map(({ lateMs }) => lateMs));
  return [`the harness was held up${late.length > 1 ? ` ${late.length} times, at most` : ''} for ${ms(longest)}`];
}

function pressed(history: History, window: Interval): readonly string[] {
  return ofKind(history, 'cpu.pressure')
    .filter((o) => within(window, o) && o.waitedMs >= WORTH_SAYING_MS)
    .map(({ of, waitedMs }) => `the ${of} waited ${ms(waitedMs)} for a processor`);
}

function heldUp(history: History): readonly string[] {
  return ofKind(history, 'signal.delivered')
    .filter((o) => o.purpose === 'script' && o.begin !== undefined && toMs(o.t - o.begin) >= PROMPT_CALL_MS)
    .map(({ signal, begin = 0, t }) => `the engine took ${ms(toMs(t - begin))} to answer the call for SIG${signal}`);
}

function disagreeing(history: History): readonly string[] {
  const { host, engine } = stopDuration(history);
  if (!host || !engine) return [];
  const apartMs = Math.abs(host.valueMs - engine.valueMs);
  return apartMs > DISAGREEMENT_MS ? [`the clocks of host and engine disagree by ${ms(apartMs)}`] : [];
}

function holes(history: History): readonly string[] {
  const everyMs = ofKind(history, 'probe.started')[0]?.everyMs;
  const longestMs = ofKind(history, 'probe.ended')[0]?.longestGapMs;
  if (everyMs === undefined || longestMs === undefined || longestMs <= PERIODS * everyMs) return [];
  return [`the probe paused for ${ms(longestMs)} instead of ${ms(everyMs)}`];
}

function offControl(control: EngineHealth['control']): readonly string[] {
  if (!control || Math.abs(control.errorMs) < WORTH_SAYING_MS) return [];
  return [`the control container of ${ms(control.expectedMs)} was measured off by ${ms(control.errorMs)}`];
}
