import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineName } from '../model/engine.ts';
import { EngineError } from '../model/errors.ts';
import type { CellRef } from '../model/plan.ts';
import type { Fault } from '../model/report.ts';
import type { RunnerJob } from '../run/job.ts';
import type { Runner } from '../vitest/start.ts';

/** What every round needs. */
export interface RoundContext {
  readonly runner: Runner;
  /** Aborted by Ctrl-C: the runner is killed, no further round is started. */
  readonly interrupt: AbortSignal;
}

/**
 * Run a job until every cell has a history. A test runner whose worker is killed returns with later files never run
 * (engines.md section 12), so what has no history yet is started again, as long as each round gets further. A cell whose
 * worker was killed keeps its torn history and is never run twice.
 */
export async function runRounds(job: RunnerJob, context: RoundContext): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (let left = job; countCells(left) > 0 && !context.interrupt.aborted; ) {
    const before = countCells(left);
    const lastWords = await context.runner.run(left);
    left = withoutStarted(left);
    if (countCells(left) === before && !context.interrupt.aborted) {
      const said = lastWords === '' ? '' : `; it last said: ${lastWords}`;
      faults.push({ where: 'harness', message: `the test runner ended without running ${before} cells${said}` });
      break;
    }
  }
  return faults;
}

/**
 * Run one job per engine, side by side: vitest reuses a worker process only within a project, so engines that share a
 * job would start a process for nearly every file. With fewer jobs than engines one comes after the other.
 */
export async function runEngines(
  engines: readonly EngineName[],
  jobs: number,
  jobOf: (engine: EngineName, jobs: number) => Promise<RunnerJob>,
  context: RoundContext,
): Promise<Fault[]> {
  const share = Math.max(1, Math.floor(jobs / engines.length));
  const start = async (engine: EngineName): Promise<Fault[]> => {
    try {
      return await runRounds(await jobOf(engine, share), context);
    } catch (error) {
      // One engine that is lost at set-up takes nothing from the other.
      const message = error instanceof Error ? error.message : String(error);
      return [{ where: error instanceof EngineError ? 'engine' : 'harness', engine, message }];
    }
  };
  if (jobs >= engines.length) return (await Promise.all(engines.map(start))).flat();
  const faults: Fault[] = [];
  for (const engine of engines) faults.push(...(await start(engine)));
  return faults;
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
