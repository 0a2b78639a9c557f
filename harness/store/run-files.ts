import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreError } from '../model/errors.ts';

let written = 0;

/**
 * Writes `name` in a run directory whole or not at all: beside it first, then renamed over it. Returns the path. Throws
 * StoreError, also for a name that is a path.
 */
export async function writeRunFile(directory: string, name: string, text: string): Promise<string> {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name))
    throw new StoreError(`file name ${JSON.stringify(name)}: want a plain name`);
  const path = join(directory, name);
  written += 1;
  const temporary = join(directory, `.${name}.${process.pid}.${written}.tmp`);
  try {
    await writeFile(temporary, text, { flag: 'wx' });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw new StoreError(`cannot write ${path}: ${(error as Error).message}`, { cause: error });
  }
  return path;
}
