import { randomUUID } from 'node:crypto';
import { access, mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';

/** Where what the config server said is kept for the next start: each file whole or not there (STA-5). */
export class ConfigCache {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = resolve(folder);
  }

  /**
   * The file takes its name only when all of it is on the disk. The name may have a folder in it.
   * @throws {Error} for a name that leads out of the cache, and what `cancel` says once it is aborted
   */
  async write(name: string, content: Uint8Array, cancel: AbortSignal): Promise<void> {
    const path = join(this.#folder, name);
    if (!path.startsWith(this.#folder + sep)) throw new Error(`${name} leads out of the configuration cache`);
    const staged = join(dirname(path), `.${basename(path)}.${randomUUID()}.tmp`);
    await mkdir(dirname(path), { recursive: true });
    try {
      const file = await open(staged, 'wx');
      try {
        await file.writeFile(content);
        await file.sync();
      } finally {
        await file.close();
      }
      cancel.throwIfAborted();
      await rename(staged, path);
    } catch (error) {
      await rm(staged, { force: true });
      throw error;
    }
  }

  async has(name: string): Promise<boolean> {
    return await access(join(this.#folder, name)).then(
      () => true,
      () => false,
    );
  }
}
