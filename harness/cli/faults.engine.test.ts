import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import { createServer, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { dockerDriver } from '../engine/docker.ts';
import type { EngineDriver, OwnedObject } from '../engine/driver.ts';
import { podmanDriver } from '../engine/podman.ts';
import type { Call } from './testing.suite.ts';
import { call, childrenOf, tool } from './testing.suite.ts';
import type { Report } from '../model/report.ts';

const DOCKER = '/var/run/docker.sock';
const reference = 'lf-qualify/reference:dev';
const drivers: readonly EngineDriver[] = [
  dockerDriver(`unix://${DOCKER}`),
  podmanDriver('unix:///run/podman/podman.sock'),
];
const calls: Call[] = [];

function started(...parameters: Parameters<typeof call>): Call {
  const made = call(...parameters);
  calls.push(made);
  return made;
}

afterEach(() => {
  for (const made of calls.splice(0)) made.dispose();
});

/** What runs of these calls own on both engines right now. */
async function leftovers(run: string): Promise<OwnedObject[]> {
  const owned = await Promise.all(drivers.map((driver) => driver.owned()));
  return owned.flat().filter((object) => object.run === run);
}

/** A unix socket in front of another that can be cut, as a daemon that dies cuts it, and come back. */
class Relay {
  readonly path: string;
  readonly #folder = mkdtempSync(join(tmpdir(), 'lf-qualify-relay-'));
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;

  constructor() {
    this.path = join(this.#folder, 'engine.sock');
  }

  async open(): Promise<void> {
    const server = createServer((client) => {
      const engine = connect(DOCKER);
      for (const [from, to] of [
        [client, engine],
        [engine, client],
      ] as const) {
        this.#sockets.add(from);
        from.on('error', () => to.destroy()).on('close', () => this.#sockets.delete(from));
        from.pipe(to);
      }
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.path, resolve));
  }

  cut(): void {
    this.#server?.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  dispose(): void {
    this.cut();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

describe('an engine that dies in mid-run', () => {
  it('ends with 70 and a report, and what is left is swept once the engine is back', async () => {
    const relay = new Relay();
    await relay.open();
    const env = { DOCKER_HOST: `unix://${relay.path}` };
    const lost = started([reference, '--engine', 'docker', '--verbose'], env);
    await lost.said(/start cells\/docker\/.*idle-life/);
    await lost.said(/\d+\/\d+ cells/); // one has ended: containers are up
    relay.cut();
    const { exitCode, all } = await lost.process;
    expect(all).not.toMatch(/\n {4}at /);
    expect(exitCode).toBe(70);
    const report = lost.report();
    expect(report.summary.outcome).toBe('fault');
    expect(report.faults.map(({ where }) => where)).toContain('engine');
    expect(readFileSync(join(lost.out, 'latest', 'junit.xml'), 'utf8')).toContain('<error');
    expect(await leftovers(report.run)).not.toEqual([]);

    await relay.open();
    const next = started([reference, '--engine', 'docker', '--only', 'IMG-3'], env);
    expect((await next.process).exitCode).toBe(0);
    expect(await leftovers(report.run)).toEqual([]);
    relay.dispose();
  });
});

describe('Ctrl-C and SIGTERM in mid-run', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('%s removes the containers and keeps a partial report', async (name) => {
    const run = started([reference, '--verbose']);
    await run.said(/\d+\/\d+ cells/);
    run.process.kill(name);
    const { exitCode, all } = await run.process;
    expect(exitCode).toBe(70);
    expect(all).toMatch(new RegExp(`${name}: ending the run`));
    const report = run.report();
    expect(report.faults).toContainEqual({ where: 'interrupted', message: `interrupted by ${name}` });
    expect(report.targets.flatMap(({ verdicts }) => verdicts).length).toBeGreaterThan(0);
    expect(await leftovers(report.run)).toEqual([]);
  });
});

describe('Ctrl-C pressed twice', () => {
  it('ends at once with 70, and clean removes what is left', async () => {
    const run = started([reference, '--verbose']);
    await run.said(/\d+\/\d+ cells/);
    run.process.kill('SIGINT');
    await run.said(/SIGINT: ending the run/);
    run.process.kill('SIGINT');
    const { exitCode, all } = await run.process;
    expect(exitCode).toBe(70);
    expect(all).not.toMatch(/\n {4}at /);
    const { run: id } = JSON.parse(readFileSync(join(run.out, 'latest', 'plan.json'), 'utf8')) as { run: string };
    expect((await tool(['clean'])).exitCode).toBe(0);
    expect(await leftovers(id)).toEqual([]);
  });
});

describe('a worker of the test runner that is killed', () => {
  it('leaves its cell inconclusive, the others still run, and nothing passes by it', async () => {
    const run = started([reference, '--engine', 'docker', '--jobs', '2', '--verbose']);
    await run.said(/start cells\/docker\/.*idle-life/);
    const victim = childrenOf(run.process.pid ?? 0).flatMap(childrenOf)[0];
    expect(victim).toBeDefined();
    process.kill(victim ?? 0, 'SIGKILL');
    const { exitCode } = await run.process;
    expect(exitCode).toBe(70);
    const report = run.report();
    const verdicts = report.targets.flatMap((target) => target.verdicts);
    const inconclusive = verdicts.filter(({ outcome }) => outcome === 'inconclusive');
    expect(inconclusive.length).toBeGreaterThan(0);
    expect(verdicts.filter(({ outcome }) => outcome === 'pass').length).toBeGreaterThan(inconclusive.length);
    expect(verdicts.filter(({ outcome }) => outcome === 'fail')).toEqual([]);
    expect(await leftovers(report.run)).toEqual([]);
  });
});

describe('two runs at once on one machine', () => {
  it('do not disturb each other', async () => {
    const args = [reference, '--jobs', '2', '--only', 'IMG,SIG,STA,DLN-2,OBS'];
    const both = [started(args), started(args)];
    const ends = await Promise.all(both.map(({ process: ended }) => ended));
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    const runs = both.map((one) => one.report().run);
    expect(new Set(runs).size).toBe(2);
    for (const run of runs) expect(await leftovers(run)).toEqual([]);
  });
});

describe('a history that is cut short', () => {
  it('cannot pass when it is judged again', async () => {
    const run = started([reference, '--engine', 'podman', '--only', 'SIG-1']);
    expect((await run.process).exitCode).toBe(0);
    const copy = join(run.out, 'copy');
    cpSync(join(run.out, 'latest'), copy, { recursive: true, dereference: true });
    const [cell] = run.report().targets.flatMap(({ verdicts }) => verdicts.flatMap(({ findings }) => findings));
    const file = join(copy, cell?.history ?? '', 'history.jsonl');
    const whole = readFileSync(file, 'utf8');
    writeFileSync(file, whole.slice(0, whole.lastIndexOf('"kind":"exit.state"') - 40));
    const judged = await tool(['judge', copy, '--format', 'json']);
    expect(judged.exitCode).toBe(2);
    const again = JSON.parse(judged.stdout) as Report;
    const judgedOutcomes = again.targets.flatMap(({ verdicts }) => verdicts.map(({ outcome }) => outcome));
    expect(judgedOutcomes.filter((outcome) => outcome !== 'not exercised')).toEqual(['inconclusive']);
  });
});
