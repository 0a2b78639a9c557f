import { setTimeout as sleep } from 'node:timers/promises';
import type { Recorder } from './recorder.ts';

const PERIOD_MS = 50;
/** A round trip that takes no longer has not spoiled a time stamp that matters. */
const WORTH_RECORDING_MS = 15;
/**
 * Less than a request may take that counts as hung (1 s), by more than a period: what the way to the target swallowed for
 * so long is not the service's.
 */
const STALLED_MS = 900;

/**
 * Sends a beat through a sidecar's relay over and over: an answer that is late is a `stall`, and one that does not come
 * in time a fault of the way to the engine, from when the beat was sent, since a service behind it looks like one that
 * hangs. Gives what ends it.
 */
export function observeRelayStalls(
  relay: { beat(): Promise<void> },
  recorder: Recorder,
  { periodMs = PERIOD_MS, stalledMs = STALLED_MS }: { readonly periodMs?: number; readonly stalledMs?: number } = {},
): () => void {
  const over = new AbortController();
  const loop = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const begin = recorder.now();
      const limit = setTimeout(() => {
        if (over.signal.aborted) return;
        const message = `the way to the sidecar was blocked for more than ${stalledMs} ms`;
        recorder.record({ kind: 'fault', t: begin, where: 'engine', message });
      }, stalledMs);
      try {
        await relay.beat();
      } finally {
        clearTimeout(limit);
      }
      const t = recorder.now();
      const lateMs = Math.round((t - begin) / 1000) / 1000;
      if (lateMs > WORTH_RECORDING_MS && !over.signal.aborted) recorder.record({ kind: 'stall', begin, t, lateMs });
      await sleep(periodMs, undefined, { signal: over.signal });
    }
  };
  loop().catch(() => undefined); // a relay that is lost is told of by itself
  return () => over.abort();
}
