import { endingOf, firstOf, triggerOf } from '../contract/evidence/queries.ts';
import { killEvent, stopDuration } from '../contract/evidence/stop-duration.ts';
import type { History } from '../model/history.ts';
import type { ComparedStop } from '../model/report.ts';
import { shownCell, shownSamples } from './shown-sample.ts';

type How = ComparedStop['how'];

/** The order in which they are shown. */
const HOWS: readonly How[] = ['signal', 'stop default', 'stop given', 'init'];

/**
 * The stops with nothing in flight that IMG-5 says are alike, of one image on one engine: the preset's own signal, the
 * engine's stop with both timeouts, and the signal behind the engine's init. Others may be among the histories.
 * Undefined where there is only one kind of them. It decides nothing: verdicts rest on single histories.
 */
export function stopsCompared(histories: readonly History[]): readonly ComparedStop[] | undefined {
  const mine = histories.filter((history) => howOf(history) !== undefined);
  const stops = shownSamples(mine)
    .flatMap((history) => comparedStop(history) ?? [])
    .toSorted((a, b) => HOWS.indexOf(a.how) - HOWS.indexOf(b.how));
  return new Set(stops.map(({ how }) => how)).size < 2 ? undefined : stops;
}

function howOf({ header: { cell, basis } }: History): How | undefined {
  switch (cell.scenario) {
    case 'signal/no-load':
      return cell.values['signal'] === basis.terms.primarySignal ? 'signal' : undefined;
    case 'signal/engine-stop':
      return HOWS.find((how) => how === `stop ${cell.values['timeout']}`);
    case 'image/engine-init':
      return 'init';
    default:
      return undefined;
  }
}

function comparedStop(history: History): ComparedStop | undefined {
  const how = howOf(history);
  const trigger = triggerOf(history);
  // what the plan said must be what was done, else a bare signal would be shown as the engine's stop
  if (how === undefined || !trigger || (trigger.by === 'stop') !== how.startsWith('stop')) return undefined;
  const timeoutS = trigger.by === 'stop' ? firstOf(history, 'stop.called')?.timeoutS : undefined;
  const bare = trigger.by === 'stop' && killEvent(history, trigger) === undefined;
  return {
    ...shownCell(history),
    how,
    signal: trigger.signal,
    ...(timeoutS !== undefined && { timeoutS }),
    from: bare ? 'call' : 'signal',
    ...endOf(history),
  };
}

type End = Pick<ComparedStop, 'measured' | 'problem' | 'end' | 'exitCode' | 'survivedMs' | 'why'>;

/** Only an end that the harness did not bring about has a duration of its own. */
function endOf(history: History): End {
  const ending = endingOf(history);
  const { measurement, problem } = stopDuration(history);
  const took = { ...(measurement && { measured: measurement }), ...(problem !== undefined && { problem }) };
  switch (ending.how) {
    case 'itself':
      return { ...took, end: 'exit', exitCode: ending.exitCode };
    case 'outer-timeout':
      return { end: 'outer timeout', survivedMs: ending.survivedMs };
    case 'killed':
      return { ...took, end: 'killed', why: ending.why };
    case 'unknown':
      return { end: 'unknown', why: ending.why };
  }
}
