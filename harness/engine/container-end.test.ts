import { describe, expect, it } from 'vitest';
import { endedAfterRefusal, untilEnded } from './container-end.ts';
import type { ContainerState } from './driver.ts';

const RUNNING: ContainerState = { running: true, status: 'running', oomKilled: false };
const STOPPED: ContainerState = { running: false, status: 'stopped', exitCode: 3, oomKilled: false };
const never = new AbortController().signal;
const forever = (): Promise<never> => new Promise(() => undefined);

/** A pause that only an abort ends: what goes on was woken by something else. */
const endless = (_ms: number, abort: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (abort.aborted) reject(abort.reason);
    abort.addEventListener('abort', () => reject(abort.reason));
  });

/** Inspect gives these states in turn, then the last one for ever. */
function inspectGiving(...states: readonly ContainerState[]) {
  let looks = 0;
  return async () => states[Math.min(looks++, states.length - 1)] ?? STOPPED;
}

describe('untilEnded', () => {
  it('needs nothing but inspect when the container has ended already', async () => {
    expect(await untilEnded({ inspect: inspectGiving(STOPPED), outputEnd: forever() }, never)).toBe(STOPPED);
  });

  it('looks again when the output ends', async () => {
    const sources = { inspect: inspectGiving(RUNNING, STOPPED), outputEnd: Promise.resolve(), pause: endless };
    expect(await untilEnded(sources, never)).toBe(STOPPED);
  });

  it('looks ever more slowly at a process that only closed its output, and rarely while it is open', async () => {
    const states = [...Array.from({ length: 6 }, () => RUNNING), STOPPED];
    const pausesOf = async (outputEnd: Promise<void>): Promise<readonly number[]> => {
      const pauses: number[] = [];
      const pause = async (ms: number): Promise<void> => void pauses.push(ms);
      await untilEnded({ inspect: inspectGiving(...states), outputEnd, pause }, never);
      return pauses;
    };
    expect((await pausesOf(Promise.resolve())).slice(-4)).toEqual([10, 20, 50, 50]);
    expect(await pausesOf(forever())).toEqual([500, 500, 500, 500, 500, 500]);
  });

  it('looks again when the wait of the engine returns or breaks', async () => {
    const waits = [async () => 0, () => Promise.reject(new Error('cut off'))];
    for (const wait of waits) {
      const sources = { inspect: inspectGiving(RUNNING, STOPPED), outputEnd: forever(), wait, pause: endless };
      expect(await untilEnded(sources, never)).toBe(STOPPED);
    }
  });

  it('fails as inspect fails', async () => {
    const inspect = () => Promise.reject(new Error('engine lost'));
    await expect(untilEnded({ inspect, outputEnd: forever() }, never)).rejects.toThrow('engine lost');
  });

  it('rejects with the reason it is aborted for, and ends the wait of the engine', async () => {
    const abort = new AbortController();
    let waitEnded = false;
    const wait = (signal: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          waitEnded = true;
          resolve();
        });
      });
    const ended = untilEnded({ inspect: inspectGiving(RUNNING), outputEnd: forever(), wait }, abort.signal);
    abort.abort(new Error('enough'));
    await expect(ended).rejects.toThrow('enough');
    expect(waitEnded).toBe(true);
  });

  it('asks nothing when it is aborted before it begins', async () => {
    const inspect = () => Promise.reject(new Error('asked'));
    const ended = untilEnded({ inspect, outputEnd: forever() }, AbortSignal.abort(new Error('enough')));
    await expect(ended).rejects.toThrow('enough');
  });

  it('ends the wait of the engine when the end was found otherwise', async () => {
    let waited: AbortSignal | undefined;
    const wait = (signal: AbortSignal): Promise<never> => {
      waited = signal;
      return forever();
    };
    await untilEnded({ inspect: inspectGiving(STOPPED), outputEnd: forever(), wait }, never);
    expect(waited?.aborted).toBe(true);
  });
});

describe('endedAfterRefusal', () => {
  const atOnce = async (): Promise<void> => undefined;

  it('looks again at a container that an engine refused to signal and still shows as running', async () => {
    expect(await endedAfterRefusal(inspectGiving(RUNNING, RUNNING, STOPPED), atOnce)).toBe(true);
  });

  it('believes the container where it goes on running', async () => {
    expect(await endedAfterRefusal(inspectGiving(RUNNING), atOnce)).toBe(false);
  });
});
