import type { RunningContainer } from '../engine/driver.ts';
import { sendSignal } from '../inject/signal.ts';
import type { Recorder } from '../observe/recorder.ts';
import { isItsPid1 } from './life.ts';

/** Containers whose PID 1 is a process of this host. */
const known = new WeakSet<RunningContainer>();

/** One signal of a script, through the engine or from this host. False where that cannot be. Throws as sendSignal does. */
export async function sendBy(
  by: 'host' | undefined,
  container: RunningContainer,
  recorder: Recorder,
  signal: string,
): Promise<boolean> {
  if (by === 'host') return await sendFromHost(container, recorder, signal);
  await sendSignal(container, recorder, signal, 'script');
  return true;
}

/**
 * One signal to PID 1 by kill(2) of this host, recorded as one through the engine is: two of these come within a
 * millisecond, which no engine does (engines.md section 2). False, with what is missing on record, where the number that
 * the engine gives is not PID 1 here, or may not be signalled.
 */
async function sendFromHost(container: RunningContainer, recorder: Recorder, signal: string): Promise<boolean> {
  const lacking = (why: string): false => {
    const reason = `two signals closer than an engine sends them: ${why}`;
    const declare = '--engine docker or podman, local and run as root';
    recorder.record({ kind: 'capability.missing', capability: 'direct', reason, declare });
    return false;
  };
  // looked at once, so that nothing comes between two of them
  if (!known.has(container) && !(await isItsPid1(container)))
    return lacking(`pid ${container.pid} of this host is not PID 1 of the container`);
  known.add(container);
  const purpose = 'script';
  const n = recorder.observations.filter((seen) => seen.kind === 'signal.sent').length + 1;
  const begin = recorder.now();
  try {
    process.kill(container.pid, `SIG${signal}`);
    const t = recorder.now();
    recorder.record({ kind: 'signal.sent', t: begin, n, signal, purpose });
    recorder.record({ kind: 'signal.delivered', begin, t, n, signal, purpose });
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH') return lacking(`it may not be signalled from here (${code})`);
    const message = 'the process is gone';
    recorder.record({ kind: 'signal.sent', t: begin, n, signal, purpose });
    recorder.record({ kind: 'signal.failed', begin, n, signal, purpose, message, ended: true });
    return true;
  }
}
