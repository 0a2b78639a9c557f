import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { processIdentity } from '../run/owner.ts';
import { BOX_IMAGE } from './container-setup.suite.ts';
import { requireImage } from './driver-contract.suite.ts';
import type { EngineDriver, RunningContainer } from './driver.ts';

/** Says what an earlier life left in its layer and in its volume, leaves something in both, and ends with 7 at SIGTERM. */
export const LEAVES_SOMETHING = [
  '/bin/sh',
  '-c',
  'trap "echo bye; exit 7" TERM; cat /left /kept/left; echo layer >/left; echo volume >/kept/left; echo ready; sleep 1000 & wait',
];

/** One engine as the suite needs it. */
export interface StartedAgain {
  readonly title: string;
  open(): EngineDriver;
}

interface Seen {
  stdout: string;
  readonly ended: Promise<void>;
  readonly hooks: Parameters<RunningContainer['startAgain']>[0];
  saw(text: string): Promise<void>;
}

function listener(): Seen {
  const end = Promise.withResolvers<void>();
  const watchers: (() => void)[] = [];
  const seen: Seen = {
    stdout: '',
    ended: end.promise,
    hooks: {
      onOutput: (stream, chunk) => {
        if (stream === 'stdout') seen.stdout += chunk.toString();
        for (const watch of watchers) watch();
      },
      onOutputEnd: () => end.resolve(),
    },
    saw: (text) =>
      new Promise((resolve) => {
        const watch = (): void => {
          if (seen.stdout.includes(text)) resolve();
        };
        watchers.push(watch);
        watch();
      }),
  };
  return seen;
}

/** What is promised of a container that is started again after its end. */
export function startAgain(engine: StartedAgain): void {
  describe(`${engine.title} starts a container again`, () => {
    const run = `again-${randomUUID().slice(0, 8)}`;
    const ownership = { run, owner: processIdentity() };
    const never = new AbortController().signal;
    let driver: EngineDriver;
    let image: string;
    let count = 0;

    beforeAll(async () => {
      driver = engine.open();
      image = await requireImage(driver, BOX_IMAGE);
    });
    afterEach(async () => {
      for (const object of await driver.owned()) if (object.run === run) await driver.removeOwned(object);
    });
    afterAll(() => driver?.close());

    async function firstLife(): Promise<RunningContainer> {
      const name = `lfq-${run}-${++count}`;
      const seen = listener();
      const volumes = [{ path: '/kept' }];
      const spec = { name, image, command: LEAVES_SOMETHING, volumes, env: {}, ownership };
      const container = await driver.start(spec, seen.hooks);
      await seen.saw('ready');
      expect(seen.stdout).toBe('ready\n');
      return container;
    }

    async function end(container: RunningContainer): Promise<void> {
      expect(await container.kill('TERM')).toBe('delivered');
      expect(await container.ended(never)).toMatchObject({ running: false, exitCode: 7 });
    }

    it('on what it left in its layer and its volume, as the same one with another PID 1', async () => {
      const first = await firstLife();
      const { id, name, pid } = first;
      await end(first);
      const seen = listener();
      const second = await first.startAgain(seen.hooks);
      await seen.saw('ready');
      expect(seen.stdout).toBe('layer\nvolume\nready\n');
      expect(second).toMatchObject({ id, name });
      expect(second.pid).toBeGreaterThan(0);
      expect(second.pid).not.toBe(pid);
      expect(await second.inspect()).toMatchObject({ running: true, pid: second.pid });
      await second.remove();
      await seen.ended;
    });

    it('delivers all output of the second life, and sees its end and its status', async () => {
      const first = await firstLife();
      await end(first);
      const seen = listener();
      const second = await first.startAgain(seen.hooks);
      await seen.saw('ready');
      await end(second);
      await seen.ended;
      expect(seen.stdout).toBe('layer\nvolume\nready\nbye\n');
    });

    it('tells the events of the first life before, and those of both after', async () => {
      const first = await firstLife();
      await end(first);
      const actions = async (): Promise<readonly string[]> => (await first.events()).map(({ action }) => action);
      const count = (list: readonly string[], action: string): number => list.filter((one) => one === action).length;
      const before = await actions();
      expect([count(before, 'start'), count(before, 'die') + count(before, 'died')]).toEqual([1, 1]);
      const seen = listener();
      const second = await first.startAgain(seen.hooks);
      await seen.saw('ready');
      await end(second);
      const after = await actions();
      expect(after.slice(0, before.length)).toEqual(before);
      expect(count(after, 'start')).toBe(2);
    });
  });
}
