import { closeSync, openSync, writeSync } from 'node:fs';
import { StoreError } from '../model/errors.ts';

/** A killed process loses at most this much of what it had seen. */
export const BATCH_MS = 10;
const batchBytes = 256 * 1024;

/** An append-only file that gathers writes for at most BATCH_MS and then writes them at once, synchronously. */
export class BatchedFile {
  readonly path: string;
  readonly #descriptor: number;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #failure: StoreError | undefined;
  #closed = false;

  /** Creates the file; throws StoreError where it exists, since no two runs write one history. */
  constructor(path: string) {
    this.path = path;
    try {
      this.#descriptor = openSync(path, 'wx');
    } catch (error) {
      throw new StoreError(`cannot create ${path}: ${(error as Error).message}`, { cause: error });
    }
  }

  /** Throws StoreError once the file is closed or an earlier batch could not be written. */
  append(data: string | Buffer): void {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#closed) throw new StoreError(`cannot append to ${this.path}: it is closed`);
    const bytes = typeof data === 'string' ? Buffer.from(data) : data;
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes >= batchBytes) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), BATCH_MS);
  }

  /** Writes what is pending now. A failure is kept and thrown by the next append or close: a timer has nobody to tell. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#pendingBytes === 0 || this.#failure !== undefined) return;
    const bytes = Buffer.concat(this.#pending);
    this.#pending = [];
    this.#pendingBytes = 0;
    try {
      for (let written = 0; written < bytes.length; ) written += writeSync(this.#descriptor, bytes, written);
    } catch (error) {
      this.#failure = new StoreError(`cannot write ${this.path}: ${(error as Error).message}`, { cause: error });
    }
  }

  /** Flushes and closes; again is nothing. Throws StoreError where anything could not be written. */
  close(): void {
    if (this.#closed) return;
    this.flush();
    this.#closed = true;
    closeSync(this.#descriptor);
    if (this.#failure !== undefined) throw this.#failure;
  }
}
