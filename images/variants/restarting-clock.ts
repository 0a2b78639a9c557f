import type { Clock } from '../reference/clock.ts';
import { systemClock } from '../reference/clock.ts';

/** Starts every timer anew when it is told to. */
export class RestartingClock implements Clock {
  readonly #pending = new Set<{ readonly ms: number; readonly callback: () => void; disarm: () => void }>();

  now(): number {
    return systemClock.now();
  }

  after(ms: number, callback: () => void): () => void {
    const entry = { ms, callback, disarm: (): void => undefined };
    this.#pending.add(entry);
    this.#arm(entry);
    return () => {
      this.#pending.delete(entry);
      entry.disarm();
    };
  }

  /** Each gets its whole time once more, and so much on top. */
  restart(moreMs = 0): void {
    for (const entry of this.#pending) {
      entry.disarm();
      this.#arm(entry, moreMs);
    }
  }

  #arm(entry: { readonly ms: number; readonly callback: () => void; disarm: () => void }, moreMs = 0): void {
    entry.disarm = systemClock.after(entry.ms + moreMs, () => {
      this.#pending.delete(entry);
      entry.callback();
    });
  }
}
