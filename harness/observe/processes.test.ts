import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { processReader } from './processes.ts';

describe('the process reader', () => {
  beforeAll(() => {
    if (process.platform !== 'linux') throw new Error('the process reader needs /proc: run its tests on Linux');
  });

  it('shows a process with its arguments, state and masks, and none that has ended', async () => {
    const child = spawn('sleep', ['1000']);
    await once(child, 'spawn');
    const reader = await processReader(child.pid ?? 0);
    const before = (await reader.list()).find(({ pid }) => pid === child.pid);
    expect(before).toMatchObject({ comm: 'sleep', args: ['sleep', '1000'], ppid: process.pid, threads: 1 });
    expect(before?.caught).toMatch(/^[0-9a-f]{16}$/);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect((await reader.list()).find(({ pid }) => pid === child.pid)).toBeUndefined();
  });

  it('shows a zombie, which no cgroup lists', async () => {
    // the shell becomes a sleep, which never waits for the child that it inherits; that one ends when told to
    const parent = spawn('sh', ['-c', 'exec 3<&0; (read line <&3) & exec sleep 1000']);
    await once(parent, 'spawn');
    while (!readFileSync(`/proc/${parent.pid}/comm`, 'utf8').startsWith('sleep')) await setImmediate();
    parent.stdin.end();
    const reader = await processReader(parent.pid ?? 0);
    const zombie = async () => (await reader.list()).find(({ ppid, state }) => ppid === parent.pid && state === 'Z');
    // ends when one is seen; a reader that sees none never ends
    while ((await zombie()) === undefined) await setImmediate();
    parent.kill('SIGKILL');
    await once(parent, 'exit');
  });

  it('lists nothing for a process that is gone', async () => {
    expect(await (await processReader(2 ** 22 + 1)).list()).toEqual([]);
  });
});
