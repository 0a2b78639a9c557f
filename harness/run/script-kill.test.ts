import { expect, it } from 'vitest';
import type { RunningContainer } from '../engine/driver.ts';
import { basisOf, cellOf } from '../judge/testing/history-builder.ts';
import type { Observation } from '../model/observation.ts';
import { createRecorder } from '../observe/recorder.ts';
import type { Life } from './life.ts';
import { runScript } from './script.ts';

/** A container that has a signal delivered and lives on; `dies` by SIGKILL or not even by that. */
async function stopOf(dies: boolean): Promise<readonly Observation[]> {
  const seen: Observation[] = [];
  const recorder = createRecorder({ append: (entry) => seen.push(entry), close: () => undefined }, () => 1, []);
  const ended = new AbortController();
  const life: Partial<Life> = {
    ended: ended.signal,
    trouble: new Promise(() => undefined),
    kernelEvents: false,
    endedWithin: async () => ended.signal.aborted,
  };
  const kill = async (signal: string): Promise<'delivered'> => {
    if (signal === 'KILL' && dies) ended.abort();
    return 'delivered';
  };
  const context = {
    scenario: {
      script: [
        { step: 'signal', signal: 'TERM' },
        { step: 'exited', within: '1s' },
      ],
    },
    container: { kill } as Partial<RunningContainer>,
    recorder,
    life,
    basis: basisOf(),
    cell: cellOf(),
  };
  await runScript(context as unknown as Parameters<typeof runScript>[0]);
  return seen;
}

const faultsOf = (seen: readonly Observation[]): readonly unknown[] => seen.filter(({ kind }) => kind === 'fault');

// DKR-06: a main process that is a zombie with a thread in the kernel is shown as running for ever.
it('a process that not even SIGKILL ends is a fault of engine or kernel, and is waited for no longer', async () => {
  expect(faultsOf(await stopOf(false))).toMatchObject([
    { where: 'engine', message: expect.stringMatching(/still there 10 s after SIGKILL/) },
  ]);
});

it('one that SIGKILL ends is none', async () => {
  expect(faultsOf(await stopOf(true))).toEqual([]);
});
