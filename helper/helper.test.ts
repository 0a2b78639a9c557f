import { once } from 'node:events';
import { readlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildHelper, helperPath } from '../scripts/build-helper.ts';

type Line = Readonly<Record<string, unknown>> & { readonly ev: string };

const helper = helperPath(process.arch);
const clocks = { mono: expect.stringMatching(/^\d+$/), rt: expect.stringMatching(/^\d{19}$/) };

beforeAll(() => buildHelper({ all: false, say: () => undefined }), 60_000);

/** A running helper whose lines are read one by one. Closing its input is up to the test. */
const start = (...args: readonly string[]) => {
  const child = execa(helper, args, { reject: false, stdin: 'pipe', buffer: false });
  const lines: Line[] = [];
  const reader = createInterface({ input: child.stdout });
  reader.on('line', (text) => lines.push(JSON.parse(text) as Line));
  const until = async (wanted: (line: Line) => boolean): Promise<Line> => {
    for (;;) {
      const line = lines.find(wanted);
      if (line) return line;
      await once(reader, 'line');
    }
  };
  return { child, lines, until, ev: (name: string) => until((line) => line.ev === name) };
};

const freePort = async (): Promise<string> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return String(typeof address === 'object' ? address?.port : address);
};

const run = (...args: readonly string[]) => execa(helper, args, { reject: false, input: '' });

describe('the helper', () => {
  it.each([0, 7, 255])('exit %i ends with that status', async (code) => {
    expect((await run('exit', String(code))).exitCode).toBe(code);
  });

  it.each([
    [[], /^usage: /],
    [['no-such'], /^usage: /],
    [['exit'], /^usage: /],
    [['exit', '256'], /CODE must be a whole number from 0 to 255, got 256/],
    [['exact', '5x'], /MS must be a whole number from 0 to 86400000, got 5x/],
    [['probe', 'localhost', '80', '1', '0'], /ADDR must be an IP address, got localhost/],
  ])('refuses %j with 64 and a sentence', async (args, sentence) => {
    const { exitCode, stderr } = await run(...args);
    expect([exitCode, stderr]).toEqual([64, expect.stringMatching(sentence)]);
  });

  it('says its version', async () => {
    expect((await run('--version')).stdout).toMatch(/^lfq-helper \d+\.\d+\.\d+$/);
  });

  it('lines prints exactly as many lines as asked', async () => {
    const { exitCode, stdout } = await run('lines', '1000');
    expect(exitCode).toBe(0);
    expect(stdout.split('\n')).toEqual(Array.from({ length: 1000 }, (_, n) => `line ${n + 1}`));
  });
});

describe('exact', () => {
  it.each([
    ['0', 0],
    ['50', 3],
  ])('ends %s ms after the first signal, never earlier, and says so in this order', async (delay, code) => {
    const { child, lines, ev } = start('exact', delay, String(code));
    await ev('ready');
    child.kill('SIGTERM');
    expect((await child).exitCode).toBe(code);
    expect(lines).toEqual([
      { ev: 'ready', pid: child.pid, ...clocks },
      { ev: 'signal', signo: 15, ...clocks },
      { ev: 'exit', code, ...clocks },
    ]);
    const [, signal, exit] = lines.map((line) => BigInt(String(line['mono'])));
    expect(Number((exit ?? 0n) - (signal ?? 0n)) / 1e6).toBeGreaterThanOrEqual(Number(delay));
  });

  it('prints further signals and keeps the time of the first', async () => {
    const { child, lines, until, ev } = start('exact', '1000');
    await ev('ready');
    child.kill('SIGTERM');
    await ev('signal');
    for (const [name, number] of [
      ['SIGINT', 2],
      ['SIGHUP', 1],
      ['SIGQUIT', 3],
      ['SIGUSR1', 10],
    ] as const) {
      child.kill(name);
      await until((line) => line['signo'] === number);
    }
    expect((await child).exitCode).toBe(0);
    expect(lines.map((line) => line['signo']).filter(Boolean)).toEqual([15, 2, 1, 3, 10]);
  });
});

