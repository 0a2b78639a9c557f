import { posix } from 'node:path';
import type Docker from 'dockerode';
import { extract } from 'tar-stream';
import type { FolderFile } from './driver.ts';
import { LIMITS_MS } from './engine-call.ts';
import type { EngineConnection } from './engine-connection.ts';

/** Of larger files, and of all that come after so much, only the size is told. */
export const FOLDER_LIMIT_BYTES = 16 * 1024 * 1024;
/** No cache of a service comes near. */
const MOST_FILES = 10_000;

/**
 * The regular files below a folder of a container that runs or has ended, its volumes included, by the engine's archive,
 * sorted by name. Throws EngineError, also where there is no such folder.
 */
export async function readFolder(
  connection: EngineConnection,
  id: string,
  path: string,
): Promise<readonly FolderFile[]> {
  const container = (await connection.client()).getContainer(id);
  const call = `read ${path} of ${id}`;
  return await connection.caller.run(call, async () => await readArchive(container, path), LIMITS_MS.logs);
}

async function readArchive(container: Docker.Container, path: string): Promise<readonly FolderFile[]> {
  // with a dot at the end both engines name what is in it, Docker as `./file`, Podman as `file`
  const archive = await container.getArchive({ path: `${path.replace(/\/+$/, '')}/.` });
  const files: FolderFile[] = [];
  let left = FOLDER_LIMIT_BYTES;
  const entries = extract();
  archive.on('error', (error: Error) => entries.destroy(error));
  archive.pipe(entries);
  try {
    for await (const entry of entries) {
      const { name, type, size = 0 } = entry.header;
      const taken = type === 'file' && size <= left && files.length < MOST_FILES;
      const chunks: Buffer[] = [];
      for await (const chunk of entry) if (taken) chunks.push(chunk as Buffer);
      if (type !== 'file' || files.length === MOST_FILES) continue;
      if (taken) left -= size;
      files.push({ name: posix.normalize(name), bytes: size, ...(taken && { content: Buffer.concat(chunks) }) });
    }
  } finally {
    (archive as NodeJS.ReadableStream & { destroy?(): void }).destroy?.();
  }
  return files.sort((one, other) => (one.name < other.name ? -1 : 1));
}
