import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pack } from 'tar-stream';

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/** One file of an image or archive. */
export interface ScratchFile {
  readonly name: string;
  readonly content: Buffer;
  readonly mode: number;
}

/**
 * A FROM-scratch image of one layer as a `docker save` archive, for an engine's load: it needs no registry, no builder
 * and no shell. The same input gives the same bytes, so the same config digest.
 */
export async function scratchImage(options: {
  readonly reference: string;
  readonly files: readonly ScratchFile[];
  readonly entrypoint: readonly string[];
  /** What the image says it is for. @default that of this process */
  readonly architecture?: string;
}): Promise<Readable> {
  const layer = Buffer.concat(await tar(options.files));
  const diffId = sha256(layer);
  const config = Buffer.from(
    JSON.stringify({
      architecture: options.architecture ?? ARCHITECTURES[process.arch] ?? process.arch,
      os: 'linux',
      config: { Entrypoint: options.entrypoint },
      rootfs: { type: 'layers', diff_ids: [`sha256:${diffId}`] },
      history: [{ created: '1970-01-01T00:00:00Z', created_by: 'lf-qualify' }],
      created: '1970-01-01T00:00:00Z',
    }),
  );
  const layerName = `${diffId}/layer.tar`;
  const configName = `${sha256(config)}.json`;
  const manifest = JSON.stringify([{ Config: configName, RepoTags: [options.reference], Layers: [layerName] }]);
  return Readable.from(
    await tar([
      { name: configName, content: config, mode: 0o644 },
      { name: layerName, content: layer, mode: 0o644 },
      { name: 'manifest.json', content: Buffer.from(manifest), mode: 0o644 },
    ]),
  );
}

async function tar(files: readonly ScratchFile[]): Promise<Buffer[]> {
  const packer = pack();
  for (const { name, content, mode } of files) packer.entry({ name, mode, mtime: new Date(0) }, content);
  packer.finalize();
  return await Array.fromAsync(packer as AsyncIterable<Buffer>);
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
