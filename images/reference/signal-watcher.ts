export type ShutdownReason = 'Interrupt' | 'Terminate' | 'Programmatic';

/** What the watcher needs of `process`. */
export interface SignalSource {
  on(signal: string, handler: () => void): unknown;
}

const REASONS = { SIGINT: 'Interrupt', SIGTERM: 'Terminate' } as const;

/**
 * Owns the signal handlers. `install` registers them at once, so that a process cannot become ready before it has
 * them; signals that come before somebody waits are kept, in order (STA-1).
 */
export class ShutdownWatcher {
  readonly #pending: ShutdownReason[] = [];
  readonly #waiting: ((reason: ShutdownReason) => void)[] = [];

  static install(source: SignalSource = process): ShutdownWatcher {
    const watcher = new ShutdownWatcher();
    for (const [signal, reason] of Object.entries(REASONS)) source.on(signal, () => watcher.#received(reason));
    return watcher;
  }

  #received(reason: ShutdownReason): void {
    const first = this.#waiting.shift();
    if (first) first(reason);
    else this.#pending.push(reason);
  }

  /** Resolves with the next signal's reason. */
  next(): Promise<ShutdownReason> {
    const reason = this.#pending.shift();
    return reason === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(reason);
  }
}
