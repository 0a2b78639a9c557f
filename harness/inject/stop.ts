import type { RunningContainer } from '../engine/driver.ts';
import type { Recorder } from '../observe/recorder.ts';

/** The engine's own stop, as `docker stop` and `podman stop` do it. `timeoutS` absent: the engine's default. */
export async function engineStop(
  container: RunningContainer,
  recorder: Recorder,
  mode: 'default' | 'given',
  timeoutS?: number,
): Promise<void> {
  const timeout = timeoutS === undefined ? {} : { timeoutS };
  const called = recorder.record({ kind: 'stop.called', mode, ...timeout });
  try {
    await container.stop(timeoutS);
    recorder.record({ kind: 'stop.returned', begin: called.t, mode, ...timeout });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    recorder.record({ kind: 'stop.returned', begin: called.t, mode, ...timeout, error: message });
    throw error;
  }
}
