/**
 * Times in a history are integer nanoseconds since the history's origin (`Header.origin`), on the harness host's
 * CLOCK_MONOTONIC. A JavaScript number holds 104 days of them exactly.
 */
export type Nanoseconds = number;

/** A closed interval on the history's time axis. What happened, happened somewhere inside it (architecture rule 3). */
export interface Interval {
  readonly begin: Nanoseconds;
  readonly end: Nanoseconds;
}

/** A measured length of time in milliseconds: the best estimate and the bounds that certainly contain the truth. */
export interface Measurement {
  readonly valueMs: number;
  readonly lowMs: number;
  readonly highMs: number;
  /** Which reading this is: the host's monotonic clock watching the process, or the engine's own timestamps. */
  readonly by: 'host' | 'engine';
}
