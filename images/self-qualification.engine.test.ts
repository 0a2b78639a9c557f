import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Report, ReportedTarget } from '../harness/model/report.ts';

const launcher = join(import.meta.dirname, '..', 'bin', 'lf-qualify.js');
const engines = ['docker', 'podman'];
const good = ['reference', 'workers-leave-first'];
/** Broken in one way each; all of them together show every clause failing (expected.test.ts). */
const images = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'node-base')
  .map((entry) => entry.name);

interface Expected {
  readonly clauses: Readonly<Record<string, string>>;
  readonly engines?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

function expectedOf(image: string, engine: string): Record<string, string> {
  const file = parse(readFileSync(join(import.meta.dirname, image, 'expected.yaml'), 'utf8')) as Expected;
  return { ...file.clauses, ...file.engines?.[engine] };
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

const outcomes = (target: ReportedTarget): Record<string, string> =>
  Object.fromEntries(target.verdicts.map(({ clause, outcome }) => [clause, outcome]));

describe('every image of this repository, judged under both engines', () => {
  let run: Awaited<ReturnType<typeof qualify>>;
  beforeAll(async () => {
    // Images that hang wait out the timeout: a short one, and more of them side by side, say the same sooner.
    run = await qualify(images, '--timeout', '4s', '--jobs', '8');
  });
  afterAll(async () => await rm(run.folder, { recursive: true, force: true }));

  for (const engine of engines) {
    it.each(images)(`%s comes out as expected on ${engine}`, (image) => {
      const target = targetOf(run.report, image, engine);
      const seen = target.verdicts.map(({ clause, outcome, seen: why }) => `${clause} ${outcome}: ${why}`).join('\n');
      expect(outcomes(target), seen).toEqual(expectedOf(image, engine));
    });

    it.each(images.filter((image) => !good.includes(image)))(`%s does not pass on ${engine}`, (image) => {
      expect(Object.values(outcomes(targetOf(run.report, image, engine)))).toContain('fail');
    });
  }

  it('fails the run, breaks nothing, and reads back 7 and 137 on each engine', () => {
    expect(run.exitCode).toBe(1);
    expect(run.report.faults).toEqual([]);
    expect(run.report.health.map(({ engine, selfTest }) => [engine, selfTest.ok])).toEqual(
      engines.map((engine) => [engine, true]),
    );
  });

  it('has the same image bytes on both engines', () => {
    for (const image of images) {
      const digests = engines.map((engine) => targetOf(run.report, image, engine).facts.digest);
      expect(new Set(digests).size, image).toBe(1);
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
    { preset: 'baseline', image: 'reference', exitCode: 0, failing: [] },
    {
      preset: 'baseline',
      image: 'no-handler-c',
      exitCode: 1,
      failing: ['IMG-2', 'IMG-5', 'SIG-1', 'SIG-1-fast', 'STA-1'],
    },
    { preset: 'openab-cp', image: 'term-only', exitCode: 1, failing: ['SIG-2', 'SIG-3'] },
  ];

  it.each(cases)(
    '$preset judges $image by its own rules, alike on both engines',
    async ({ preset, image, exitCode, failing }) => {
      const run = await qualify([image], '--preset', preset);
      for (const engine of engines) {
        const judged = targetOf(run.report, image, engine).verdicts.filter(
          ({ level }) => level === 'M' || level === 'S',
        );
        const failed = judged.filter(({ outcome }) => outcome === 'fail').map(({ clause }) => clause);
        expect(failed, engine).toEqual(expect.arrayContaining(failing));
        if (failing.length === 0) expect(failed, engine).toEqual([]);
      }
      expect(run.exitCode).toBe(exitCode);
      await rm(run.folder, { recursive: true, force: true });
    },
  );
});
