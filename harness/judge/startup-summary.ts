import { termsFor } from '../contract/evidence/accepted-status.ts';
import { readyAfterMs, startUpSignal } from '../contract/evidence/start-up.ts';
import { stopDuration } from '../contract/evidence/stop-duration.ts';
import type { History } from '../model/history.ts';
import type { StartUpSample, StartUpSummary } from '../model/report.ts';
import { shownCell, shownSamples } from './shown-sample.ts';

const SWEEP = 'startup/sweep';

/**
 * The signals that the sweep sent into the start-up of one image on one engine, by offset, for reports. Others may be among
 * the histories. Undefined where none was delivered. It decides nothing: verdicts rest on single histories.
 */
export function startUpSummary(histories: readonly History[]): StartUpSummary | undefined {
  const mine = histories.filter(({ header }) => header.cell.scenario === SWEEP);
  const samples = shownSamples(mine)
    .flatMap((history) => sampleOf(history) ?? [])
    .toSorted((a, b) => a.offset.fromMs - b.offset.fromMs);
  if (samples.length === 0) return undefined;
  const lost = samples.filter(({ fate }) => fate === 'lost').map(({ offset }) => offset.fromMs);
  const atLeastMs = Math.max(0, ...lost);
  // one start may take longer than another: what was heard earlier than something else was lost bounds nothing
  const heard = samples.filter(({ fate, offset }) => fate === 'heard' && offset.fromMs >= atLeastMs);
  const atMostMs = Math.min(...heard.map(({ offset }) => offset.toMs));
  return { samples, deaf: { atLeastMs, ...(Number.isFinite(atMostMs) && { atMostMs }) } };
}

function sampleOf(history: History): StartUpSample | undefined {
  const sent = startUpSignal(history, termsFor(history));
  if (!sent) return undefined;
  const { trigger, offset, pid1, later, readyBefore, fate } = sent;
  const after = readyAfterMs(history);
  const { measurement } = stopDuration(history);
  return {
    ...shownCell(history),
    signal: trigger.signal,
    offset: { fromMs: rounded(offset.lowMs), toMs: rounded(offset.highMs) },
    ...(pid1 !== undefined && { pid1 }),
    ...(later !== undefined && { later }),
    readyBefore,
    ...(after !== undefined && { readyAfterMs: rounded(after) }),
    fate: fate.how,
    ...(fate.how === 'heard' && { exitCode: fate.exitCode, ...(measurement && { measured: measurement }) }),
    ...(fate.how === 'lost' && { why: fate.because }),
    ...(fate.how === 'not known' && { why: fate.why }),
  };
}

/** To the microsecond: no stamp is better than that. */
function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
