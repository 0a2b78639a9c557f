import type { Mask } from '../model/mask.ts';
import { createMask } from '../model/mask.ts';
import type { Draft, Observation } from '../model/observation.ts';
import type { Nanoseconds } from '../model/time.ts';

/** Where observations go; store/ writes them to disk as they come. */
export interface ObservationSink {
  append(observation: Observation): void;
  close(): void;
}

/** A draft whose time is left to the recorder gets the moment it is recorded. */
export type UntimedDraft = Draft extends infer D
  ? D extends { t: Nanoseconds }
    ? Omit<D, 't'> & { t?: Nanoseconds }
    : never
  : never;

/** The only writer of a history: gives the sequence number and masks what must not be written. */
export interface Recorder {
  now(): Nanoseconds;
  /** What every text is written through. */
  readonly mask: Mask;
  record(draft: UntimedDraft): Observation;
  /** Observations so far, for waits: a wait polls what was recorded, never the engine. */
  readonly observations: readonly Observation[];
  close(): void;
}

/** `now` is the run clock; `secrets` are replaced by `***` in every text before it is written (architecture rule 14). */
export function createRecorder(sink: ObservationSink, now: () => Nanoseconds, secrets: readonly string[]): Recorder {
  const observations: Observation[] = [];
  const mask = createMask(secrets);
  let closed = false;
  return {
    now,
    mask,
    observations,
    record(draft) {
      const t = draft.t ?? now();
      const observation = mask.value(
        { seq: observations.length + 1, t, ...draft, ...(draft.t === undefined ? { t } : {}) } as Observation,
        OURS,
      );
      observations.push(observation);
      if (!closed) sink.append(observation);
      return observation;
    },
    close() {
      if (closed) return;
      closed = true;
      sink.close();
    },
  };
}

/** Words of our own vocabulary: a secret that happens to be one of them must not change what an observation says. */
const OURS: ReadonlySet<string> = new Set([
  'kind',
  'stream',
  'signal',
  'purpose',
  'moment',
  'fate',
  'state',
  'by',
  'mode',
]);
