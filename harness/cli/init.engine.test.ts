import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, expect, it } from 'vitest';
import type { Report } from '../model/report.ts';
import { call } from './testing.suite.ts';

const launcher = join(import.meta.dirname, '..', '..', 'bin', 'lf-qualify.js');
const folder = mkdtempSync(join(tmpdir(), 'lf-qualify-init-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Its image declares nothing but an exposed port. */
const IMAGE = 'lf-qualify/stale-pid:dev';
const ONLY = 'IMG-1,SIG-1,SIG-2';

async function judged(args: readonly string[]): Promise<Report> {
  const run = call([...args, '--only', ONLY]);
  try {
    const { all } = await run.process;
    expect(run.report().faults, String(all)).toEqual([]);
    return run.report();
  } finally {
    run.dispose();
  }
}

/** What is judged of each engine, without the times that no two runs share. */
function verdictsOf({ targets }: Report): readonly string[] {
  return targets.flatMap(({ engine, verdicts }) =>
    verdicts.map(({ clause, outcome, level }) => `${engine} ${clause} ${level} ${outcome}`),
  );
}

it('a run with the profile that init writes gives the verdicts of a run without, on both engines', async () => {
  const profile = join(folder, 'lf-qualify.yaml');
  const { exitCode, all } = await execa(process.execPath, [launcher, 'init', IMAGE, '--out', profile], {
    reject: false,
    all: true,
  });
  expect(exitCode, all).toBe(0);
  const [found, declared] = [await judged([IMAGE]), await judged(['--profile', profile])];
  expect(verdictsOf(found)).toEqual(expect.arrayContaining(['docker SIG-1 M pass', 'podman SIG-1 M pass']));
  expect(verdictsOf(declared)).toEqual(verdictsOf(found));
  for (const { assumed } of found.targets) {
    expect(assumed).toContainEqual(expect.objectContaining({ key: 'ready' }));
  }
  expect(declared.targets.map(({ assumed = [] }) => assumed)).toEqual([[], []]);
});
