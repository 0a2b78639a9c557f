import { ofKind } from '../contract/evidence/queries.ts';
import type { History } from '../model/history.ts';
import type { ShownCell } from '../model/report.ts';

/**
 * The one history of each cell and repeat that reports show numbers of: the last sample taken alone where there is one,
 * since company is what the first may have suffered from. Records that broke off or hold a fault are left out: in those
 * `not seen` means nothing. In the order of their scenarios, cells and repeats.
 */
export function shownSamples(histories: readonly History[]): readonly History[] {
  return [...Map.groupBy(histories, keyOf).values()]
    .flatMap((samples) => samples.toSorted(byLaneAndSample).at(-1) ?? [])
    .filter((history) => history.complete && ofKind(history, 'fault').length === 0)
    .toSorted((a, b) => compare(keyOf(a), keyOf(b)));
}

/** Where a history stands in a run. */
export function shownCell({ header: { cell } }: History): ShownCell {
  return { scenario: cell.scenario, cell: cell.cell, repeat: cell.repeat, lane: cell.lane, history: cell.path };
}

function keyOf({ header: { cell } }: History): string {
  return `${cell.scenario} ${cell.cell} ${String(cell.repeat).padStart(6, '0')}`;
}

function byLaneAndSample({ header: { cell: a } }: History, { header: { cell: b } }: History): number {
  return Number(a.lane === 'alone') - Number(b.lane === 'alone') || a.sample - b.sample;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
