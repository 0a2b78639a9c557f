import type { Capability } from '../model/clause.ts';
import type { Load } from '../model/scenario.ts';
import type { Endpoints } from '../model/target.ts';
import type { Recorder } from '../observe/recorder.ts';
import type { Access } from '../wire/connection.ts';

/** Work or a connection that the service holds because of us. */
export interface HeldWork {
  /** Resolves when its fate is known and recorded; never rejects. */
  readonly ended: Promise<void>;
  /** Complete our part, and record `work.finished`. Nothing to do for work that ends by itself or never. */
  finish(): void;
  /** Complete a half-sent upgrade; resolves once what came of it is on record. Absent where it is none. */
  upgrade?(): Promise<void>;
  /** Give it up: record `held` if nothing has happened to it, and close. */
  release(): Promise<void>;
}

/** What a shape gets. `$column` values are resolved already. */
export interface TrafficContext {
  /** Unique within the history; shapes add a number: `drain-1`. */
  readonly id: string;
  /** The way in that the load asks for. */
  readonly access: Access;
  readonly endpoints: Endpoints;
  readonly recorder: Recorder;
  /** Milliseconds of a time expression over the terms in force. */
  readonly time: (expression: string) => number;
}

/** Held, or what is missing: said before the signal, never a failure of the image. */
export type Started =
  | { readonly held: readonly HeldWork[] }
  | { readonly missing: { readonly capability: Capability; readonly reason: string; readonly declare: string } };

/**
 * One traffic shape: puts its load on the service, proves that it is held, and records `work.held` for each piece, later
 * `work.ended` with its exact fate. What the service cannot hold is `work.failed` with everything that was tried, and
 * `missing`.
 */
export type TrafficShape<S extends Load['shape']> = (
  load: Extract<Load, { shape: S }>,
  context: TrafficContext,
) => Promise<Started>;
