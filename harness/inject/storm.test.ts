import { describe, expect, it } from 'vitest';
import type { RunningContainer } from '../engine/driver.ts';
import type { Observation } from '../model/observation.ts';
import { createRecorder } from '../observe/recorder.ts';
import { sendStorm } from './storm.ts';

/** A clock that only the kills move, and a container that ends with the signal of this number. */
function stage({ callMs = 5, endsWith = Number.POSITIVE_INFINITY } = {}) {
  const written: Observation[] = [];
  const ended = new AbortController();
  let nowMs = 0;
  let open = 0;
  let kills = 0;
  const recorder = createRecorder(
    { append: (seen) => written.push(seen), close: () => undefined },
    () => nowMs * 1e6,
    [],
  );
  const kill = async (): Promise<'delivered'> => {
    open += 1;
    expect(open).toBe(1);
    await Promise.resolve();
    nowMs += callMs;
    kills += 1;
    open -= 1;
    if (kills === endsWith) ended.abort();
    return 'delivered';
  };
  const container = { kill } as unknown as RunningContainer;
  const storm = { signal: 'TERM', count: 20, withinMs: 1000, ended: ended.signal };
  const delivered = (): number => written.filter(({ kind }) => kind === 'signal.delivered').length;
  return { container, recorder, storm, delivered };
}

describe('a storm of signals', () => {
  it.each([
    ['is as many as were asked for, one awaited before the next', {}, 20],
    ['is as many as go within its time', { callMs: 300 }, 4],
    ['ends with the service', { endsWith: 3 }, 3],
  ])('%s', async (_, setting, count) => {
    const { container, recorder, storm, delivered } = stage(setting);
    await sendStorm(container, recorder, storm);
    expect(delivered()).toBe(count);
  });
});
