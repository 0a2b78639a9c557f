import type { ShutdownContext } from './shutdown-context.ts';

/** Owns something that must be released before the process ends. */
export interface Participant {
  readonly name: string;
  /** Bounds its own work by `context.remaining()`; once `context.cancellation` fires it starts nothing durable. */
  shutdown(context: ShutdownContext): Promise<void>;
}

/** The participants of a stop, run one by one in reverse order of registration, under the stop's one deadline. */
export class CleanUp {
  readonly #participants: Participant[] = [];
  #sealed = false;

  /** @throws {Error} for a name that is taken, and once the service is ready */
  register(participant: Participant): void {
    if (this.#sealed) throw new Error(`clean-up ${participant.name} comes too late: the service is ready`);
    if (this.#participants.some(({ name }) => name === participant.name))
      throw new Error(`clean-up ${participant.name} is registered already: give it another name`);
    this.#participants.push(participant);
  }

  seal(): void {
    this.#sealed = true;
  }

  /** Runs each of them; one that fails does not keep the next from running. Resolves with what went wrong. */
  async run(context: ShutdownContext): Promise<readonly Error[]> {
    const errors: Error[] = [];
    for (const participant of this.#participants.toReversed()) {
      try {
        await participant.shutdown(context);
      } catch (cause) {
        errors.push(new Error(`clean-up ${participant.name} failed: ${String(cause)}`, { cause }));
      }
    }
    return errors;
  }
}
