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
    while (isMissing(path)) path = dirname(path);
    accessSync(path, constants.W_OK);
    if (statSync(path).isDirectory()) return;
  } catch (error) {
    const why = `cannot be written to (${(error as NodeJS.ErrnoException).code})`;
    throw new UsageError(`--out "${out}": ${path} ${why}; name another folder`, { cause: error });
  }
  throw new UsageError(`--out "${out}": ${path} is no folder; name another folder`);
}

/** A link that leads nowhere is there: it is in the way. */
function isMissing(path: string): boolean {
  try {
    lstatSync(path);
    return false;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return true;
    throw error;
  }
}
