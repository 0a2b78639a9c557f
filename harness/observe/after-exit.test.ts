import { describe, expect, it } from 'vitest';
import type { ContainerState, RunningContainer } from '../engine/driver.ts';
import type { Observation } from '../model/observation.ts';
import { recordExitState } from './after-exit.ts';
import { createRecorder } from './recorder.ts';

function recorder() {
  const seen: Observation[] = [];
  let now = 0;
  return {
    seen,
    made: createRecorder({ append: (entry) => seen.push(entry), close: () => undefined }, () => (now += 1), []),
  };
}

describe('the exit state', () => {
  it('is read again until the engine no longer shows the container as running', async () => {
    const { made, seen } = recorder();
    const states: ContainerState[] = [
      { running: true, status: 'stopping', oomKilled: false },
      { running: false, status: 'exited', exitCode: 3, oomKilled: false, finishedAtNs: 5n },
    ];
    const container = { name: 'c', inspect: async () => states.shift() } as unknown as RunningContainer;
    await recordExitState(container, made, Number);
    expect(seen).toEqual([
      expect.objectContaining({ kind: 'exit.state', exitCode: 3, status: 'exited', finishedAt: 5 }),
    ]);
  });

  it('carries the OOM kills that the cgroup counted while it ran', async () => {
    const { made, seen } = recorder();
    made.record({ kind: 'oom', source: 'cgroup', kills: 2 });
    const container = {
      name: 'c',
      inspect: async () => ({ running: false, status: 'exited', exitCode: 0, oomKilled: false }),
    } as unknown as RunningContainer;
    await recordExitState(container, made, Number);
    expect(seen.at(-1)).toMatchObject({ cgroupOomKills: 2 });
  });
});
