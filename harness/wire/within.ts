import { setTimeout as sleep } from 'node:timers/promises';

/** What a promise says, undefined where it takes longer. Leaves no timer behind. */
export async function within<T>(promise: Promise<T>, limitMs: number): Promise<T | undefined> {
  const stop = new AbortController();
  const limit = sleep(limitMs, undefined, { signal: stop.signal }).catch(() => undefined);
  const first = await Promise.race([promise, limit]);
  stop.abort();
  return first ?? undefined;
}
