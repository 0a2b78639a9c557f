import type { Observation } from '../model/observation.ts';
import type { Recorder } from '../observe/recorder.ts';
import { createRecorder } from '../observe/recorder.ts';

/** A recorder of a test, and what it has seen; `until` resolves once something is on record. */
export interface Watched {
  readonly recorder: Recorder;
  readonly seen: Observation[];
  until(found: (entry: Observation) => boolean): Promise<void>;
}

export function watchedRecorder(): Watched {
  const seen: Observation[] = [];
  const watchers = new Set<() => void>();
  const append = (entry: Observation): void => {
    seen.push(entry);
    for (const watch of watchers) watch();
  };
  const recorder = createRecorder({ append, close: () => undefined }, () => Number(process.hrtime.bigint()), []);
  const until = (found: (entry: Observation) => boolean): Promise<void> =>
    new Promise((resolve) => {
      const watch = (): void => {
        if (seen.some(found)) resolve();
      };
      watchers.add(watch);
      watch();
    });
  return { recorder, seen, until };
}
