import { readFile, stat } from 'node:fs/promises';
import type Docker from 'dockerode';
import { pack } from 'tar-stream';
import { EngineError } from '../model/errors.ts';
import type { PlacedFile } from '../model/target.ts';
import type { ContainerSpec } from './driver.ts';
import { reasonOf, statusOf } from './engine-call.ts';

const PERMISSIONS = 0o7777;

/** A file as it goes into a container. Owned by root; folders that are missing above it are made by the engine. */
export interface ReadFile {
  readonly path: string;
  readonly mode: number;
  readonly content: Buffer;
}

/**
 * The files of a spec, read from this host. Throws EngineError naming a source that cannot be read, and a file that a
 * volume in memory would hide: such a volume appears only with the start.
 */
export async function readPlacedFiles(spec: Pick<ContainerSpec, 'files' | 'volumes'>): Promise<readonly ReadFile[]> {
  const inMemory = (spec.volumes ?? []).filter(({ tmpfs }) => tmpfs !== undefined);
  return await Promise.all(
    (spec.files ?? []).map(async (file) => {
      const hidden = inMemory.find(({ path }) => file.path.startsWith(`${path.replace(/\/+$/, '')}/`));
      if (hidden) {
        throw new EngineError(
          `file ${file.path}: the volume ${hidden.path} in memory would hide it; place it elsewhere, or leave tmpfs out`,
          { missing: 'file' },
        );
      }
      return await readOne(file);
    }),
  );
}

async function readOne({ path, source, mode }: PlacedFile): Promise<ReadFile> {
  try {
    const [content, { mode: own }] = await Promise.all([readFile(source), stat(source)]);
    return { path, content, mode: (mode ?? own) & PERMISSIONS };
  } catch (error) {
    throw new EngineError(`file ${path}: its source ${source} cannot be read: ${reasonOf(error)}`, {
      cause: error,
      missing: 'file',
    });
  }
}

/** Puts files into a created container, before its start. No folder is named, so that one which is there keeps its owner. */
export async function placeFiles(container: Docker.Container, files: readonly ReadFile[]): Promise<void> {
  if (files.length === 0) return;
  const archive = pack();
  for (const { path, mode, content } of files) {
    archive.entry({ name: path.replace(/^\/+/, ''), mode, uid: 0, gid: 0, mtime: new Date(0) }, content);
  }
  archive.finalize();
  const bytes = Buffer.concat(await Array.fromAsync(archive as AsyncIterable<Buffer>));
  try {
    await container.putArchive(bytes, { path: '/' });
  } catch (error) {
    if (statusOf(error) === undefined) throw error; // not the engine's answer: it may be lost
    const paths = files.map(({ path }) => path).join(', ');
    throw new EngineError(`files ${paths}: the engine does not put them there: ${reasonOf(error)}`, {
      cause: error,
      missing: 'file',
    });
  }
}
