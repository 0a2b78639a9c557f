import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { formats } from '../report/index.ts';
import { writeFaults } from '../store/faults-file.ts';
import { PLAN_FORMAT } from '../store/plan-file.ts';
import { RunDirectory } from '../store/run-directory.ts';
import { finishRun } from './finish.ts';

const folder = await mkdtemp(join(tmpdir(), 'lf-qualify-finish-'));
afterAll(async () => await rm(folder, { recursive: true, force: true }));

async function emptyRun(random: string): Promise<RunDirectory> {
  const run = `20260101-000000-${random}`;
  const directory = await RunDirectory.create(folder, run);
  const harness = { version: '0', node: '24' };
  await directory.writePlan({
    format: PLAN_FORMAT,
    run,
    startedAt: '2026-01-01',
    harness,
    engines: [],
    notJudged: [],
    targets: [],
    instrument: [],
    strict: false,
  });
  await writeFaults(directory.path, [{ where: 'harness', message: 'it broke' }]);
  return directory;
}

describe('the end of a run', () => {
  it('writes every format, also when the harness broke', async () => {
    vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const directory = await emptyRun('aaaa');
    expect(await finishRun(directory.path, 'console')).toBe(70);
    expect(await readdir(directory.path)).toEqual(expect.arrayContaining(['junit.xml', 'report.json', 'report.txt']));
  });

  it('one format that breaks costs neither the others nor the console, and ends with 70', async () => {
    const shown = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const broken = {
      name: 'junit',
      file: 'junit.xml',
      render: () => {
        throw new Error('no ink');
      },
    };
    const directory = await emptyRun('bbbb');
    expect(await finishRun(directory.path, 'console', { ...formats, junit: broken })).toBe(70);
    expect(await readdir(directory.path)).toEqual(expect.arrayContaining(['report.json', 'report.txt']));
    expect(said.mock.calls.join()).toMatch(/a report could not be written: junit: no ink/);
    expect(shown.mock.calls.join()).toMatch(/FAULT/);
    vi.restoreAllMocks();
  });
});
