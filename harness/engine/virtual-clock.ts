const NS_PER_MS = 1_000_000n;

/** A clock that stands still until it is told to go on. */
export interface VirtualClock {
  /** Nanoseconds since the epoch. */
  now(): bigint;
  /** Goes on by `ms`, waking sleepers in the order of their times; resolves when they have acted. */
  advance(ms: number): Promise<void>;
  /** Resolves when the clock has gone on by `ms`; rejects with the reason of `abort`. */
  sleep(ms: number, abort?: AbortSignal): Promise<void>;
}

export interface VirtualClockOptions {
  /** @default 2030-01-01T00:00:00Z */
  readonly startNs?: bigint;
  /** Jump to the next sleeper whenever nothing else is left to do. @default false: only `advance` moves time */
  readonly auto?: boolean;
}

interface Sleeper {
  readonly dueNs: bigint;
  wake(): void;
}

/** Lets everything that can run without time run. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A virtual clock for tests: no real waiting. */
export function virtualClock(options: VirtualClockOptions = {}): VirtualClock {
  let nowNs = options.startNs ?? 1_893_456_000_000_000_000n;
  const sleepers: Sleeper[] = [];
  let jumping = false;

  /** Wakes the earliest sleeper that is due by `limitNs`; of equals the one who came first. */
  function wakeNext(limitNs?: bigint): boolean {
    const next = sleepers.reduce<Sleeper | undefined>(
      (a, b) => (a === undefined || b.dueNs < a.dueNs ? b : a),
      undefined,
    );
    if (next === undefined || (limitNs !== undefined && next.dueNs > limitNs)) return false;
    if (next.dueNs > nowNs) nowNs = next.dueNs;
    sleepers.splice(sleepers.indexOf(next), 1);
    next.wake();
    return true;
  }

  async function jump(): Promise<void> {
    if (jumping) return;
    jumping = true;
    await settle();
    while (wakeNext()) await settle();
    jumping = false;
  }

  return {
    now: () => nowNs,
    advance: async (ms) => {
      const targetNs = nowNs + BigInt(Math.round(ms * Number(NS_PER_MS)));
      await settle();
      while (wakeNext(targetNs)) await settle();
      nowNs = targetNs;
      await settle();
    },
    sleep: (ms, abort) =>
      new Promise((resolve, reject) => {
        if (abort?.aborted) return reject(abort.reason);
        const onAbort = (): void => {
          sleepers.splice(sleepers.indexOf(sleeper), 1);
          reject(abort?.reason);
        };
        const sleeper: Sleeper = {
          dueNs: nowNs + BigInt(Math.round(ms * Number(NS_PER_MS))),
          wake: () => {
            abort?.removeEventListener('abort', onAbort);
            resolve();
          },
        };
        sleepers.push(sleeper);
        abort?.addEventListener('abort', onAbort, { once: true });
        if (options.auto) void jump();
        return undefined;
      }),
  };
}
