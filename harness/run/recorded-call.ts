import type { Recorder } from '../observe/recorder.ts';

/** Wraps an engine call into an `engine.call` observation: the overhead figure and engine faults rest on them. */
export async function engineCall<T>(recorder: Recorder, call: string, run: () => Promise<T>): Promise<T> {
  const begin = recorder.now();
  try {
    const result = await run();
    recorder.record({ kind: 'engine.call', begin, call });
    return result;
  } catch (error) {
    recorder.record({
      kind: 'engine.call',
      begin,
      call,
      error: error instanceof Error ? error.message : String(error),
    });
    throw error;
  }
}
