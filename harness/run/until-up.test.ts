import { describe, expect, it } from 'vitest';
import type { Standing } from '../observe/listening.ts';
import { UpWatch } from './until-up.ts';

/** What is seen from a moment on, ms: its listeners, its processes, and how much it has worked by then. */
interface Moment {
  readonly at: number;
  readonly ports?: readonly number[];
  readonly loopback?: readonly number[];
  readonly runs?: readonly string[];
  /** Of each ms from here on it works so much of it. */
  readonly load?: number;
  readonly ended?: true;
}

/** A container that goes through these moments, on a clock that only sleeping moves. */
function watched(moments: readonly Moment[], more: { exposed?: readonly number[]; blind?: true } = {}) {
  let now = 1000;
  const since = (): number => now - 1000;
  const present = (): Moment => moments.findLast(({ at }) => at <= since()) ?? { at: 0 };
  const look = async (): Promise<Standing> => {
    const { ports = [], loopback = [], runs = ['server'], ended } = present();
    const processes = ended
      ? []
      : runs.map((comm, index) => ({ ...idleProcess, comm, args: [comm], nsPid: index + 1 }));
    const listener = (from: 'reachable' | 'loopback') => (port: number) => ({ port, from });
    return { processes, listeners: [...ports.map(listener('reachable')), ...loopback.map(listener('loopback'))] };
  };
  const workMs = async (): Promise<number> =>
    moments.reduce((sum, { at, load = 0 }, index) => {
      const until = Math.min(moments[index + 1]?.at ?? Infinity, since());
      return sum + Math.max(0, until - at) * load;
    }, 0);
  const sleep = async (ms: number): Promise<void> => {
    now += ms;
  };
  const watch = new UpWatch({
    look,
    ...(more.blind ? {} : { workMs }),
    everyMs: 50,
    exposed: more.exposed ?? [],
    clock: { now: () => now, sleep },
    stopped: () => false,
  });
  return { watch, since, until: async (want: 'up' | 'idle' = 'up') => [await watch.until(want, 31_000), since()] };
}

const idleProcess = { pid: 9, ppid: 1, state: 'S', threads: 1, caught: '', ignored: '', blocked: '' };

describe('a container is up', () => {
  it.each<[string, readonly Moment[], readonly number[], string, number]>([
    ['as soon as what it listens on stays', [{ at: 0 }, { at: 100, ports: [80] }], [80], 'listening', 300],
    ['on a port that its image does not expose', [{ at: 0, ports: [80] }], [], 'listening', 200],
    [
      'once its workers are there',
      [{ at: 0 }, { at: 100, ports: [80] }, { at: 200, ports: [80], runs: ['server', 'worker'] }],
      [80],
      'listening',
      400,
    ],
    [
      'when the second exposed port is there too',
      [{ at: 0 }, { at: 100, ports: [80] }, { at: 900, ports: [80, 443] }],
      [80, 443],
      'listening',
      1100,
    ],
    ['without a port when it does nothing any more', [{ at: 0, load: 0.5 }, { at: 1000 }], [], 'idle', 2400],
    ['with loopback alone when it does nothing any more', [{ at: 0, loopback: [80] }], [], 'idle', 1500],
    ['without an exposed port only after longer', [{ at: 0, ports: [80] }], [80, 443], 'idle', 3000],
    ['although a timer of it ticks', [{ at: 0, load: 0.01 }], [], 'idle', 1500],
    ['late while it works on and listens on nothing', [{ at: 0, load: 0.5 }], [80], 'late', 30_000],
    [
      'not at all once it has ended',
      [
        { at: 0, ports: [80] },
        { at: 100, ended: true },
      ],
      [80],
      'ended',
      100,
    ],
  ])('%s', async (_, moments, exposed, state, at) => {
    expect(await watched(moments, { exposed }).until()).toEqual([state, at]);
  });

  it('although its processes come and go, when its port stays', async () => {
    const flicker = Array.from({ length: 40 }, (_, n) => ({ at: n * 50, ports: [80], runs: ['sh', `step-${n}`] }));
    expect(await watched(flicker, { exposed: [80] }).until()).toEqual(['listening', 1500]);
  });

  it('where its work is not seen, when nothing has changed for longer', async () => {
    const { until } = watched([{ at: 0 }, { at: 500, runs: ['server', 'worker'] }], { blind: true });
    expect(await until()).toEqual(['idle', 2500]);
  });

  it('and was quiet since before it was asked something, or only since then', async () => {
    const { watch, until } = watched([
      { at: 0, ports: [80] },
      { at: 400, ports: [80], load: 1 },
      { at: 1000, ports: [80] },
    ]);
    expect(await until()).toEqual(['listening', 200]);
    expect(watch.quietSince).toBe(1000);
    expect(await until('idle')).toEqual(['idle', 2500]);
    expect(watch.quietSince).toBeGreaterThan(1900);
  });
});
