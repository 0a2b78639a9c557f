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

  restart(): void {
    for (const entry of this.#pending) {
      entry.disarm();
      this.#arm(entry);
    }
  }

  #arm(entry: { readonly ms: number; readonly callback: () => void; disarm: () => void }): void {
    entry.disarm = systemClock.after(entry.ms, () => {
      this.#pending.delete(entry);
      entry.callback();
    });
  }
}
