import type { Progress } from './progress.ts';

/** Ctrl-C and its kin, caught for the length of a run. */
export interface Interrupts {
  /** Aborted by the first one, with the signal's name as reason. */
  readonly signal: AbortSignal;
  release(): void;
}

const CAUGHT: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** The first signal ends the run in order: containers gone, partial report kept. A second one ends the process at once. */
export function catchInterrupts(progress: Progress): Interrupts {
  const controller = new AbortController();
  const onSignal = (name: NodeJS.Signals): void => {
    if (controller.signal.aborted) process.exit(70);
    progress.say(
      `${name}: ending the run, removing its containers and writing the report; once more ends at once and leaves them to the next run`,
    );
    controller.abort(name);
  };
  for (const name of CAUGHT) process.on(name, onSignal);
  return {
    signal: controller.signal,
    release: () => {
      for (const name of CAUGHT) process.off(name, onSignal);
    },
  };
}
