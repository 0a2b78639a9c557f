import { retryable } from '../judge/judge.ts';
import type { History } from '../model/history.ts';
import type { CellRef } from '../model/plan.ts';
import { nextSample } from './plan.ts';

/** Samples of one cell at most: the first and three repetitions, alone (architecture rule 4). */
export const MOST_SAMPLES = 4;

/** The cells whose latest sample is inconclusive by timing alone, each with its next number, where there may be one more. */
export function cellsToRepeat(histories: readonly History[]): readonly CellRef[] {
  const inOrder = histories.toSorted((a, b) => a.header.cell.sample - b.header.cell.sample);
  const latest = new Map<string, CellRef | undefined>();
  for (const history of inOrder) {
    const { cell } = history.header;
    const key = JSON.stringify([cell.engine, cell.image, cell.scenario, cell.cell, cell.repeat]);
    latest.set(key, retryable(history).length > 0 ? cell : undefined);
  }
  return [...latest.values()]
    .filter((cell) => cell !== undefined)
    .map(nextSample)
    .filter(({ sample }) => sample <= MOST_SAMPLES);
}
