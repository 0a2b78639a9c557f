import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dockerDriver } from '../engine/docker.ts';
import type { EngineDriver } from '../engine/driver.ts';
import type { Call } from './testing.suite.ts';
import { call, tool } from './testing.suite.ts';

const image = 'lf-qualify/no-handler-c:dev';

/** Whether a process still does anything: a zombie that nobody reaps is over. */
function isAlive(pid: number): boolean {
  try {
    return /^State:\s+[^ZX\s]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** A Docker daemon of this test's own, with containerd and all its data in one folder, beside the machine's. */
class OwnDaemon {
  readonly #folder = mkdtempSync(join(tmpdir(), 'lf-qualify-dockerd-'));
  readonly address = `unix://${join(this.#folder, 'docker.sock')}`;
  readonly #said: string[] = [];
  #process: ChildProcess | undefined;

  /** Resolves when the API listens, at once if it does. Throws with the daemon's own words when it ends before that. */
  async start(): Promise<void> {
    if (this.#process) return;
    this.#forgetContainerd();
    const at = (name: string): string => join(this.#folder, name);
    const places = ['--data-root', at('data'), '--exec-root', at('exec'), '--pidfile', at('pid')];
    // no bridge and rules of its own, and addresses that the machine's daemon does not hand out
    const network = ['--bridge', 'none', '--iptables=false', '--ip6tables=false'];
    const pool = ['--default-address-pool', 'base=10.213.0.0/16,size=24'];
    const daemon = spawn('dockerd', [...places, ...network, ...pool, '-H', this.address], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#process = daemon;
    const { promise: listens, resolve } = Promise.withResolvers<void>();
    createInterface({ input: daemon.stderr }).on('line', (line) => {
      this.#said.push(line);
      if (line.includes('API listen on')) resolve();
    });
    const ended = once(daemon, 'exit').then(() => {
      throw new Error(`a second dockerd does not start here:\n${this.#said.slice(-20).join('\n')}`);
    });
    ended.catch(() => undefined);
    await Promise.race([listens, ended]);
  }

  /** Ends the daemon, and its containerd if that lives on. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const daemon = this.#process;
    this.#process = undefined;
    if (!daemon || daemon.exitCode !== null || daemon.signalCode !== null) return;
    const gone = once(daemon, 'exit');
    daemon.kill(signal);
    await gone;
    for (const pid of this.#ownProcesses(/^containerd$/)) {
      process.kill(pid, 'SIGKILL');
      while (isAlive(pid)) await sleep(10);
    }
  }

  /** Nothing of it is left afterwards: no process, no mount, no file. */
  async dispose(): Promise<void> {
    try {
      await this.end('SIGTERM');
    } finally {
      for (const pid of this.#ownProcesses(/./)) process.kill(pid, 'SIGKILL');
      const mounts = readFileSync('/proc/self/mounts', 'utf8')
        .split('\n')
        .map((line) => line.split(' ')[1] ?? '')
        .filter((mount) => mount.startsWith(`${this.#folder}/`));
      for (const mount of mounts.reverse()) await execa('umount', ['--lazy', mount], { reject: false });
      rmSync(this.#folder, { recursive: true, force: true });
    }
  }

  /** Living processes of this daemon of these programs: all of them have the folder among their arguments. */
  #ownProcesses(programs: RegExp): number[] {
    return readdirSync('/proc')
      .filter((entry) => /^\d+$/.test(entry))
      .map(Number)
      .filter((pid) => {
        try {
          const [program = '', ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
          const own = args.some((argument) => argument.includes(this.#folder));
          return own && programs.test(basename(program)) && isAlive(pid);
        } catch {
          return false;
        }
      });
  }

  /** Where nobody reaps, a killed containerd stays a zombie that the next daemon takes for a living one. */
  #forgetContainerd(): void {
    rmSync(join(this.#folder, 'exec/containerd/containerd.pid'), { force: true });
  }
}

describe('a daemon that is killed in mid-run', () => {
  let daemon: OwnDaemon | undefined;
  let driver: EngineDriver | undefined;
  let lost: Call | undefined;

  beforeAll(() => {
    if (process.getuid?.() !== 0) throw new Error('a dockerd of the test’s own takes root: run this test as root');
  });

  afterAll(async () => {
    try {
      // containers and bridges outlive a killed daemon: only the next one can take them away
      if (lost) await daemon?.start();
      for (const object of lost ? ((await driver?.owned()) ?? []) : []) await driver?.removeOwned(object);
    } finally {
      driver?.close();
      lost?.dispose();
      await daemon?.dispose();
    }
  });

  it('ends with 70 and a report, and once it is back clean removes what was left', async () => {
    daemon = new OwnDaemon();
    await daemon.start();
    driver = dockerDriver(daemon.address);
    const source = dockerDriver('unix:///var/run/docker.sock');
    await driver.loadImage((await source.saveImage(image)).stream, () => undefined);
    source.close();

    const env = { DOCKER_HOST: daemon.address };
    lost = call([image, '--engine', 'docker', '--preset', 'baseline', '--verbose'], env);
    await lost.said(/\d+\/\d+ cells/); // one has ended: containers are up
    await daemon.end('SIGKILL');
    const { exitCode, all } = await lost.process;
    expect(all).not.toMatch(/\n {4}at /);
    expect(exitCode, all).toBe(70);
    const report = lost.report();
    expect(report.summary.outcome).toBe('fault');
    expect(report.faults.map(({ where }) => where)).toContain('engine');
    expect(readFileSync(join(lost.out, 'latest', 'junit.xml'), 'utf8')).toContain('<error');

    await daemon.start();
    const left = (await driver.owned()).map(({ type }) => type);
    expect(left).toEqual(expect.arrayContaining(['container', 'network']));
    const cleaned = await tool(['clean'], env);
    expect(cleaned.exitCode, cleaned.stderr).toBe(0);
    expect(await driver.owned()).toEqual([]);
  });
});
