import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Fault } from '../model/report.ts';
import type { EngineName } from '../model/engine.ts';
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
export async function runRounds(
  job: RunnerJob | Promise<RunnerJob>,
  progress: Progress,
  interrupt: Interrupt,
): Promise<Fault[]> {
  const faults: Fault[] = [];
  let starting: RunnerJob | Promise<RunnerJob> = job;
  for (;;) {
    const lastWords = await runOnce(starting, progress, interrupt, faults);
    const asked = await starting;
    const before = countCells(asked);
    const left = withoutStarted(asked);
    if (countCells(left) === 0 || interrupt.signal.aborted) break;
    starting = left;
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

async function runOnce(
  job: RunnerJob | Promise<RunnerJob>,
  progress: Progress,
  interrupt: Interrupt,
  faults: Fault[],
): Promise<string> {
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

/**
 * Run a job with a runner per engine, side by side: vitest reuses a worker process only within a project, so engines
 * that share a runner would start a process for nearly every file. With fewer jobs than engines one comes after the other.
 */
export async function runEngines(
  job: Promise<RunnerJob>,
  engines: readonly EngineName[],
  jobs: number,
  progress: Progress,
  interrupt: Interrupt,
): Promise<Fault[]> {
  const share = Math.max(1, Math.ceil(jobs / engines.length));
  const start = (engine: EngineName): Promise<Fault[]> =>
    runRounds(
      job.then((whole) => ({
        ...whole,
        jobs: share,
        projects: whole.projects.filter((project) => project.engine.name === engine),
      })),
      progress,
      interrupt,
    );
  if (jobs >= engines.length) return (await Promise.all(engines.map(start))).flat();
  const faults: Fault[] = [];
  for (const engine of engines) faults.push(...(await start(engine)));
  return faults;
}
