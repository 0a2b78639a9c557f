import type { Recorder } from './recorder.ts';

const PERIOD_MS = 5;
/** A loop that is late by less than this has not spoiled a time stamp that matters. */
const WORTH_RECORDING_MS = 3;

/** Records how late the harness's own event loop is: an instrument that measures its own stalls (architecture rule 8). */
export function observeStalls(recorder: Recorder): () => void {
  let expected = recorder.now() + PERIOD_MS * 1e6;
  const timer = setInterval(() => {
    const now = recorder.now();
    const lateMs = (now - expected) / 1e6;
    if (lateMs > WORTH_RECORDING_MS) {
      recorder.record({ kind: 'stall', begin: expected, t: now, lateMs: Math.round(lateMs * 1000) / 1000 });
    }
    expected = now + PERIOD_MS * 1e6;
  }, PERIOD_MS);
  return () => clearInterval(timer);
}
