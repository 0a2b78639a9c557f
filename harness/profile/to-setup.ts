import type { PlacedFile, Volume } from '../model/target.ts';
import type { Reading } from './reading.ts';
import type { KeyPath } from './profile-document.ts';
import type { ImageKeys } from './schema.ts';

/** The keys that the service and its dependencies share. */
export type SetupKeys = Pick<ImageKeys, 'command' | 'env' | 'envFile' | 'user' | 'files' | 'volumes' | 'memory'>;

/** What a container gets besides its image. `at` is where in the profile these keys stand. */
export function setupOf(keys: SetupKeys, at: KeyPath, reading: Reading) {
  const files = filesOf(keys.files, [...at, 'files'], reading);
  const volumes = volumesOf(keys.volumes, [...at, 'volumes'], reading);
  const inMemory = volumes.filter(({ tmpfs }) => tmpfs !== undefined);
  for (const { path } of files) {
    const over = inMemory.find((volume) => path.startsWith(`${volume.path}/`));
    // Files are put in before the start; a tmpfs is mounted by it.
    if (over)
      reading.tell([...at, 'files'], `expected no file under the tmpfs ${over.path}, which hides it, found ${path}`);
  }
  return {
    command: keys.command?.map((word, index) => reading.filled(word, [...at, 'command', index])),
    user: keys.user && reading.filled(keys.user, [...at, 'user']),
    files,
    volumes,
    memoryBytes: keys.memory,
    env: {
      ...envFilesOf(keys.envFile, [...at, 'envFile'], reading),
      ...reading.filledEnv(keys.env, [...at, 'env']),
    },
  };
}

function envFilesOf(written: SetupKeys['envFile'], at: KeyPath, reading: Reading): Record<string, string> {
  const each = (path: string, where: KeyPath): Readonly<Record<string, string>> =>
    reading.usable(where, {}, () => reading.source.envFile(reading.source.fill(path)));
  if (written === undefined) return {};
  if (typeof written === 'string') return each(written, at);
  return Object.assign({}, ...written.map((path, index) => each(path, [...at, index])));
}

function filesOf(written: SetupKeys['files'], at: KeyPath, reading: Reading): readonly PlacedFile[] {
  const rows = Array.isArray(written)
    ? written.map((file, index) => ({ ...file, where: [...at, index, 'source'] }))
    : Object.entries(written ?? {}).map(([path, file]) =>
        typeof file === 'string'
          ? { path, source: file, mode: undefined, where: [...at, path] }
          : { ...file, path, where: [...at, path, 'source'] },
      );
  const taken = new Set<string>();
  return rows.map(({ path, source, mode, where }, index) => {
    if (taken.has(path)) reading.tell([...at, index, 'path'], `expected each path once, found ${path} again`);
    taken.add(path);
    return {
      path,
      source: reading.usable(where, source, () => reading.source.file(reading.source.fill(source))),
      ...(mode === undefined ? {} : { mode: Number.parseInt(mode, 8) }),
    };
  });
}

function volumesOf(written: SetupKeys['volumes'], at: KeyPath, reading: Reading): readonly Volume[] {
  const taken = new Set<string>();
  return (written ?? []).map((row, index) => {
    const { path, tmpfs } = typeof row === 'string' ? { path: row, tmpfs: undefined } : row;
    if (taken.has(path)) reading.tell([...at, index], `expected each path once, found ${path} again`);
    taken.add(path);
    if (tmpfs === undefined) return { path };
    return { path, tmpfs: tmpfs === true ? {} : { sizeBytes: tmpfs } };
  });
}
