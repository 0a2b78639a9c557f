import { mkdir, readdir, readlink, rename, rm, stat, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { StoreError } from '../model/errors.ts';
import type { Header } from '../model/history.ts';
import type { CellRef, Plan } from '../model/plan.ts';
import { cellPath } from './cell-path.ts';
import type { HistoryWriter } from './history-writer.ts';
import { historyWriter } from './history-writer.ts';
import { writePlan } from './plan-file.ts';
import { writeRunFile } from './run-files.ts';
import { isRunId } from './run-id.ts';

const latest = 'latest';

/** One run on disk: `<root>/<run>/` with plan.json, cells/ and the reports. */
export class RunDirectory {
  /** Absolute. */
  readonly path: string;

  constructor(path: string) {
    this.path = resolve(path);
  }

  /** Makes the directory of a new run and points `<root>/latest` to it. Throws StoreError where it is already there. */
  static async create(root: string, run: string): Promise<RunDirectory> {
    if (!isRunId(run)) throw new StoreError(`run id ${JSON.stringify(run)}: want one that runId made`);
    const path = join(root, run);
    try {
      await mkdir(root, { recursive: true });
      await mkdir(path);
    } catch (error) {
      throw new StoreError(`cannot create run directory ${path}: ${(error as Error).message}`, { cause: error });
    }
    await pointLatest(root, run);
    return new RunDirectory(path);
  }

  async writePlan(plan: Plan): Promise<void> {
    await writePlan(this.path, plan);
  }

  /** Begins the history of a cell under its `path`, which must be what cellPath gives: it can never lead elsewhere. */
  openHistory(cell: CellRef, header: Header): HistoryWriter {
    const path = cellPath(cell);
    if (cell.path !== path) throw new StoreError(`cell path ${JSON.stringify(cell.path)}: want ${path}`);
    return historyWriter(join(this.path, path), header);
  }

  /** Writes a report whole or not at all; returns its path. */
  async writeReport(name: string, text: string): Promise<string> {
    return writeRunFile(this.path, name, text);
  }
}

/** A convenience for people: where links cannot be made, the run goes on without it. */
async function pointLatest(root: string, run: string): Promise<void> {
  const temporary = join(root, `.${latest}.${run}`);
  try {
    await symlink(run, temporary, 'dir');
    await rename(temporary, join(root, latest));
  } catch {
    await rm(temporary, { force: true });
  }
}

/**
 * Removes the oldest runs under `root` until `keep` are left, and returns their names. Only directories named like a run
 * that hold a plan are touched, and never the one that `latest` points to.
 */
export async function prune(root: string, keep: number): Promise<readonly string[]> {
  if (!Number.isSafeInteger(keep) || keep < 0) throw new RangeError(`keep ${keep}: want a whole number from 0`);
  const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
  const pointed = await readlink(join(root, latest)).catch(() => undefined);
  const runs: string[] = [];
  for (const entry of entries) {
    if (!entry.isDirectory() || !isRunId(entry.name)) continue;
    const plan = await stat(join(root, entry.name, 'plan.json')).catch(() => undefined);
    if (plan?.isFile()) runs.push(entry.name);
  }
  const old = runs.sort().slice(0, Math.max(0, runs.length - keep));
  const removed = old.filter((name) => name !== pointed);
  for (const name of removed) await rm(join(root, name), { recursive: true, force: true });
  return removed;
}
