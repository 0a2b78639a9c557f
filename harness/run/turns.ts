import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Lanes } from './lanes.ts';
import type { Dependencies } from './with-dependencies.ts';

const folder = '.turns';

/**
 * The cells of one target on one engine, over all worker processes: one after the other where a dependency is reset
 * between them, else side by side. `directory` is that of the run.
 */
export class Turns {
  readonly #directory: string;
  readonly #queues = new Map<string, Lanes>();

  constructor(directory: string) {
    this.#directory = join(directory, folder);
  }

  /** Do something when it is its turn. */
  async within<T>(
    of: { readonly engine: string; readonly target: string; readonly dependencies: Dependencies | undefined },
    work: () => Promise<T>,
  ): Promise<T> {
    const isReset = of.dependencies?.running.some(({ reset }) => reset !== undefined) ?? false;
    return isReset ? await this.#queue(JSON.stringify([of.engine, of.target])).within('alone', work) : await work();
  }

  /** Remove what waiting left on disk, once nobody waits any more. */
  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #queue(key: string): Lanes {
    const name = createHash('sha256').update(key).digest('hex').slice(0, 12);
    const queue = this.#queues.get(name) ?? new Lanes(join(this.#directory, name));
    this.#queues.set(name, queue);
    return queue;
  }
}
