import type { ChildProcessByStdio } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { snapshotReader } from '../observe/snapshot.ts';
import { relayOverPort } from './relay.ts';
import type { RelayFrame } from './relay-frames.ts';
import { addressOf, encodeRelayFrame, RelayFrameReader, relayType } from './relay-frames.ts';
import type { RelayOptions } from './testing/relay-process.suite.ts';
import { startHelper, startRelay } from './testing/relay-process.suite.ts';

const host = '127.0.0.1';
const running: { kill(signal: 'SIGKILL'): unknown }[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

type Target = ChildProcessByStdio<Writable, Readable, null>;

function target(...command: readonly [string, ...string[]]): Target {
  const [program, ...args] = command;
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  running.push(child);
  return child;
}

const sleeper = (): Target => target('sleep', '600');

/** What it says first. */
const word = async ({ stdout }: Target): Promise<string> => String((await once(stdout, 'data'))[0]).trim();

async function killed(child: Target): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function start(options: RelayOptions) {
  const started = await startRelay(options);
  running.push(started.child);
  return started;
}

/** A process with a child that has ended, and for which it never waits: a shell by then is none any more. */
async function withZombie(): Promise<{ readonly parent: Target; readonly zombie: number }> {
  const parent = target('sh', '-c', 'exec 3<&0; (read line <&3) & echo $!; exec sleep 600');
  const zombie = Number(await word(parent));
  while (!readFileSync(`/proc/${parent.pid}/comm`, 'utf8').startsWith('sleep')) await setImmediate();
  parent.stdin.end();
  while (!/^State:\s+Z/m.test(readFileSync(`/proc/${zombie}/status`, 'utf8'))) await setImmediate();
  return { parent, zombie };
}

async function elsewhere(): Promise<number> {
  const child = target('unshare', '-n', 'sh', '-c', 'echo up; exec sleep 600');
  await word(child);
  return child.pid ?? 0;
}

async function reaped(): Promise<number> {
  const child = sleeper();
  await killed(child);
  return child.pid ?? 0;
}

describe('a relay that is to watch a target', { timeout: 60_000 }, () => {
  it('says that it does, where the target is in its network', async () => {
    const { relay } = await start({ pid: sleeper().pid });
    expect(relay.hello.unwatched).toBe('');
    expect(relay.gone).toBeUndefined();
  });

  it.each<[string, () => Promise<number>, string]>([
    ['is in another network', elsewhere, 'it is not in this network'],
    ['has ended and is not reaped', async () => (await withZombie()).zombie, 'it has ended'],
    ['is not there', reaped, 'No such process'],
  ])('says why it does not where the target %s, and shows no processes then', async (_, pidOf, why) => {
    const { relay } = await start({ pid: await pidOf() });
    expect(relay.hello.unwatched).toBe(why);
    await expect(relay.snapshot()).rejects.toThrow(/ESRCH/);
    expect(relay.gone).toBeUndefined();
  });

  it('tells the end of the target between the last look at it alive and the first at it dead', async () => {
    const child = sleeper();
    const begun = process.hrtime.bigint();
    const { relay } = await start({ pid: child.pid });
    const killedAt = process.hrtime.bigint();
    child.kill('SIGKILL');
    const { alive, gone } = await relay.ended;
    expect(relay.gone).toEqual({ alive, gone });
    expect(alive).toBeGreaterThan(begun);
    expect(alive).toBeLessThanOrEqual(gone);
    expect(gone).toBeGreaterThan(killedAt);
    expect(gone).toBeLessThan(process.hrtime.bigint());
  });

  it('tells it to everybody who shares it', async () => {
    const child = sleeper();
    const { relay } = await start({ pid: child.pid });
    const port = relay.port();
    const there = relayOverPort(port);
    const told = once(port, 'message');
    child.kill('SIGKILL');
    await told;
    expect(there.gone).toEqual(await relay.ended);
    there.close();
  });

  it.each<[string, (started: Awaited<ReturnType<typeof start>>) => unknown]>([
    ['lost', ({ child }) => child.kill('SIGKILL')],
    ['closed', ({ relay }) => relay.close()],
  ])('tells no end where it is %s first', async (_, end) => {
    const started = await start({ pid: sleeper().pid });
    end(started);
    await expect(started.relay.ended).rejects.toMatchObject({ code: 'ERELAYLOST' });
    await started.relay.closed;
    expect(started.relay.gone).toBeUndefined();
  });
});

describe('a refusal', { timeout: 60_000 }, () => {
  const program = `
    const server = require('node:net').createServer();
    server.listen(0, '${host}', () => console.log(server.address().port));
    process.stdin.once('data', () => server.close(() => console.log('closed')));`;

  /** The types of what the helper said of a connect to the port of a target, and of the target. */
  async function refused(before: (child: Target, pauseHelper: (pause: boolean) => unknown) => Promise<unknown>) {
    const child = target(process.execPath, '-e', program);
    const port = Number(await word(child));
    const helper = await startHelper({ pid: child.pid });
    running.push(helper);
    const reader = new RelayFrameReader();
    const frames: RelayFrame[] = [];
    helper.stdout.on('data', (chunk: Buffer) => frames.push(...reader.push(chunk)));
    await once(helper.stdout, 'data'); // it has said hello
    const pause = (paused: boolean): unknown => {
      if (!paused) helper.stdin.write(encodeRelayFrame(1, relayType.open, addressOf(host, port)));
      return helper.kill(paused ? 'SIGSTOP' : 'SIGCONT');
    };
    await before(child, pause);
    while (!frames.some(({ type }) => type === relayType.failed)) await once(helper.stdout, 'data');
    const failed = frames.find(({ type }) => type === relayType.failed);
    expect(failed?.payload.toString('latin1', 8)).toBe('ECONNREFUSED');
    return frames.map(({ type }) => type);
  }

  it('by a target that closed its listener and lives comes with no word of its end', async () => {
    const types = await refused(async (child, pause) => {
      child.stdin.write('close');
      await word(child);
      pause(false);
    });
    expect(types).toEqual([relayType.hello, relayType.failed]);
  });

  it('since the target is dead comes after the word of its end', async () => {
    const types = await refused(async (child, pause) => {
      await killed(child);
      pause(false);
    });
    expect(types).toEqual([relayType.hello, relayType.gone, relayType.failed]);
  });

  it('does so also where the helper gets to see both at once', async () => {
    const types = await refused(async (child, pause) => {
      pause(true);
      await killed(child);
      pause(false);
    });
    expect(types).toEqual([relayType.hello, relayType.gone, relayType.failed]);
  });
});

describe('the processes of a target', { timeout: 60_000 }, () => {
  it('are shown with a zombie that no cgroup lists', async () => {
    const { parent, zombie } = await withZombie();
    const { relay } = await start({ pid: parent.pid });
    const list = await snapshotReader(async () => await relay.snapshot()).list();
    const shown = (wanted: number | undefined) => list.find(({ pid }) => pid === wanted);
    expect(list).toHaveLength(2);
    expect(shown(parent.pid)).toMatchObject({ ppid: process.pid, args: ['sleep', '600'], threads: 1 });
    expect(shown(parent.pid)?.caught).toMatch(/^[0-9a-f]{16}$/);
    expect(shown(zombie)).toMatchObject({ ppid: parent.pid, state: 'Z' });
  });

  it('are none once it has ended, whoever has its number then', async () => {
    const child = sleeper();
    const { relay } = await start({ pid: child.pid });
    child.kill('SIGKILL');
    await relay.ended;
    expect(await relay.snapshot()).toBe('{"ev":"end"}\n');
    expect(await snapshotReader(async () => await relay.snapshot()).list()).toEqual([]);
  });

  it('are shown in whole where the relay is closed right after them', async () => {
    const { relay } = await start({ pid: sleeper().pid });
    const whole = await relay.snapshot();
    relay.close(); // an error that nobody listens for would be the end of this process
    await relay.closed;
    expect(whole).toMatch(/"ev":"end".*\n$/);
  });

  it('cannot be asked for where no target is named, or the relay is lost', async () => {
    const { relay, child } = await start({});
    await expect(relay.snapshot()).rejects.toThrow(/ESRCH/);
    child.kill('SIGKILL');
    await relay.closed;
    await expect(relay.snapshot()).rejects.toMatchObject({ code: 'ERELAYLOST' });
  });
});
