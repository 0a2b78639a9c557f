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
  /** A text as it is written: with declared secrets replaced. */
  mask(text: string): string;
  record(draft: UntimedDraft): Observation;
  /** Observations so far, for waits: a wait polls what was recorded, never the engine. */
  readonly observations: readonly Observation[];
  close(): void;
}

/** `now` is the run clock; `secrets` are replaced by `***` in every text before it is written (architecture rule 14). */
export function createRecorder(sink: ObservationSink, now: () => Nanoseconds, secrets: readonly string[]): Recorder {
  const observations: Observation[] = [];
  const hidden = secrets.filter((secret) => secret.length > 0).toSorted((a, b) => b.length - a.length);
  let closed = false;
  return {
    now,
    mask: (text) => masked(text, hidden),
    observations,
    record(draft) {
      const t = draft.t ?? now();
      const observation = masked(
        { seq: observations.length + 1, t, ...draft, ...(draft.t === undefined ? { t } : {}) } as Observation,
        hidden,
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

function masked<T>(value: T, secrets: readonly string[]): T {
  if (secrets.length === 0) return value;
  if (typeof value === 'string')
    return secrets.reduce<string>((text, secret) => text.replaceAll(secret, '***'), value) as T;
  if (Array.isArray(value)) return value.map((item) => masked(item, secrets)) as T;
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value).map(([key, item]) => [key, OURS.has(key) ? item : masked(item, secrets)]);
    return Object.fromEntries(entries) as T;
  }
  return value;
}
