import type { ComparedStop, ProbeOutcomes, SpanMs, WindowSummary } from '../model/report.ts';
import { formatMs } from './wording.ts';

/** `window/acknowledged`, with the cell and the repeat where they say anything. */
export function nameOfCell({ scenario, cell, repeat }: WindowSummary): string {
  return `${cellOf({ scenario, cell })}${repeat === 1 ? '' : ` r${repeat}`}`;
}

/** One of each cell's repeats: the one whose boundaries are known least, those without any first. */
export function leastKnown(
  windows: readonly WindowSummary[],
): readonly { readonly window: WindowSummary; readonly name: string }[] {
  return [...Map.groupBy(windows, cellOf).entries()].flatMap(([cell, repeats]) => {
    const [window] = repeats.toSorted((a, b) => vagueness(b) - vagueness(a));
    const name = repeats.length === 1 ? cell : `${cell} (the least known of ${repeats.length})`;
    return window ? [{ window, name }] : [];
  });
}

function cellOf({ scenario, cell }: Pick<WindowSummary, 'scenario' | 'cell'>): string {
  return cell === '-' ? scenario : `${scenario} ${cell}`;
}

function vagueness({ boundariesWithinMs }: WindowSummary): number {
  return boundariesWithinMs ?? Number.MAX_VALUE;
}

/**
 * The windows as intervals, in ms from the engine's answer to the signal, and how well the boundaries are known. `all`:
 * the goodbye and the end of the process too.
 */
export function formatTimes({ times, normal, boundariesWithinMs, doubt }: WindowSummary, all = false): string {
  const { first503, last503 } = times;
  const span = (name: string, value: SpanMs | undefined): string => `${name} ${value ? formatSpan(value) : 'not seen'}`;
  const more = {
    goodbye: [span('goodbye received', times.goodbyeReceived), span('acknowledged', times.acknowledged)],
    end: [span('ended', times.ended)],
  };
  const parts = [
    span('signal', times.signal),
    span(normal >= 200 && normal < 300 ? 'last 2xx' : `last normal ${normal}`, times.lastServed),
    span('gate closed', times.gateClosed),
    first503 && last503 ? `503 from ${formatSpan(first503)} to ${formatSpan(last503)}` : span('503', first503),
    ...(all ? more.goodbye : []),
    span('first refusal', times.firstRefused),
    span('listener closed', times.listenerClosed),
    ...(all ? more.end : []),
  ];
  const known = boundariesWithinMs === undefined ? '' : `; boundaries known to ${formatMs(boundariesWithinMs)}`;
  return `${parts.join(', ')} ms${known}${doubt === undefined ? '' : `; ${doubt}`}`;
}

/** `48 kept, 53 requests on them: 53 answered, …; 78 new connections: …; every 5 ms, longest gap 6.1 ms`. */
export function formatProbe({ kept, outcomes, withdrawn, everyMs, longestGapMs }: WindowSummary): string {
  const gap = longestGapMs === undefined ? 'longest gap not known' : `longest gap ${formatMs(longestGapMs)}`;
  const idle = withdrawn === 0 ? '' : `, ${withdrawn} closed while idle`;
  return [
    `${kept} kept${idle}, ${total(outcomes.kept)} requests on them: ${formatOutcomes(outcomes.kept)}`,
    `${total(outcomes.new)} new connections: ${formatOutcomes(outcomes.new)}`,
    `every ${formatMs(everyMs)}, ${gap}`,
  ].join('; ');
}

function total({ answered, refused, reset, hung }: ProbeOutcomes): number {
  return answered + refused + reset + hung;
}

function formatOutcomes({ answered, refused, reset, hung, races }: ProbeOutcomes): string {
  const raced = races === 0 ? '' : ` (${races} in a keep-alive race)`;
  return `${answered} answered, ${refused} refused, ${reset} reset${raced}, ${hung} hung`;
}

/** `-1.2..2.3`, for a point `2.3`. */
function formatSpan({ fromMs, toMs }: SpanMs): string {
  const [from, to] = [fromMs, toMs].map((ms) => Number(ms.toFixed(1)) + 0);
  return from === to ? `${to}` : `${from}..${to}`;
}

/** `TERM 9.4 ms exit 0 · engine stop default 12 ms exit 0 · given (20 s) 11 ms exit 0 · TERM behind its init 15 ms exit 0`. */
export function formatStops(stops: readonly ComparedStop[]): string {
  const bare = stops.find(({ how }) => how === 'signal')?.signal;
  return [...Map.groupBy(stops, (stop) => nameOfStop(stop, bare)).entries()]
    .map(([name, repeats]) => {
      const ends = [...Map.groupBy(repeats, formatEnd).entries()];
      return `${name} ${ends.map(([end, alike]) => formatAlike(end, alike, repeats.length)).join(', ')}`;
    })
    .join(' · ');
}

function nameOfStop({ how, signal, timeoutS }: ComparedStop, bare: string | undefined): string {
  const other = signal === bare ? '' : ` (${signal})`;
  switch (how) {
    case 'signal':
      return signal;
    case 'stop default':
      return `engine stop default${other}`;
    case 'stop given':
      return `engine stop given${timeoutS === undefined ? '' : ` ${timeoutS} s`}${other}`;
    case 'init':
      return `${signal} behind its init`;
  }
}

/** Repeats that ended alike, with the shortest and the longest of them. */
function formatAlike(end: string, alike: readonly ComparedStop[], of: number): string {
  const values = alike.flatMap(({ measured }) => (measured ? [measured.valueMs] : [])).toSorted((a, b) => a - b);
  const [shortest, longest] = [values[0], values.at(-1)];
  const many = of === 1 ? '' : ` (${alike.length} of ${of})`;
  if (shortest === undefined || longest === undefined) return `${end}${many}`;
  const range = values.length === 1 ? formatMs(longest) : `${Number(shortest.toFixed(1))} to ${formatMs(longest)}`;
  const from = alike.some((stop) => stop.from === 'call') ? ' from the call' : '';
  const disputed = alike.some((stop) => stop.problem !== undefined) ? ' (its two readings disagree)' : '';
  return `${range}${from}${disputed} ${end}${many}`;
}

function formatEnd({ end, exitCode, survivedMs, why }: ComparedStop): string {
  switch (end) {
    case 'exit':
      return `exit ${exitCode}`;
    case 'outer timeout':
      return `still running after ${formatMs(survivedMs ?? 0)}`;
    case 'killed':
      return `killed: ${why}`;
    case 'unknown':
      return `end not known: ${why}`;
  }
}
