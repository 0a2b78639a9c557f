import type { RunningContainer } from '../engine/driver.ts';
import type { SignalPurpose } from '../model/observation.ts';
import type { Recorder } from '../observe/recorder.ts';

/**
 * One signal to PID 1 through the engine's kill API, awaited (architecture rule 11). Call and return are both recorded:
 * the signal happened between them. Throws the driver's EngineError after recording `signal.failed`.
 */
export async function sendSignal(
  container: RunningContainer,
  recorder: Recorder,
  signal: string,
  purpose: SignalPurpose,
): Promise<void> {
  const n = recorder.observations.filter((seen) => seen.kind === 'signal.sent').length + 1;
  const sent = recorder.record({ kind: 'signal.sent', n, signal, purpose });
  try {
    const answer = await container.kill(signal);
    const t = recorder.now();
    if (answer === 'delivered') recorder.record({ kind: 'signal.delivered', begin: sent.t, t, n, signal, purpose });
    else {
      const message = 'the engine says that the container no longer runs';
      recorder.record({ kind: 'signal.failed', begin: sent.t, t, n, signal, purpose, message, ended: true });
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    recorder.record({ kind: 'signal.failed', begin: sent.t, n, signal, purpose, message, ended: false });
    throw error;
  }
}
