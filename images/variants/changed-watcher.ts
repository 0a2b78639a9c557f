import type { ShutdownReason } from '../reference/signal-watcher.ts';
import { ShutdownWatcher } from '../reference/signal-watcher.ts';

type Next = () => Promise<ShutdownReason>;
type Change = (next: Next) => Promise<ShutdownReason>;

/** The first signal, and those after it, are what `first` and `second` make of what the watcher would say next. */
export class Changed extends ShutdownWatcher {
  readonly #inner: ShutdownWatcher;
  readonly #first: Change;
  readonly #second: Change;
  #asked = 0;

  constructor(inner: ShutdownWatcher, { first, second }: { readonly first?: Change; readonly second?: Change }) {
    super();
    this.#inner = inner;
    this.#first = first ?? ((next) => next());
    this.#second = second ?? ((next) => next());
  }

  override next(): Promise<ShutdownReason> {
    this.#asked += 1;
    return this.#asked === 1 ? this.#first(() => this.#inner.next()) : this.#second(() => this.#inner.next());
  }
}

/** Calls back at the second and every later signal. */
export const onLaterSignal = (callback: () => void): void => {
  let first = true;
  const received = (): void => {
    if (!first) callback();
    first = false;
  };
  process.on('SIGTERM', received);
  process.on('SIGINT', received);
};
