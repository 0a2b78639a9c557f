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

/** Both clocks at one instant: the millisecond tick of CLOCK_REALTIME is awaited (at most 1 ms), since Node reads no finer. */
function simultaneous(): { monotonic: bigint; realtime: bigint } {
  const first = Date.now();
  for (;;) {
    const before = process.hrtime.bigint();
    const tick = Date.now();
    if (tick !== first) return { monotonic: before, realtime: BigInt(tick) * 1_000_000n };
  }
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
