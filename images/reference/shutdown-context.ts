import type { Clock } from './clock.ts';
import type { ShutdownReason } from './signal-watcher.ts';

/** Time for emergency clean-up after the graceful deadline, ms. Fixed: no setting lengthens a stop. */
export const MANDATORY_CLEANUP_FLOOR_MS = 250;

/**
 * One absolute deadline for the whole shutdown, shared by everything that takes part in it: nobody gets the full
 * period for himself. Deadlines only ever move nearer.
 */
export class ShutdownContext {
  readonly reason: ShutdownReason;
  /** When shutdown was accepted, on the clock's axis, ms. */
  readonly acceptedAt: number;
  readonly #clock: Clock;
  readonly #cancel = new AbortController();
  #deadline: number;
  #hardDeadline: number;
  #disarm: () => void;
  #expired = false;

  constructor(reason: ShutdownReason, graceMs: number, clock: Clock) {
    this.reason = reason;
    this.#clock = clock;
    this.acceptedAt = clock.now();
    this.#deadline = this.acceptedAt + graceMs;
    this.#hardDeadline = this.#deadline + MANDATORY_CLEANUP_FLOOR_MS;
    this.#disarm = clock.after(graceMs, () => {
      this.#expired = graceMs > 0;
      this.#cancel.abort();
    });
  }

  /** The graceful period ran out by itself: such a stop is never called graceful. A period of 0 cannot run out. */
  get expired(): boolean {
    return this.#expired;
  }

  /** Aborted when the graceful deadline passes or the drain collapses. */
  get cancellation(): AbortSignal {
    return this.#cancel.signal;
  }

  /** Milliseconds left of the graceful period, never below 0. */
  remaining(): number {
    return Math.max(0, this.#deadline - this.#clock.now());
  }

  /** Milliseconds left until the process must be gone, never below 0. */
  remainingHard(): number {
    return Math.max(0, this.#hardDeadline - this.#clock.now());
  }

  elapsed(): number {
    return this.#clock.now() - this.acceptedAt;
  }

  /** A second signal: the drain ends now, and only the floor is left of the earlier of both hard deadlines (SIG-7). */
  collapse(): void {
    const now = this.#clock.now();
    this.#deadline = Math.min(this.#deadline, now);
    this.#hardDeadline = Math.min(this.#hardDeadline, now + MANDATORY_CLEANUP_FLOOR_MS);
    this.#disarm();
    this.#cancel.abort();
  }

  /** Takes the timer back once the stop is over. */
  close(): void {
    this.#disarm();
  }
}
