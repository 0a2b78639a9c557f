import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Report, ReportedTarget } from '../harness/model/report.ts';

const launcher = join(import.meta.dirname, '..', 'bin', 'lf-qualify.js');
const engines = ['docker', 'podman'];
const images = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter((entry) => existsSync(join(import.meta.dirname, entry.name, 'expected.yaml')))
  // One with a profile needs more than itself: harness/cli/dependencies.engine.test.ts qualifies it.
  .filter((entry) => !existsSync(join(import.meta.dirname, entry.name, 'lf-qualify.yaml')))
  .map((entry) => entry.name);
/**
 * The groups that are judged together, each image under the preset of its own label, by the clauses that its expected.yaml
 * speaks of. Images that hang wait out the timeout: a short one says the same sooner. Some need longer: openab-cp takes no
 * timeout below its hard bound of 6 s, and an end 5 s after the signal has to be seen to come by itself.
 */
const unhurried = ['handles-hup', 'control-plane', 'overruns-deadline'];
/** Strangers: baseline, with their own timeout. */
const undeclared = ['zombie-child', 'slow-entrypoint', 'trapped-entrypoint', 'stale-pid', 'unclean-state', 'clears-up'];
/** Few workers, and few connections: strangers by what becomes of many requests at once. */
const crowded = ['queues-requests', 'cuts-queue', 'limits-connections'];
const apart = ['reference', ...undeclared, ...unhurried, ...crowded];
const groups = [
  {
    title: 'light-fabric images, with a short timeout',
    names: images.filter((image) => !apart.includes(image)),
    options: ['--timeout', '4s', '--jobs', '8'],
    exitCode: 1,
  },
  ...unhurried.map((image) => ({
    title: `${image}, with its own timeout`,
    names: [image],
    options: [],
    exitCode: image === 'overruns-deadline' ? 1 : 0,
  })),
  { title: 'images of which nothing is declared', names: undeclared, options: [], exitCode: 0 },
  { title: 'images that take few requests at once', names: crowded, options: [], exitCode: 0 },
  { title: 'the reference image', names: ['reference'], options: [], exitCode: 0 },
];

