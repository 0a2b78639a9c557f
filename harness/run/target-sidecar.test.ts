import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import type { EngineDriver, RunningContainer, SidecarSpec } from '../engine/driver.ts';
import { fakeEngine } from '../engine/fake.ts';
import { EngineError } from '../model/errors.ts';
import { startHelper } from '../wire/testing/relay-process.suite.ts';
import { openSidecar, seenExit } from './target-sidecar.ts';

const ending: (() => unknown)[] = [];
afterEach(() => {
  for (const end of ending.splice(0)) end();
});

/** A target that is a plain process, and an engine whose sidecars are plain helpers. */
async function open(startSidecar?: EngineDriver['startSidecar']) {
  const target = spawn('sleep', ['600']);
  ending.push(() => target.kill('SIGKILL'));
  const specs: SidecarSpec[] = [];
  const helper = await startHelper({ pid: target.pid });
  ending.push(() => helper.kill('SIGKILL'));
  const lost: string[] = [];
  const opened = await openSidecar({
    driver: {
      ...fakeEngine({ images: {} }),
      startSidecar:
        startSidecar ??
        (async (spec) => {
          specs.push(spec);
          return { id: 's', input: helper.stdin, output: helper.stdout, remove: async () => undefined };
        }),
    },
    container: { id: 'c', name: 'lfq-c', pid: target.pid } as RunningContainer,
    image: 'helper:1',
    ownership: { run: 'r', owner: 'o' },
    fromMonotonic: Number,
    onLost: (reason) => lost.push(reason),
  });
  return { opened, target, helper, specs, lost };
}

describe('the sidecar of a target', { timeout: 60_000 }, () => {
  it('shares its network, sees the host’s processes, and shows its processes and its end', async () => {
    const { opened, target, specs, lost } = await open();
    if ('refused' in opened) throw new Error(opened.refused);
    expect(specs).toEqual([
      {
        name: 'lfq-c-sidecar',
        image: 'helper:1',
        command: ['relay', String(target.pid)],
        network: { container: 'c' },
        hostProcesses: true,
        ownership: { run: 'r', owner: 'o' },
      },
    ]);
    expect(await opened.reader?.list()).toMatchObject([{ pid: target.pid, comm: 'sleep' }]);
    const killedAt = Number(process.hrtime.bigint());
    target.kill('SIGKILL');
    const seen = await opened.gone;
    expect(seen?.begin).toBeLessThanOrEqual(seen?.t ?? 0);
    expect(seen?.t).toBeGreaterThan(killedAt);
    expect(await opened.reader?.list()).toEqual([]);
    await opened.remove();
    await opened.relay.closed;
    expect(lost).toEqual([]);
  });

  it('that ends before it is removed is told as lost, and its target’s end is not known by it', async () => {
    const { opened, helper, lost } = await open();
    if ('refused' in opened) throw new Error(opened.refused);
    helper.kill('SIGKILL');
    await opened.relay.closed;
    expect(lost).toEqual([expect.stringMatching(/^the sidecar was lost/)]);
    await expect(opened.gone).rejects.toMatchObject({ code: 'ERELAYLOST' });
  });

  it('that the engine does not start is refused with its words', async () => {
    const { opened } = await open(async () => Promise.reject(new EngineError('container c is not running')));
    expect(opened).toEqual({ refused: 'container c is not running' });
  });

  it('of an engine that is lost is that error', async () => {
    const opening = open(async () => Promise.reject(new EngineError('no answer', { lost: true })));
    await expect(opening).rejects.toThrow('no answer');
  });

  it('that runs and ends without a word is an error, not a refusal, and leaves nothing', async () => {
    const removed: string[] = [];
    const opening = open(async ({ name }) => {
      const mute = spawn('true', { stdio: ['pipe', 'pipe', 'inherit'] });
      await once(mute, 'spawn');
      return { id: 's', input: mute.stdin, output: mute.stdout, remove: async () => void removed.push(name) };
    });
    await expect(opening).rejects.toThrow(/the sidecar was lost/);
    expect(removed).toEqual(['lfq-c-sidecar']);
  });
});

describe('the end of a target by another clock', () => {
  const end = { alive: 1_000_000n, gone: 1_000_500n };

  it('is where that clock says on the same kernel', () => {
    expect(seenExit(end, [{ offsetNs: 0n, errorNs: 0n }], Number)).toEqual({ begin: 1_000_000, t: 1_000_500 });
  });

  it('lies in all that the two measurements of its offset leave open', () => {
    const offsets = [
      { offsetNs: 100n, errorNs: 10n },
      { offsetNs: 140n, errorNs: 5n },
    ];
    expect(seenExit(end, offsets, Number)).toEqual({ begin: 1_000_000 - 145, t: 1_000_500 - 90 });
  });
});
