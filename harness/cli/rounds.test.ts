import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { EngineError } from '../model/errors.ts';
import type { CellRef } from '../model/plan.ts';
import type { JobProject, RunnerJob } from '../run/job.ts';
import type { Runner } from '../vitest/start.ts';
import { runEngines, runRounds } from './rounds.ts';

const folder = mkdtempSync(join(tmpdir(), 'lf-qualify-rounds-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const job = (name: string, cells: number): RunnerJob => ({
  common: { run: 'r', directory: folder, harness: { version: '0', node: '0' }, owner: 'o', keep: false },
  jobs: 1,
  scenarioFiles: {},
  longFirst: [],
  projects: [
    {
      name,
      cells: Array.from({ length: cells }, (_, n) => ({ path: `${name}-${n}` }) as CellRef),
    } as unknown as JobProject,
  ],
});

const paths = (asked: RunnerJob): string[] => asked.projects.flatMap(({ cells }) => cells.map(({ path }) => path));

/** A runner that writes the histories of as many cells as it gets through before it dies, call by call. */
function runnerThatManages(...counts: readonly number[]) {
  const asked: string[][] = [];
  const runner = {
    run: async (given: RunnerJob) => {
      const count = counts[asked.length] ?? 0;
      asked.push(paths(given));
      for (const path of paths(given).slice(0, count)) {
        mkdirSync(join(folder, path), { recursive: true });
        writeFileSync(join(folder, path, 'history.jsonl'), '');
      }
      return count === 0 ? 'Segmentation fault' : '';
    },
  } as unknown as Runner;
  return { runner, asked };
}

const never = new AbortController().signal;

describe('rounds', () => {
  it('start again what a killed worker left unrun, and never what has a history', async () => {
    const { runner, asked } = runnerThatManages(2, 1);
    expect(await runRounds(job('again', 3), { runner, interrupt: never })).toEqual([]);
    expect(asked).toEqual([['again-0', 'again-1', 'again-2'], ['again-2']]);
  });

  it('give up when a round gets no further, with the last words of the runner', async () => {
    const { runner, asked } = runnerThatManages(1, 0);
    const faults = await runRounds(job('stuck', 2), { runner, interrupt: never });
    expect(asked).toHaveLength(2);
    expect(faults).toEqual([
      { where: 'harness', message: 'the test runner ended without running 1 cells; it last said: Segmentation fault' },
    ]);
  });

  it('stop at an interruption', async () => {
    const { runner, asked } = runnerThatManages(1, 1);
    expect(await runRounds(job('stop', 2), { runner, interrupt: AbortSignal.abort() })).toEqual([]);
    expect(asked).toEqual([]);
  });
});

describe('engines side by side', () => {
  it('share the jobs, rounded down, and one after the other where there are fewer jobs than engines', async () => {
    for (const [jobs, share] of [
      [6, 3],
      [3, 1],
      [1, 1],
    ] as const) {
      const shares: number[] = [];
      const { runner } = runnerThatManages(1, 1);
      const jobOf = async (engine: string, given: number) => {
        shares.push(given);
        return job(`share-${jobs}-${engine}`, 1);
      };
      expect(await runEngines(['docker', 'podman'], jobs, jobOf, { runner, interrupt: never })).toEqual([]);
      expect(shares).toEqual([share, share]);
    }
  });

  it('an engine that is lost at set-up takes nothing from the other', async () => {
    const { runner, asked } = runnerThatManages(1);
    const jobOf = async (engine: string) => {
      if (engine === 'docker') throw new EngineError('docker is gone', { lost: true });
      return job('kept', 1);
    };
    const faults = await runEngines(['docker', 'podman'], 2, jobOf, { runner, interrupt: never });
    expect(faults).toEqual([{ where: 'engine', engine: 'docker', message: 'docker is gone' }]);
    expect(asked).toEqual([['kept-0']]);
  });
});
