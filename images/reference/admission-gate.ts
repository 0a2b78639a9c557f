export type AdmissionKind = 'application' | 'control';

/** The right to work; it counts until it is released. Releasing twice counts once. */
export interface AdmissionPermit {
  readonly kind: AdmissionKind;
  release(): void;
}

/**
 * The one place that says whether new work may begin. Created closed, opened once at Ready, closed once for ever.
 * Control work passes while the gate is closed after Ready: it must neither claim nor change anything.
 */
export class AdmissionGate {
  #state: 'starting' | 'open' | 'closed' = 'starting';
  readonly #active = { application: 0, control: 0 };
  #idle: (() => void)[] = [];
  readonly #onClose: (() => void)[] = [];

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** @throws {Error} when it was opened or closed before */
  open(): void {
    if (this.#state !== 'starting') throw new Error(`the admission gate opens once: it is ${this.#state}`);
    this.#state = 'open';
  }

  /** Nothing new is admitted once this returns; what waits for it is told before that. */
  close(): void {
    this.#state = 'closed';
    for (const callback of this.#onClose.splice(0)) callback();
  }

  /** Calls back once, inside `close`. */
  whenClosed(callback: () => void): void {
    this.#onClose.push(callback);
  }

  /** A permit, or undefined when this kind of work is refused. */
  tryEnter(kind: AdmissionKind): AdmissionPermit | undefined {
    if (this.#state === 'starting' || (this.#state === 'closed' && kind === 'application')) return undefined;
    this.#active[kind] += 1;
    let held = true;
    return {
      kind,
      release: () => {
        if (!held) return;
        held = false;
        this.#active[kind] -= 1;
        if (this.active('application') > 0) return;
        for (const resolve of this.#idle.splice(0)) resolve();
      },
    };
  }

  active(kind: AdmissionKind): number {
    return this.#active[kind];
  }

  /** Resolves when no application work is left. */
  drained(): Promise<void> {
    return this.active('application') === 0 ? Promise.resolve() : new Promise((resolve) => this.#idle.push(resolve));
  }
}
