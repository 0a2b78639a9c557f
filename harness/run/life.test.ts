import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildHelper, helperPath } from '../../scripts/build-helper.ts';
import type { RunningContainer } from '../engine/driver.ts';
import { fakeEngine } from '../engine/fake.ts';
import type { Observation } from '../model/observation.ts';
import type { SeenExit } from '../observe/kernel.ts';
import { createRecorder } from '../observe/recorder.ts';
import { startClock } from './clock.ts';
import { watchLife } from './life.ts';

beforeAll(() => buildHelper({ all: false, say: () => undefined }), 60_000);
const ending: (() => unknown)[] = [];
afterEach(() => {
  for (const end of ending.splice(0)) end();
});

/** PID 1 of a namespace of its own. */
async function pid1(): Promise<number> {
  const parent = spawn('unshare', ['--pid', '--fork', '--kill-child', 'sh', '-c', 'echo up; exec sleep 600']);
  ending.push(() => parent.kill('SIGKILL'));
  await once(parent.stdout, 'data');
  return Number(readFileSync(`/proc/${parent.pid}/task/${parent.pid}/children`, 'utf8').trim());
}

/** A life that this host can see or not, with a sidecar that tells of its end as told. */
async function watch(local: boolean, gone: Promise<SeenExit>, ended: Promise<void> = new Promise(() => undefined)) {
  const pid = await pid1();
  const clock = startClock();
  const seen: Observation[] = [];
  const sink = { append: (entry: Observation) => seen.push(entry), close: () => undefined };
  const recorder = createRecorder(sink, clock.now, []);
  const life = await watchLife({
    engine: { ...(await fakeEngine({ images: {} }).facts()), local },
    driver: fakeEngine({ images: {} }),
    // every cgroup has an empty id
    container: { id: '', pid, ended: async () => await ended } as unknown as RunningContainer,
    recorder,
    clock,
    helper: helperPath(process.arch),
    outputEnded: new Promise(() => undefined),
    sidecar: { gone, reader: { list: async () => [], oomKills: async () => undefined } },
  });
  const exits = () => seen.filter(({ kind }) => kind === 'exit.seen');
  return { pid, life, exits, seen };
}

describe('the end of PID 1', () => {
  it('is recorded once, by the kernel of this host, where that can be seen, sidecar or not', async () => {
    const { pid, life, exits, seen } = await watch(true, Promise.resolve({ begin: 1, t: 2 }));
    expect(life.ended.aborted).toBe(false);
    expect(seen.filter(({ kind }) => kind === 'process.events')).toHaveLength(1);
    process.kill(pid, 'SIGKILL');
    expect(await life.endedWithin(30_000)).toBe(true);
    await life.close();
    expect(exits()).toMatchObject([{ by: 'pidfd' }]);
    expect(exits()[0]?.t).toBeGreaterThan(2);
  });

  it('is recorded once, as the sidecar saw it, where this host cannot', async () => {
    const { life, exits } = await watch(false, Promise.resolve({ begin: 1, t: 2 }), Promise.resolve());
    expect(await life.endedWithin(30_000)).toBe(true);
    await life.close();
    expect(exits()).toMatchObject([{ by: 'pidfd', begin: 1, t: 2 }]);
  });

  it('is recorded once, as the engine tells it, where the sidecar was lost first', async () => {
    const lost = Promise.reject(new Error('lost'));
    lost.catch(() => undefined);
    const { life, exits } = await watch(false, lost, Promise.resolve());
    expect(await life.endedWithin(30_000)).toBe(true);
    await life.close();
    expect(exits()).toMatchObject([{ by: 'engine' }]);
  });
});
