import type { Clock } from '../clock.ts';

/** Lets everything that promises have set in motion come to rest. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A clock that stands still until it is told to go on. */
export class VirtualClock implements Clock {
  #now = 0;
  readonly #timers = new Set<{ readonly at: number; readonly callback: () => void }>();

  now(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#now + ms, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** How many timers still run: a finished stop leaves none. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Goes on by `ms`, calling timers in their order, each followed by what it sets in motion. */
  async advance(ms: number): Promise<void> {
    await settle();
    const end = this.#now + ms;
    for (;;) {
      const next = [...this.#timers].filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.#timers.delete(next);
      this.#now = next.at;
      next.callback();
      await settle();
    }
    this.#now = end;
  }
}
