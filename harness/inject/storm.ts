import type { RunningContainer } from '../engine/driver.ts';
import type { Recorder } from '../observe/recorder.ts';
import { sendSignal } from './signal.ts';

/**
 * One signal after another to PID 1, each awaited (architecture rule 11), until so many are sent, the time is over or PID 1
 * has ended: what is missing of the count was more than the engine can deliver in that time. Throws as `sendSignal` does.
 */
export async function sendStorm(
  container: RunningContainer,
  recorder: Recorder,
  storm: { readonly signal: string; readonly count: number; readonly withinMs: number; readonly ended: AbortSignal },
): Promise<void> {
  const until = recorder.now() + storm.withinMs * 1e6;
  for (let sent = 0; sent < storm.count && recorder.now() < until && !storm.ended.aborted; sent += 1) {
    await sendSignal(container, recorder, storm.signal, 'script');
  }
}
