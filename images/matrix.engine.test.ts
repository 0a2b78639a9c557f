import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { RemoteEngine } from '../harness/engine/remote-engine.suite.ts';
import { engineOverTcp } from '../harness/engine/remote-engine.suite.ts';
import { rootlessSocket } from '../harness/engine/rootless-podman.suite.ts';
import type { Report } from '../harness/model/report.ts';

const launcher = join(import.meta.dirname, '..', 'bin', 'lf-qualify.js');
/** `LFQ_MATRIX=all`: every image that says of itself what is expected, but one with a database and two that need longer. */
const left = ['needs-database', 'handles-hup', 'overruns-deadline'];
const every = readdirSync(import.meta.dirname).filter(
  (name) => !left.includes(name) && existsSync(join(import.meta.dirname, name, 'expected.yaml')),
);
const some = ['reference', 'shell-pid1', 'kills-workers', 'wrong-expired-status'];
const images =
  process.env['LFQ_MATRIX'] === 'all' ? ['reference', ...every.filter((name) => name !== 'reference')] : some;
/**
 * What cannot be told everywhere, and how that is said. Where the kernel's process events cannot be had, a look every 20 ms at
 * the processes has to do for IMG-6: enough to see that nothing was left, unless the last look was too long ago, and never to
 * see that something was cut off. Two signals at once can only come from the engine's own host, by its root.
 */
const UNTOLD = [
  { clause: 'IMG-6', outcome: 'inconclusive', reason: /\(no kernel process events: / },
  { clause: 'SIG-6-close', outcome: 'not exercised', reason: /pid \d+ of this host is not PID 1 of the container/ },
];

let docker: RemoteEngine;
beforeAll(async () => {
  docker = await engineOverTcp('/var/run/docker.sock');
});
afterAll(async () => await docker?.close());

/** Places without access to the engine's host, or without the rights of root there, and how each is reached. */
const places = [
  {
    title: 'Docker over tcp',
    engine: 'docker',
    address: async () => ({ DOCKER_HOST: docker.address }),
    seenFrom: 'sidecar: the engine is not on this host',
  },
  {
    title: 'rootless Podman',
    engine: 'podman',
    address: async () => ({ CONTAINER_HOST: `unix://${await rootlessSocket()}` }),
    seenFrom: 'sidecar: the address of a rootless container is not on this host’s links',
  },
];

interface Expected {
  readonly clauses: Readonly<Record<string, string>>;
}

const expectedOf = (image: string): Readonly<Record<string, string>> =>
  (parse(readFileSync(join(import.meta.dirname, image, 'expected.yaml'), 'utf8')) as Expected).clauses;

describe.each(places)('on $title, without a direct way to the container', ({ engine, address, seenFrom }) => {
  let reports: readonly Report[];
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lf-qualify-matrix-'));
    const [good = '', ...broken] = images;
    const clauses = [...new Set(broken.flatMap((image) => Object.keys(expectedOf(image))))];
    reports = [await qualify([good]), await qualify(broken, '--only', clauses.join(','), '--timeout', '4s')];
  });

  async function qualify(names: readonly string[], ...options: readonly string[]): Promise<Report> {
    const tags = names.map((image) => `lf-qualify/${image}:dev`);
    // what is not there yet is taken over from Docker
    const args = [...tags, '--engine', engine, '--from', 'docker', '--out', folder, '--format', 'json', ...options];
    const environment = { env: { ...process.env, ...(await address()) }, extendEnv: false };
    const maxBuffer = 64 * 1024 * 1024;
    const run = await execa(process.execPath, [launcher, ...args], {
      ...environment,
      reject: false,
      stderr: 'inherit',
      maxBuffer,
    });
    return JSON.parse(run.stdout) as Report;
  }

  afterAll(async () => await rm(folder, { recursive: true, force: true }));

  it.each(images)(
    '%s gets the verdicts that it gets anywhere, or is told by name what cannot be told here',
    (image) => {
      const target = reports
        .flatMap(({ targets }) => targets)
        .find((entry) => entry.image === `lf-qualify/${image}:dev`);
      expect(target?.seenFrom).toEqual([seenFrom]);
      const expected = expectedOf(image);
      const verdicts = (target?.verdicts ?? []).filter(({ clause }) => expected[clause] !== undefined);
      const told = verdicts.map(({ clause, outcome, seen }) => {
        const untold = UNTOLD.some((one) => one.clause === clause && one.outcome === outcome && one.reason.test(seen));
        return [clause, untold ? expected[clause] : outcome];
      });
      const seen = verdicts.map(({ clause, outcome, seen }) => `${clause} ${outcome}: ${seen}`).join('\n');
      expect(Object.fromEntries(told), seen).toEqual(expected);
    },
  );

  it('breaks nothing, and takes the engine for what it is', () => {
    expect(reports.flatMap(({ faults }) => faults)).toEqual([]);
    expect(reports.map(({ engines }) => engines.map(({ name }) => name))).toEqual([[engine], [engine]]);
  });
});
