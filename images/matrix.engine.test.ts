import { readFileSync } from 'node:fs';
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
const images = ['reference', 'shell-pid1', 'kills-workers', 'wrong-expired-status'];
/** What cannot be told where the kernel's process events cannot be had: whether a worker was cut off, and by what. */
const WITHOUT_EVENTS = { 'kills-workers': { 'IMG-6': /still alive .* \(no kernel process events: / } } as const;

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
    untold: WITHOUT_EVENTS,
  },
  {
    title: 'rootless Podman',
    engine: 'podman',
    address: async () => ({ CONTAINER_HOST: `unix://${await rootlessSocket()}` }),
    seenFrom: 'sidecar: the address of a rootless container is not on this host’s links',
    untold: WITHOUT_EVENTS,
  },
  {
    title: 'rootful Podman from a sidecar',
    engine: 'podman',
    options: ['--vantage', 'sidecar'],
    address: async () => ({}),
    seenFrom: 'sidecar: --vantage',
  },
];

interface Expected {
  readonly clauses: Readonly<Record<string, string>>;
}

const expectedOf = (image: string): Readonly<Record<string, string>> =>
  (parse(readFileSync(join(import.meta.dirname, image, 'expected.yaml'), 'utf8')) as Expected).clauses;

describe.each(places)(
  'on $title, without a direct way to the container',
  ({ engine, options = [], address, seenFrom, untold = {} }) => {
    let report: Report;
    let folder: string;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'lf-qualify-matrix-'));
      const tags = images.map((image) => `lf-qualify/${image}:dev`);
      // what is not there yet is taken over from Docker
      const args = [
        ...tags,
        '--engine',
        engine,
        '--from',
        'docker',
        '--timeout',
        '4s',
        '--out',
        folder,
        '--format',
        'json',
      ];
      const environment = { env: { ...process.env, ...(await address()) }, extendEnv: false };
      const maxBuffer = 64 * 1024 * 1024;
      const run = await execa(process.execPath, [launcher, ...args, ...options], {
        ...environment,
        reject: false,
        stderr: 'inherit',
        maxBuffer,
      });
      report = JSON.parse(run.stdout) as Report;
    });
    afterAll(async () => await rm(folder, { recursive: true, force: true }));

    it.each(images)(
      '%s gets the verdicts that it gets anywhere, or is told by name what cannot be told here',
      (image) => {
        const target = report.targets.find((entry) => entry.image === `lf-qualify/${image}:dev`);
        expect(target?.seenFrom).toEqual([seenFrom]);
        const expected = expectedOf(image);
        const reasons: Readonly<Record<string, RegExp>> =
          (untold as Readonly<Record<string, Readonly<Record<string, RegExp>>>>)[image] ?? {};
        const verdicts = (target?.verdicts ?? []).filter(({ clause }) => expected[clause] !== undefined);
        const seen = verdicts.map(({ clause, outcome, seen }) => `${clause} ${outcome}: ${seen}`).join('\n');
        const open = Object.fromEntries(Object.keys(reasons).map((clause) => [clause, 'inconclusive']));
        expect(Object.fromEntries(verdicts.map(({ clause, outcome }) => [clause, outcome])), seen).toEqual({
          ...expected,
          ...open,
        });
        for (const [clause, reason] of Object.entries(reasons)) {
          expect(verdicts.find((verdict) => verdict.clause === clause)?.seen).toMatch(reason);
        }
      },
    );

    it('breaks nothing, and takes the engine for what it is', () => {
      expect(report.faults).toEqual([]);
      expect(report.engines.map(({ name }) => name)).toEqual([engine]);
    });
  },
);
