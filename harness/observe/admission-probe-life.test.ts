import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { parseStat, processGuard, statReader } from './admission-probe-life.ts';

const stat = (state: string, startTicks: number, name = 'app'): string =>
  `42 (${name}) ${state} 1 42 42 0 -1 4194560 100 0 0 0 1 1 0 0 20 0 1 0 ${startTicks} 1000 100\n`;

describe('the guard of a process', () => {
  it('reads state and start time past any name', () => {
    expect(parseStat(stat('S', 777, 'a) R (b'))).toEqual({ state: 'S', startTicks: 777 });
    expect(parseStat('')).toBeUndefined();
  });

  it.each([
    ['it is a zombie', stat('Z', 5)],
    ['it is dead', stat('X', 5)],
    ['another process has got its pid', stat('S', 6)],
    ['there is nothing to read', ''],
    ['it cannot be read', undefined],
  ])('says no once %s, and never yes again', (_name, next) => {
    const texts = [stat('S', 5), stat('R', 5), next, stat('S', 5)];
    const alive = processGuard(() => {
      const text = texts.shift();
      if (text === undefined) throw new Error('ESRCH');
      return text;
    });
    expect([alive(), alive(), alive(), alive()]).toEqual([true, true, false, false]);
  });

  it('tells a process of this host that lives from one that has ended', async () => {
    const child = spawn('sleep', ['600']);
    const alive = processGuard(statReader(child.pid ?? 0));
    expect(alive()).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(alive()).toBe(false);
    expect(() => statReader(child.pid ?? 0)).toThrow(/ENOENT/);
  });
});
