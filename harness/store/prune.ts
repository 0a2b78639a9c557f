import { readdir, readFile, readlink, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { latest, ownerFile } from './run-directory.ts';
import { isRunId } from './run-id.ts';

/** What was removed, by name, and what could not be. */
export interface Pruned {
  readonly removed: readonly string[];
  readonly failures: readonly { readonly name: string; readonly message: string }[];
}

/**
 * Removes the oldest runs under `root`, by run id, until `keep` are left. Only directories that are named like a run and
 * hold a plan or the mark of their writer are touched; never a link, nor the run that `latest` points to, nor one whose
 * writer `mayLive`. Throws RangeError for a `keep` that is no whole number from 1.
 */
export async function prune(root: string, keep: number, mayLive: (owner: string) => boolean): Promise<Pruned> {
  if (!Number.isSafeInteger(keep) || keep < 1) throw new RangeError(`keep ${keep}: want a whole number from 1`);
  const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
  const pointed = await readlink(join(root, latest)).catch(() => undefined);
  const runs: { readonly name: string; readonly owner: string | undefined }[] = [];
  for (const { name } of entries.filter((entry) => entry.isDirectory() && isRunId(entry.name))) {
    const plan = await stat(join(root, name, 'plan.json')).catch(() => undefined);
    const owner = await readFile(join(root, name, ownerFile), 'utf8').catch(() => undefined);
    if (plan?.isFile() || owner !== undefined) runs.push({ name, owner });
  }
  const old = runs.toSorted((a, b) => (a.name < b.name ? -1 : 1)).slice(0, Math.max(0, runs.length - keep));
  const removed: string[] = [];
  const failures: { name: string; message: string }[] = [];
  for (const { name, owner } of old) {
    if (name === pointed || (owner !== undefined && mayLive(owner))) continue;
    try {
      await rm(join(root, name), { recursive: true, force: true });
      removed.push(name);
    } catch (error) {
      failures.push({ name, message: error instanceof Error ? error.message : String(error) });
    }
  }
  return { removed, failures };
}
