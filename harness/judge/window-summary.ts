import { probeOf } from '../contract/evidence/probe-samples.ts';
import { firstOf, toMs } from '../contract/evidence/queries.ts';
import type { Sighting } from '../contract/evidence/windows.ts';
import { windowsOf } from '../contract/evidence/windows.ts';
import type { History } from '../model/history.ts';
import type { SpanMs, WindowSummary } from '../model/report.ts';
import type { Interval, Nanoseconds } from '../model/time.ts';
import { shownCell, shownSamples } from './shown-sample.ts';

const WINDOW = /^window\//;
const SEEN = [
  'lastServed',
  'gateClosed',
  'first503',
  'last503',
  'goodbyeReceived',
  'acknowledged',
  'firstRefused',
  'listenerClosed',
  'ended',
] as const;

/**
 * What the admission probe saw in the window scenarios of one image on one engine, for reports. Others may be among the
 * histories. A history without a probe or without a signal has no windows and is left out; undefined where none is left.
 * It decides nothing: verdicts rest on the windows themselves.
 */
export function windowSummaries(histories: readonly History[]): readonly WindowSummary[] | undefined {
  const mine = histories.filter(({ header }) => WINDOW.test(header.cell.scenario));
  const summaries = shownSamples(mine).flatMap((history) => summaryOf(history) ?? []);
  return summaries.length === 0 ? undefined : summaries;
}

function summaryOf(history: History): WindowSummary | undefined {
  const probe = probeOf(history);
  const windows = windowsOf(history);
  const { accepted, outcomes, withdrawn, doubt, gateClosed, listenerClosed } = windows;
  const started = firstOf(history, 'probe.started');
  if (!probe || !started || !accepted) return undefined;
  const { everyMs, normal, ended } = probe;
  const seen = SEEN.flatMap((key) => {
    const sighting: Sighting | undefined = windows[key];
    return sighting ? [[key, spanFrom(accepted.end, sighting.interval)] as const] : [];
  });
  const widths = [gateClosed, listenerClosed].flatMap((boundary) => (boundary ? [widthMs(boundary.interval)] : []));
  return {
    ...shownCell(history),
    kept: started.kept,
    everyMs,
    ...(ended && { longestGapMs: rounded(ended.longestGapMs) }),
    normal,
    outcomes,
    withdrawn,
    times: { signal: spanFrom(accepted.end, accepted), ...Object.fromEntries(seen) },
    ...(widths.length > 0 && { boundariesWithinMs: Math.max(...widths) }),
    ...(doubt !== undefined && { doubt }),
  };
}

/** One origin for all of a history: the engine's answer to the signal, which findings count from too. */
function spanFrom(origin: Nanoseconds, { begin, end }: Interval): SpanMs {
  return { fromMs: rounded(toMs(begin - origin)), toMs: rounded(toMs(end - origin)) };
}

function widthMs({ begin, end }: Interval): number {
  return rounded(toMs(end - begin));
}

/** To the microsecond: no stamp is better than that. */
function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