describe('wait and hold', () => {
  it.each([
    ['hold', 'SIGTERM', { exitCode: 0 }],
    ['hold', 'SIGINT', { exitCode: 0 }],
    ['wait', 'SIGTERM', { signal: 'SIGTERM' }],
  ] as const)('%s at %s', async (subcommand, signal, end) => {
    const { child, ev } = start(subcommand);
    await ev('ready');
    child.kill(signal);
    expect(await child).toMatchObject(end);
  });
});

describe('serve and probe', () => {
  it('tells an answer from a refusal, and the server ends with 0 at TERM', async () => {
    const port = await freePort();
    const server = start('serve', port);
    await server.ev('listening');
    const answered = await run('probe', '127.0.0.1', port, '2', '1');
    server.child.kill('SIGTERM');
    expect((await server.child).exitCode).toBe(0);
    const refused = await run('probe', '127.0.0.1', port, '1', '0');
    const outcomes = `${answered.stdout}\n${refused.stdout}`.split('\n').map((text) => JSON.parse(text) as Line);
    expect(outcomes.map(({ outcome, status, detail }) => ({ outcome, status, detail }))).toEqual([
      { outcome: 'answered', status: 200 },
      { outcome: 'answered', status: 200 },
      { outcome: 'refused', detail: 'ECONNREFUSED' },
    ]);
  });
});

describe('snapshot', () => {
  it('shows a process with its masks: this one catches nothing and blocks nothing', async () => {
    const waiting = start('wait');
    await waiting.ev('ready');
    const { stdout } = await run('snapshot');
    waiting.child.kill('SIGKILL');
    const lines = stdout.split('\n').map((text) => JSON.parse(text) as Line);
    expect(lines.find((line) => line['pid'] === waiting.child.pid)).toEqual({
      ev: 'process',
      pid: waiting.child.pid,
      nsPid: expect.any(Number),
      ppid: process.pid,
      comm: expect.stringMatching(/^lfq-helper/),
      args: [helper, 'wait'],
      state: 'S',
      threads: 1,
      caught: '0000000000000000',
      ignored: expect.stringMatching(/1000$/), // SIGPIPE
      blocked: '0000000000000000',
    });
    expect(lines.at(-1)?.ev).toBe('end');
  });

  it('of a tree shows descendants alone, a zombie among them', async () => {
    // what follows `exec` reaps nothing
    const shell = execa('sh', ['-c', `${helper} wait & ${helper} wait & exec ${helper} wait`], {
      reject: false,
      stdout: 'pipe',
      buffer: false,
    });
    let ready = 0;
    for await (const _ of createInterface({ input: shell.stdout })) if (++ready === 3) break;
    const pid = shell.pid ?? 0;
    const of = async (): Promise<readonly Line[]> =>
      (await run('snapshot', String(pid), 'tree')).stdout.split('\n').map((text) => JSON.parse(text) as Line);
    const childrenIn = (lines: readonly Line[]): readonly Line[] => lines.filter((line) => line['ppid'] === pid);
    const pids = childrenIn(await of()).map((child) => Number(child['pid']));
    process.kill(pids[0] ?? 0, 'SIGKILL');
    let lines: readonly Line[] = [];
    // ends when one is seen; a snapshot that shows none never ends
    while (!childrenIn(lines).some(({ state }) => state === 'Z')) lines = await of();
    const children = childrenIn(lines);
    for (const child of [pids[1] ?? 0, pid]) process.kill(child, 'SIGKILL');
    await shell;
    expect(lines.map(({ ev }) => ev)).toEqual(['snapshot', 'process', 'process', 'process', 'end']);
    expect(lines[1]).toMatchObject({ pid, args: [helper, 'wait'] });
    expect(children.map(({ state }) => state).toSorted()).toEqual(['S', 'Z']);
  });

  it('of a tree whose process has ended is empty and whole, of that process alone a mistake', async () => {
    const ended = execa('true');
    await ended;
    const tree = await run('snapshot', String(ended.pid), 'tree');
    expect(tree.exitCode).toBe(0);
    expect(tree.stdout.split('\n').map((text) => (JSON.parse(text) as Line).ev)).toEqual(['snapshot', 'end']);
    expect((await run('snapshot', String(ended.pid))).exitCode).toBe(69);
  });

  it('takes no other word after PID', async () => {
    const { exitCode, stderr } = await run('snapshot', '1', 'forest');
    expect(exitCode).toBe(64);
    expect(stderr).toContain('only `tree` may stand, got forest');
  });
});

