import { expect, it } from 'vitest';
import type { Plan, PlannedTarget } from '../model/plan.ts';
import { defaultJobs } from './default-jobs.ts';

/** A planned image, looked at or not: nothing else of it counts. */
const planned = (name: string, looked: boolean): PlannedTarget =>
  ({ target: { name }, ...(looked ? { discovery: {} } : {}) }) as PlannedTarget;
const plan = (...targets: readonly PlannedTarget[]): Pick<Plan, 'targets'> => ({ targets });

it.each([
  ['a declared image: two a core', plan(planned('a', false), planned('a', false)), 2, 4],
  [
    'one image of which nothing is declared, on both engines: three',
    plan(planned('a', true), planned('a', true)),
    2,
    6,
  ],
  ['several of which nothing is declared: two', plan(planned('a', true), planned('b', true)), 2, 4],
  ['never more than six', plan(planned('a', true)), 16, 6],
] as const)('%s', (_, of, cores, jobs) => {
  expect(defaultJobs(of, cores)).toBe(jobs);
});