interface Expected {
  readonly preset: string;
  readonly clauses: Readonly<Record<string, string>>;
  readonly engines?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** What an image's own file says about it on one engine. */
function expectedOf(image: string, engine: string): Pick<Expected, 'preset' | 'clauses'> {
  const file = parse(readFileSync(join(import.meta.dirname, image, 'expected.yaml'), 'utf8')) as Expected;
  return { preset: file.preset, clauses: { ...file.clauses, ...file.engines?.[engine] } };
}

async function qualify(
  names: readonly string[],
  ...options: readonly string[]
): Promise<{ exitCode: number | undefined; report: Report; folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'lf-qualify-self-'));
  const tags = names.map((name) => `lf-qualify/${name}:dev`);
  const result = await execa(
    process.execPath,
    [launcher, ...tags, '--engine', engines.join(','), '--out', folder, '--format', 'json', ...options],
    {
      reject: false,
      stderr: 'inherit',
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  return { exitCode: result.exitCode, report: JSON.parse(result.stdout) as Report, folder };
}

function targetOf(report: Report, image: string, engine: string): ReportedTarget {
  const target = report.targets.find((entry) => entry.image === `lf-qualify/${image}:dev` && entry.engine === engine);
  if (target === undefined) throw new Error(`no verdicts on ${image} under ${engine}`);
  return target;
}

const outcomes = (target: ReportedTarget, clauses: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    target.verdicts.flatMap(({ clause, outcome }) => (clauses.includes(clause) ? [[clause, outcome]] : [])),
  );

/** Every clause that an expected.yaml of these images speaks of. */
const clausesOf = (names: readonly string[]): readonly string[] => [
  ...new Set(names.flatMap((name) => engines.flatMap((engine) => Object.keys(expectedOf(name, engine).clauses)))),
];

const seenOn = (target: ReportedTarget): string =>
  target.verdicts.map(({ clause, outcome, seen }) => `${clause} ${outcome}: ${seen}`).join('\n');

describe.each(groups)('every image of this repository: $title', ({ names, options, exitCode }) => {
  let run: Awaited<ReturnType<typeof qualify>>;
  beforeAll(async () => {
    run = await qualify(names, '--only', clausesOf(names).join(','), ...options);
  });
  afterAll(async () => await rm(run.folder, { recursive: true, force: true }));

  for (const engine of engines) {
    it.each(names)(`%s comes out as expected on ${engine}`, (image) => {
      const target = targetOf(run.report, image, engine);
      const { preset, clauses } = expectedOf(image, engine);
      expect(target.basis.preset).toBe(preset);
      expect(outcomes(target, Object.keys(clauses)), seenOn(target)).toEqual(clauses);
    });
  }

  it('decides the run, breaks nothing, and reads back 7 and 137 on each engine', () => {
    expect(run.report.faults).toEqual([]);
    expect(run.exitCode).toBe(exitCode);
    expect(run.report.health.map(({ engine, selfTest }) => [engine, selfTest.ok])).toEqual(
      engines.map((engine) => [engine, true]),
    );
  });

  it('has the same image bytes on both engines', () => {
    for (const image of names) {
      const digests = engines.map((engine) => targetOf(run.report, image, engine).facts.digest);
      expect(new Set(digests).size, image).toBe(1);
    }
  });

  it('needs no more than 95 containers an engine for an image, repetitions apart', () => {
    for (const { containers, repeated } of run.report.effort.engines) {
      expect(containers - repeated).toBeLessThanOrEqual(95 * names.length);
    }
  });

  it('gives the same verdicts when the stored run is judged again', async () => {
    const again = await execa(process.execPath, [launcher, 'judge', join(run.folder, 'latest'), '--format', 'json'], {
      reject: false,
      maxBuffer: 64 * 1024 * 1024,
    });
    const report = JSON.parse(again.stdout) as Report;
    expect(again.exitCode).toBe(run.exitCode);
    expect(report.targets).toEqual(run.report.targets);
    expect(report.summary).toEqual(run.report.summary);
  });
});

describe('the other presets', () => {
  const cases = [
    {
      preset: 'baseline',
      image: 'reference',
      exitCode: 0,
      expected: {
        'IMG-1': 'pass',
        'IMG-2': 'pass',
        'IMG-3': 'pass',
        'IMG-4': 'pass',
        'IMG-4-init': 'pass',
        'IMG-5': 'pass',
        'IMG-5-init': 'pass',
        'IMG-6': 'pass',
        'SIG-1': 'pass',
        'SIG-1-fast': 'pass',
        'SIG-2': 'pass',
        'SIG-2-fast': 'pass',
        'SIG-5': 'pass',
        'SIG-6': 'pass',
        'SIG-8': 'pass',
        'SIG-9': 'pass',
        'STA-1': 'pass',
        'STA-8': 'pass',
        'STA-9': 'pass',
        'ADM-1': 'pass',
        'ADM-2': 'pass',
        'ADM-4': 'pass',
        'ADM-5': 'pass',
        'ADM-6': 'pass',
        'ADM-8': 'pass',
        'ADM-9': 'pass',
        'DRN-1': 'pass',
        'DRN-2': 'pass',
        'DRN-3': 'pass',
        'DRN-4': 'pass',
        'DRN-5': 'pass',
        'DRN-6': 'pass',
        'DRN-7': 'pass',
        'DRN-8': 'pass',
        'DRN-9': 'pass',
        'DRN-9-fast': 'pass',
        'DLN-7': 'pass',
        'OBS-4': 'not exercised',
      },
    },
    {
      // hangs, and is killed at the timeout that a user gets who gives none
      preset: 'baseline',
      image: 'no-handler-c',
      exitCode: 1,
      expected: {
        'IMG-1': 'pass',
        'IMG-2': 'fail',
        'IMG-3': 'pass',
        'IMG-5': 'fail',
        'IMG-6': 'not exercised',
        'SIG-1': 'fail',
        'SIG-1-fast': 'fail',
        'SIG-2': 'fail',
        'SIG-2-fast': 'fail',
        'STA-1': 'fail',
        'STA-8': 'pass',
        'OBS-4': 'not exercised',
      },
    },
    {
      // its grace of 2 s cuts work that openab-cp gives 5 s
      preset: 'openab-cp',
      image: 'term-only',
      exitCode: 1,
      expected: {
        'IMG-1': 'pass',
        'IMG-2': 'fail',
        'IMG-3': 'pass',
        'IMG-5': 'pass',
        'IMG-6': 'pass',
        'SIG-1': 'pass',
        'SIG-1-fast': 'pass',
        'SIG-2': 'fail',
        'SIG-2-fast': 'fail',
        'SIG-3': 'fail',
        'SIG-3-fast': 'fail',
        'SIG-4': 'not exercised',
        'STA-1': 'pass',
        'STA-8': 'pass',
        'DLN-2': 'fail',
        'OBS-3': 'not exercised',
        'OBS-4': 'not exercised',
      },
    },
  ];

  it.each(cases)(
    '$preset judges $image by its own rules, alike on both engines',
    async ({ preset, image, exitCode, expected }) => {
      // what is required is repeated when it is undecided, whatever its level: a report-only clause would be left as it is
      const decided = Object.keys(expected).filter((id) => expected[id as keyof typeof expected] !== 'not exercised');
      const only = ['--only', Object.keys(expected).join(','), '--require', decided.join(',')];
      const run = await qualify([image], '--preset', preset, ...only);
      for (const engine of engines) {
        const target = targetOf(run.report, image, engine);
        expect(outcomes(target, Object.keys(expected)), `${engine}\n${seenOn(target)}`).toEqual(expected);
      }
      expect(run.exitCode).toBe(exitCode);
      expect(run.report.faults).toEqual([]);
      await rm(run.folder, { recursive: true, force: true });
    },
  );
});