describe('watch', () => {
  it('sees the end of a process, between its last sign of life and now', async () => {
    const target = start('wait');
    await target.ev('ready');
    const watch = start('watch', String(target.child.pid));
    expect(await watch.ev('attached')).toMatchObject({ members: 1 });
    target.child.kill('SIGKILL');
    const gone = await watch.ev('gone');
    expect(BigInt(String(gone['alive']))).toBeLessThanOrEqual(BigInt(String(gone['mono'])));
    expect((await watch.child).exitCode).toBe(0);
  });

  it('ends when its input closes, though the process lives on', async () => {
    const target = start('wait');
    await target.ev('ready');
    const watch = start('watch', String(target.child.pid));
    await watch.ev('attached');
    watch.child.stdin.end();
    expect((await watch.child).exitCode).toBe(0);
    expect(watch.lines.map((line) => line.ev)).not.toContain('gone');
    target.child.kill('SIGKILL');
  });

  it('says that there is nothing to watch', async () => {
    const { exitCode, stderr } = await run('watch', '2147483647');
    expect([exitCode, stderr]).toEqual([69, expect.stringContaining('cannot watch process 2147483647')]);
  });

  it('has process events from the kernel, or says why not', async () => {
    const target = start('wait');
    await target.ev('ready');
    const watch = start('watch', String(target.child.pid));
    const attached = await watch.ev('attached');
    watch.child.stdin.end();
    target.child.kill('SIGKILL');
    expect(attached['connector'] === true || typeof attached['reason'] === 'string').toBe(true);
  });
});

/** The kernel tells only root, and only in the first pid namespace, whose number is fixed. */
const kernelTells = process.getuid?.() === 0 && readlinkSync('/proc/self/ns/pid') === 'pid:[4026531836]';

describe.runIf(kernelTells)('watch with process events (needs root in the first pid namespace)', () => {
  it('reports fork, exec and the exact end of every descendant: a grandchild killed, a child with its status', async () => {
    // waits for a line first, so that the watch is attached before anything happens
    const target = execa('sh', ['-c', 'read go; (sleep 1000 & echo $!; wait $!); exit 5'], {
      reject: false,
      stdin: 'pipe',
      buffer: false,
    });
    const output = createInterface({ input: target.stdout });
    const watch = start('watch', String(target.pid));
    expect(await watch.ev('attached')).toMatchObject({ connector: true });
    target.stdin.write('go\n');
    const [said] = (await once(output, 'line')) as [string];
    const grandchild = Number(said);
    const executed = await watch.until((line) => line.ev === 'exec' && line['pid'] === grandchild);
    expect(executed).toMatchObject({ comm: 'sleep' });
    process.kill(grandchild, 'SIGKILL');
    await watch.child;
    const ends = watch.lines.filter((line) => line.ev === 'exit');
    expect(ends.find((line) => line['pid'] === grandchild)).toMatchObject({ comm: 'sleep', signal: 9 });
    expect(ends.find((line) => line['pid'] === target.pid)).toMatchObject({ comm: 'sh', code: 5 });
    const forked = watch.lines.filter((line) => line.ev === 'fork').map((line) => line['pid']);
    expect(forked).toContain(grandchild);
    expect(watch.lines[0]?.ev).toBe('attached');
  });
});
