import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Fault } from '../model/report.ts';
import type { CellRef } from '../model/plan.ts';
import type { RunnerJob } from '../run/job.ts';
import { startRunner } from '../vitest/start.ts';
import type { Progress } from './progress.ts';

/** Stops the runner that is at work; set while one is. */
export interface Interrupt {
  readonly signal: AbortSignal;
}

/**
 * Run a job until every cell has a history. A test runner whose worker is killed returns with later files never run
 * (engines.md section 12), so what has no history yet is started again, as long as each round gets further. A cell whose
 * worker was killed keeps its torn history and is never run twice.
 */
export async function runRounds(job: RunnerJob, progress: Progress, interrupt: Interrupt): Promise<Fault[]> {
  const faults: Fault[] = [];
  let left = job;
  while (countCells(left) > 0 && !interrupt.signal.aborted) {
    const before = countCells(left);
    const lastWords = await runOnce(left, progress, interrupt, faults);
    left = withoutStarted(left);
    if (countCells(left) === before) {
      faults.push({
        where: 'harness',
        message: `the test runner ended without running ${before} cells${lastWords === '' ? '' : `; it last said: ${lastWords.trim()}`}`,
      });
      break;
    }
  }
  return faults;
}

async function runOnce(job: RunnerJob, progress: Progress, interrupt: Interrupt, faults: Fault[]): Promise<string> {
  const runner = startRunner(job, (message) => {
    if (message.type === 'begin') progress.begin(message.path);
    if (message.type === 'end') progress.end(message.path);
    if (message.type === 'problem') {
      progress.say(`test runner: ${message.message}`);
      faults.push({ where: 'harness', message: message.message });
    }
  });
  const stop = (): void => runner.kill();
  interrupt.signal.addEventListener('abort', stop, { once: true });
  const { lastWords } = await runner.over;
  runner.kill(); // workers that outlived it
  interrupt.signal.removeEventListener('abort', stop);
  return lastWords;
}

function withoutStarted(job: RunnerJob): RunnerJob {
  const started = (cell: CellRef): boolean => existsSync(join(job.common.directory, cell.path, 'history.jsonl'));
  const projects = job.projects.map((project) => ({
    ...project,
    cells: project.cells.filter((cell) => !started(cell)),
  }));
  return { ...job, projects: projects.filter(({ cells }) => cells.length > 0) };
}

function countCells(job: RunnerJob): number {
  return job.projects.reduce((sum, { cells }) => sum + cells.length, 0);
}
