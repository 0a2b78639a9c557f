import type { Plan } from '../model/plan.ts';

/** Cells mostly wait: two per core keep two cores busy; more makes them noisy, and what is repeated for that costs more. */
const JOBS_PER_CORE = 2;
/** One image of which nothing is declared is probed less, so that more of its cells only wait. */
const JOBS_PER_CORE_OF_A_STRANGER = 3;
const MOST_JOBS = 6;

/** How many containers run side by side where `--jobs` does not say. */
export function defaultJobs({ targets }: Pick<Plan, 'targets'>, cores: number): number {
  const images = new Set(targets.map(({ target }) => target.name));
  const stranger = images.size === 1 && targets.every(({ discovery }) => discovery !== undefined);
  return Math.min(MOST_JOBS, cores * (stranger ? JOBS_PER_CORE_OF_A_STRANGER : JOBS_PER_CORE));
}
