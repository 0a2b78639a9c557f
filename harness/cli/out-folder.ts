import type { Stats } from 'node:fs';
import { accessSync, constants, lstatSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { UsageError } from '../model/errors.ts';

/**
 * Throws UsageError where reports cannot go into the folder of `--out`: the nearest part of its way that is there is no
 * folder, or may not be written to. Makes nothing, so that bad input leaves nothing behind.
 */
export function checkOutFolder(out: string): void {
  let path = resolve(out);
  try {
    while (lstatSync(path, { throwIfNoEntry: false }) === undefined) path = dirname(path);
    const found: Stats | undefined = statSync(path, { throwIfNoEntry: false });
    if (!found?.isDirectory()) throw refusal(out, path, found === undefined ? 'is a link to nothing' : 'is no folder');
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw refusal(out, path, `cannot be written to (${(error as NodeJS.ErrnoException).code})`);
  }
}

function refusal(out: string, path: string, why: string): UsageError {
  return new UsageError(`--out "${out}": ${path} ${why}; name another folder`);
}
