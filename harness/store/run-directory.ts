import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
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

/** Link to the newest run. */
export const latest = 'latest';
/** Who writes into a run directory; there only while it is being written. */
export const ownerFile = '.owner';

/** One run on disk: `<root>/<run>/` with plan.json, cells/ and the reports. */
export class RunDirectory {
  /** Absolute. */
  readonly path: string;

  constructor(path: string) {
    this.path = resolve(path);
  }

  /**
   * Makes the directory of a new run and points `<root>/latest` to it. Throws StoreError where it is already there. With
   * an `owner`, the identity of the process that writes it, it is not pruned while that lives or until `release`.
   */
  static async create(root: string, run: string, owner?: string): Promise<RunDirectory> {
    if (!isRunId(run)) throw new StoreError(`run id ${JSON.stringify(run)}: want one that runId made`);
    const path = join(root, run);
    try {
      await mkdir(root, { recursive: true });
      await mkdir(path);
      if (owner !== undefined) await writeFile(join(path, ownerFile), owner);
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

  /** The run is complete: nobody writes into it any more. */
  async release(): Promise<void> {
    await rm(join(this.path, ownerFile), { force: true });
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
