import { EXIT } from '../judge/exit-codes.ts';
import type { Progress } from './progress.ts';

/** Ctrl-C and its kin, caught for the length of a run. */
export interface Interrupts {
  /** Aborted by the first one, with the signal's name as reason. */
  readonly signal: AbortSignal;
  /** What `work` gives, or a rejection as soon as a signal comes: a long transfer is not waited for. */
  or<T>(work: Promise<T>): Promise<T>;
  release(): void;
}

/** An engine call that was given up may keep the process alive; it has this long, ms, after the report is written. */
const LINGER_MS = 1000;

const CAUGHT: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** The first signal ends the run in order: containers gone, partial report kept. A second one ends the process at once. */
export function catchInterrupts(progress: Progress): Interrupts {
  const controller = new AbortController();
  const onSignal = (name: NodeJS.Signals): void => {
    if (controller.signal.aborted) process.exit(EXIT.fault);
    progress.say(
      `${name}: ending the run, removing its containers and writing the report; once more ends at once and leaves them to the next run`,
    );
    controller.abort(name);
  };
  for (const name of CAUGHT) process.on(name, onSignal);
  return {
    signal: controller.signal,
    async or(work) {
      work.catch(() => undefined); // given up, it may still fail later
      const interrupted = new Promise<never>((_, reject) => {
        const stop = (): void => reject(new Error(`interrupted by ${String(controller.signal.reason)}`));
        if (controller.signal.aborted) stop();
        controller.signal.addEventListener('abort', stop, { once: true });
      });
      interrupted.catch(() => undefined);
      return await Promise.race([work, interrupted]);
    },
    release: () => {
      if (controller.signal.aborted) setTimeout(() => process.exit(), LINGER_MS).unref();
      for (const name of CAUGHT) process.off(name, onSignal);
    },
  };
}
