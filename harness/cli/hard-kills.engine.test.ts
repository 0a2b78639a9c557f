import { randomBytes, randomInt } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dockerDriver } from '../engine/docker.ts';
import { podmanDriver } from '../engine/podman.ts';
import { findHelper } from '../run/helper-image.ts';
import { processIdentity } from '../run/owner.ts';
import { scratchImage } from '../run/scratch-image.ts';
import { OthersThings } from './others-things.suite.ts';
import { packageRoot } from './package-info.ts';
import type { Call } from './testing.suite.ts';
import { call, childrenOf, processesWith, tool } from './testing.suite.ts';

/** How many kills (all 50 by `npm run kills`), and the number that every choice follows from, to repeat a failure. */
const kills = Number(process.env['LFQ_KILLS'] ?? 5);
const seed = Number(process.env['LFQ_KILLS_SEED'] ?? randomInt(2 ** 31));

/** Who dies. The group of the command line, as a terminal that closes; the test runner has a group of its own. */
const victims = ['the command line', 'the command line’s group', 'the test runner', 'a worker'] as const;
/** Verbose lines of one whole run, and what may pass after the one that is waited for. */
const LINES = 22;
const MOST_AFTER_MS = 200;
const GONE_WITHIN_MS = 30_000;

/** Mulberry32. */
function random(state: number): () => number {
  let at = state;
  return () => {
    at = (at + 0x6d2b79f5) | 0;
    let mixed = Math.imul(at ^ (at >>> 15), 1 | at);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const sockets = { docker: '/var/run/docker.sock', podman: '/run/podman/podman.sock' } as const;
const docker = dockerDriver(`unix://${sockets.docker}`);
const podman = podmanDriver(`unix://${sockets.podman}`);
const mark = randomBytes(8).toString('hex');
/** On Docker only, so that every run carries it over to Podman. */
const image = `lf-qualify-kills/exact:${mark}`;
const folder = mkdtempSync(join(tmpdir(), 'lf-qualify-kills-'));
const temporary = join(folder, 'tmp');
const env = { LFQ_KILLS_MARK: mark, TMPDIR: temporary };
const args = [image, '--preset', 'baseline', '--ready', 'log:"ev":"ready"', '--only', 'IMG-1,SIG-1', '--verbose'];
const others = [docker, podman].map((driver) => new OthersThings(driver, sockets[driver.name as 'docker'], mark));
const living = `living-${mark}`;
const calls: Call[] = [];
/** Of every command line of this test: the machine may hold what other runs own. */
const pids = new Set<number>();
const choose = random(seed);
let digest = '';

function started(more: readonly string[]): Call {
  const made = call(more, env, { detached: true });
  calls.push(made);
  pids.add(made.process.pid ?? 0);
  return made;
}

/** Run until the k-th line and a little longer, then kill. Says what was done, to be read when something is left. */
async function kill(): Promise<string> {
  for (;;) {
    const victim = victims[Math.floor(choose() * victims.length)] ?? victims[0];
    const line = Math.floor(choose() * LINES);
    const afterMs = Math.floor(choose() * MOST_AFTER_MS);
    const run = started(args);
    await run.lines(line);
    await sleep(afterMs);
    if (!run.ended()) {
      const pid = pidOf(victim, run.process.pid ?? 0);
      signalled(pid ?? run.process.pid ?? 0);
      await run.process;
      return `${victim}${pid === undefined ? ' is not there yet, so the command line' : ''}, ${afterMs} ms after line ${line}`;
    }
    // It was faster; that it ran at all is what makes the others count.
    const { exitCode, all } = await run.process;
    expect(exitCode, all).toBe(0);
  }
}

function pidOf(victim: (typeof victims)[number], commandLine: number): number | undefined {
  if (victim === 'the command line') return commandLine;
  if (victim === 'the command line’s group') return -commandLine;
  const runners = childrenOf(commandLine);
  return victim === 'the test runner' ? runners[0] : runners.flatMap(childrenOf)[0];
}

function signalled(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has just ended by itself
  }
}

/** Everything that is still there of the runs of this test. */
async function left(): Promise<string[]> {
  const owned = [...(await docker.owned()), ...(await podman.owned())];
  const mine = owned.filter(({ owner }) => pids.has(Number(owner.split(':')[1])));
  const objects = mine.map(({ type, name }) => `${type} ${name}`);
  const carried = (await podman.inspectImage(digest)) === undefined ? [] : [`image ${digest} on podman`];
  const processes = processesWith(`LFQ_KILLS_MARK=${mark}`).map(({ pid, command }) => `process ${pid}: ${command}`);
  const files = readdirSync(temporary, { recursive: true }).filter((name) => !/^lf-qualify-lanes-\d+$/.test(`${name}`));
  return [...objects, ...carried, ...processes, ...files.map((name) => `file ${name}`)];
}

/** Processes of a run whose command line was killed find out by themselves. */
async function processesAreGone(): Promise<void> {
  const deadline = Date.now() + GONE_WITHIN_MS;
  while (processesWith(`LFQ_KILLS_MARK=${mark}`).length > 0 && Date.now() < deadline) await sleep(20);
}

beforeAll(async () => {
  mkdirSync(temporary);
  const helper = await findHelper(packageRoot);
  if (!helper) throw new Error('no helper: npm run images builds it');
  const files = [
    { name: 'lfq-helper', content: helper.bytes, mode: 0o755 },
    { name: 'mark', content: Buffer.from(mark), mode: 0o644 },
  ];
  const entrypoint = ['/lfq-helper', 'exact', '0', '0'];
  await docker.loadImage(await scratchImage({ reference: image, files, entrypoint }), () => undefined);
  digest = (await docker.inspectImage(image))?.digest ?? '';
  for (const things of others)
    await things.make(`lf-qualify/no-handler-c:dev`, { run: living, owner: processIdentity() });
});

afterAll(async () => {
  for (const made of calls) {
    signalled(made.process.pid ?? 0);
    made.dispose();
  }
  for (const things of others) await things.remove();
  await docker.untagImage(image);
  docker.close();
  podman.close();
  rmSync(folder, { recursive: true, force: true });
});

describe(`${kills} hard kills at random moments (LFQ_KILLS_SEED=${seed})`, () => {
  it('leave nothing behind after the next start or clean, and nothing of others is touched', async () => {
    console.log(`LFQ_KILLS=${kills} LFQ_KILLS_SEED=${seed}`);
    const done: string[] = [];
    for (let round = 1; round <= kills; round += 1) {
      done.push(await kill());
      const last = round === kills;
      if (round % 5 === 2 || last) {
        await processesAreGone();
        const cleaned = await tool(['clean'], env);
        done.push(`clean: ${cleaned.exitCode}`);
        expect(cleaned.exitCode, `${done.join('\n')}\n${cleaned.stderr}`).toBe(0);
        expect(await left(), done.join('\n')).toEqual([]);
      } else if (round % 5 === 4) {
        const next = await started(args).process;
        done.push(`next start: ${next.exitCode}`);
        expect(next.exitCode, `${done.join('\n')}\n${next.all}`).toBe(0);
        expect(await left(), done.join('\n')).toEqual([]);
      }
      for (const made of calls.splice(0)) made.dispose();
    }
    console.log(done.join('\n'));
    for (const things of others) expect(await things.changed()).toEqual([]);
  });

  it('do not disturb a run that goes on, nor does clean', async () => {
    const image = 'lf-qualify/no-handler-c:dev';
    const other = started([image, '--preset', 'light-fabric', '--only', 'SIG-1', '--timeout', '4s', '--verbose']);
    await other.said(/start cells\/docker\/lf-qualify__no-handler-c/);
    await other.said(/start cells\/podman\/lf-qualify__no-handler-c/);
    const killed = started(args);
    await killed.said(/start cells\/docker\/lf-qualify-kills/);
    signalled(killed.process.pid ?? 0);
    await killed.process;
    expect((await tool(['clean'], env)).exitCode).toBe(0);
    const { exitCode, all } = await other.process;
    expect(exitCode, all).toBe(1); // it never notices a signal: a finding, no fault
    expect(other.report().faults).toEqual([]);
    await processesAreGone();
    expect((await tool(['clean'], env)).exitCode).toBe(0);
    expect(await left()).toEqual([]);
    for (const things of others) expect(await things.changed()).toEqual([]);
  });
});
