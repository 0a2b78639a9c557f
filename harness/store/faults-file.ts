import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreError } from '../model/errors.ts';
import type { Fault } from '../model/report.ts';
import { safeJson } from '../model/safe-json.ts';
import { writeRunFile } from './run-files.ts';

const faultsFile = 'faults.json';

/** Keep what only the live run knew (an engine lost between histories, an interruption), so that judging again counts it too. */
export async function writeFaults(directory: string, faults: readonly Fault[]): Promise<void> {
  await writeRunFile(directory, faultsFile, `${safeJson(faults, 2)}\n`);
}

/** The faults of a run; a run that was killed before it could write them has that as its fault. */
export async function readFaults(directory: string): Promise<readonly Fault[]> {
  try {
    return JSON.parse(await readFile(join(directory, faultsFile), 'utf8')) as readonly Fault[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return [{ where: 'harness', message: 'the run did not get to its end: it was killed, or is still going on' }];
    }
    throw new StoreError(`faults ${join(directory, faultsFile)}: ${(error as Error).message}`, { cause: error });
  }
}
