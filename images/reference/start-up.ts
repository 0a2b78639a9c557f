/** One step of the start. */
export interface StartUpPhase {
  readonly name: string;
  /** Rejects soon after it is cancelled. */
  run(cancel: AbortSignal): Promise<void>;
  /** Takes back what it has begun; called also where it was cancelled in the middle. */
  undo?(): Promise<void>;
}

/** Phases one after the other, until one fails or all are cancelled. */
export class StartUp {
  readonly #phases: readonly StartUpPhase[];
  readonly #begun: StartUpPhase[] = [];
  readonly #cancel = new AbortController();

  constructor(phases: readonly StartUpPhase[]) {
    this.#phases = phases;
  }

  async run(): Promise<void> {
    for (const phase of this.#phases) {
      this.#cancel.signal.throwIfAborted();
      this.#begun.push(phase);
      await phase.run(this.#cancel.signal);
    }
  }

  /** Cancels the phase under way and takes back all that was begun, the last first. It never rejects. */
  async abort(): Promise<void> {
    this.#cancel.abort();
    for (const phase of this.#begun.toReversed()) await phase.undo?.().catch(() => undefined);
  }
}
