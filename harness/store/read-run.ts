import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { StoreError } from '../model/errors.ts';
import type { History } from '../model/history.ts';
import type { Plan } from '../model/plan.ts';
import { HISTORY_FILE } from './history-writer.ts';
import { readPlan } from './plan-file.ts';
import { readHistory } from './read-history.ts';

export interface RunContents {
  readonly plan: Plan;
  /**
   * By directory relative to the run (`CellRef.path`): every planned cell, and every history found beside the plan, such
   * as repeated samples. A history that is missing or broken is its StoreError.
   */
  readonly histories: ReadonlyMap<string, History | StoreError>;
}

/** Reads a whole run directory, in the order of the plan and then by path. Throws StoreError only for the plan. */
export async function readRun(directory: string): Promise<RunContents> {
  const plan = await readPlan(directory);
  const planned = [...plan.instrument, ...plan.targets.flatMap(({ cells }) => cells)].map(({ path }) => path);
  const found = await historiesUnder(directory);
  const histories = new Map<string, History | StoreError>();
  for (const path of new Set([...planned, ...found])) {
    histories.set(path, found.includes(path) ? await readOne(directory, path) : neverWritten(path));
  }
  return { plan, histories };
}

function neverWritten(path: string): StoreError {
  return new StoreError(`history ${path}/${HISTORY_FILE}: planned, but never written`);
}

async function readOne(directory: string, path: string): Promise<History | StoreError> {
  try {
    return await readHistory(join(directory, path, HISTORY_FILE));
  } catch (error) {
    if (error instanceof StoreError) return error;
    throw error;
  }
}

async function historiesUnder(directory: string): Promise<readonly string[]> {
  const cells = join(directory, 'cells');
  const entries = await readdir(cells, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && entry.name === HISTORY_FILE)
    .map((entry) => relative(directory, entry.parentPath).split(sep).join('/'))
    .sort();
}
