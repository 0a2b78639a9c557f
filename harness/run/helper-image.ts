import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EngineDriver } from '../engine/driver.ts';
import { EngineError } from '../model/errors.ts';
import { scratchImage } from './scratch-image.ts';

/** The helper binary for this host, and what it is. */
export interface Helper {
  readonly path: string;
  readonly sha256: string;
  readonly bytes: Buffer;
}

/**
 * The helper built by `prepack` (or `npm run images` in a clone) for this machine's architecture; undefined where none is
 * there. It is a Linux program: on another system it serves in containers only.
 */
export async function findHelper(packageRoot: string): Promise<Helper | undefined> {
  const path = join(packageRoot, 'helper', 'dist', `lfq-helper-linux-${process.arch}`);
  if (!existsSync(path)) return undefined;
  const bytes = await readFile(path);
  return { path, bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/**
 * The id of the helper's FROM-scratch image on this engine, loaded through the API when it is not there yet: it needs
 * no registry, no builder and no shell. Its name carries the binary's hash, so it is loaded once per version.
 */
export async function ensureHelperImage(driver: EngineDriver, helper: Helper): Promise<string> {
  const reference = `lf-qualify/helper:${helper.sha256.slice(0, 12)}`;
  const found = await driver.inspectImage(reference);
  if (found) return found.digest;
  const files = [{ name: 'lfq-helper', content: helper.bytes, mode: 0o755 }];
  await driver.loadImage(await scratchImage({ reference, files, entrypoint: ['/lfq-helper'] }), () => undefined);
  const loaded = await driver.inspectImage(reference);
  if (loaded) return loaded.digest;
  throw new EngineError(`${driver.name} took the helper image ${reference} but does not list it`);
}
