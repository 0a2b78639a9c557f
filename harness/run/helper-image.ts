import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pack } from 'tar-stream';
import type { EngineDriver } from '../engine/driver.ts';
import { EngineError } from '../model/errors.ts';

/** The helper binary for this host, and what it is. */
export interface Helper {
  readonly path: string;
  readonly sha256: string;
  readonly bytes: Buffer;
}

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/** The helper built by `prepack` (or `npm run images` in a clone); undefined where none exists for this platform. */
export async function findHelper(packageRoot: string): Promise<Helper | undefined> {
  const path = join(packageRoot, 'helper', 'dist', `lfq-helper-linux-${process.arch}`);
  if (process.platform !== 'linux' || !existsSync(path)) return undefined;
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
  await driver.loadImage(Readable.from(await archive(helper, reference)), () => undefined);
  const loaded = await driver.inspectImage(reference);
  if (loaded) return loaded.digest;
  throw new EngineError(`${driver.name} took the helper image ${reference} but does not list it`);
}

/** A `docker save` archive with one layer that holds the binary. */
async function archive(helper: Helper, reference: string): Promise<Buffer[]> {
  const layer = Buffer.concat(await tar([['lfq-helper', helper.bytes, 0o755]]));
  const diffId = sha256(layer);
  const config = JSON.stringify({
    architecture: ARCHITECTURES[process.arch] ?? process.arch,
    os: 'linux',
    config: { Entrypoint: ['/lfq-helper'] },
    rootfs: { type: 'layers', diff_ids: [`sha256:${diffId}`] },
    history: [{ created: '1970-01-01T00:00:00Z', created_by: 'lf-qualify' }],
    created: '1970-01-01T00:00:00Z',
  });
  const name = `${sha256(Buffer.from(config))}.json`;
  const manifest = JSON.stringify([{ Config: name, RepoTags: [reference], Layers: [`${diffId}/layer.tar`] }]);
  return await tar([
    [name, Buffer.from(config), 0o644],
    [`${diffId}/layer.tar`, layer, 0o644],
    ['manifest.json', Buffer.from(manifest), 0o644],
  ]);
}

async function tar(files: readonly (readonly [name: string, content: Buffer, mode: number])[]): Promise<Buffer[]> {
  const packer = pack();
  for (const [name, content, mode] of files) packer.entry({ name, mode, mtime: new Date(0) }, content);
  packer.finalize();
  return await Array.fromAsync(packer as AsyncIterable<Buffer>);
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
