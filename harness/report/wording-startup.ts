import type { StartUpSample, StartUpSummary } from '../model/report.ts';
import { formatMs } from './wording.ts';

/**
 * `TERM after 61..131 ms [sh (shell)] lost, later postgres · 502..580 ms [postgres, ready] exit 0 in 12 ms · ready after
 * 350 ms · deaf for at least 61 ms, at most 580 ms`. Spans are from the start of PID 1, which lies inside of a span itself.
 */
export function formatStartUp({ samples, deaf }: StartUpSummary): string {
  const signal = samples[0]?.signal ?? '';
  const readyMs = samples.flatMap(({ readyAfterMs }) => (readyAfterMs === undefined ? [] : [readyAfterMs]));
  const last = Math.max(...readyMs);
  const first = Math.min(...readyMs);
  const range = first === last ? formatMs(last) : `${Math.round(first)} to ${formatMs(Math.round(last))}`;
  return [
    ...samples.map((sample, index) => `${index === 0 ? `${signal} after ` : ''}${formatSample(sample)}`),
    ...(readyMs.length === 0 ? ['never ready'] : [`ready after ${range}`]),
    formatDeaf(deaf),
  ].join(' · ');
}

function formatSample(sample: StartUpSample): string {
  const { fromMs, toMs } = sample.offset;
  return `${Math.floor(fromMs)}..${Math.ceil(toMs)} ms${formatPid1(sample)} ${formatFate(sample)}`;
}

function formatFate({ fate, exitCode, measured, why, later }: StartUpSample): string {
  switch (fate) {
    case 'heard':
      return `exit ${exitCode}${measured ? ` in ${formatMs(measured.valueMs)}` : ''}`;
    case 'lost':
      return `lost${later === undefined ? '' : `, later ${later}`}`;
    case 'not known':
      return `not known: ${why}`;
  }
}

function formatPid1({ pid1, readyBefore }: StartUpSample): string {
  const said = [pid1, readyBefore ? 'ready' : undefined].filter((part) => part !== undefined);
  return said.length === 0 ? '' : ` [${said.join(', ')}]`;
}

function formatDeaf({ atLeastMs, atMostMs }: StartUpSummary['deaf']): string {
  const most = atMostMs === undefined ? undefined : `at most ${Math.ceil(atMostMs)} ms`;
  if (atLeastMs === 0) return most === undefined ? 'deaf for how long is not known' : `deaf for ${most}`;
  return `deaf for at least ${Math.floor(atLeastMs)} ms${most === undefined ? '' : `, ${most}`}`;
}
