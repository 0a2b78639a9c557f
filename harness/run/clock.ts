import type { Nanoseconds } from '../model/time.ts';

/** The one time axis of a history: CLOCK_MONOTONIC of the harness host, in ns since an origin (architecture rule 2). */
export interface RunClock {
  readonly origin: { readonly monotonic: string; readonly realtime: string };
  now(): Nanoseconds;
  /** A CLOCK_MONOTONIC stamp made by another thread, process or local container. */
  fromMonotonic(ns: bigint): Nanoseconds;
  /** A CLOCK_REALTIME stamp of an engine whose clock is `offsetMs` ahead of this host's. */
  fromRealtime(ns: bigint, offsetMs: number): Nanoseconds;
}

/** Both readings of an instant may be so far apart, ns; more is tried again. */
const TOGETHER_NS = 200_000n;
const TRIES = 50;

interface Instant {
  readonly monotonic: bigint;
  readonly realtime: bigint;
  /** From the reading before the tick to the one after it, ns. */
  readonly width: bigint;
}

/** Both clocks as the millisecond tick of CLOCK_REALTIME comes (at most 1 ms), since Node reads no finer. */
function atTick(): Instant {
  const first = Date.now();
  for (;;) {
    const monotonic = process.hrtime.bigint();
    const tick = Date.now();
    if (tick !== first) {
      return { monotonic, realtime: BigInt(tick) * 1_000_000n, width: process.hrtime.bigint() - monotonic };
    }
  }
}

/** Both clocks at one instant: a process that is held up between the two readings would shift every time of the engine. */
function simultaneous(): Instant {
  let best = atTick();
  for (let tries = 1; best.width > TOGETHER_NS && tries < TRIES; tries += 1) {
    const next = atTick();
    if (next.width < best.width) best = next;
  }
  return best;
}

/** A clock whose zero is now. */
export function startClock(): RunClock {
  const { monotonic, realtime } = simultaneous();
  return {
    origin: { monotonic: String(monotonic), realtime: String(realtime) },
    now: () => Number(process.hrtime.bigint() - monotonic),
    fromMonotonic: (ns) => Number(ns - monotonic),
    fromRealtime: (ns, offsetMs) => Number(ns - realtime) - Math.round(offsetMs * 1e6),
  };
}
