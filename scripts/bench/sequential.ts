import { join } from 'node:path';
import { $ } from 'zx';
import { firstClauses, monotonicMs, product, reference, root } from './product.ts';
import { median, spread } from './statistics.ts';

const RUNS = 3;
const GOAL_RATIO = 2;
const WHOLE_RUNS = 3;
const WHOLE_GOAL_RATIO = 4;

/** The first clause set on both engines against the same containers and holds by curl, one after another. */
export async function benchSequential(folder: string): Promise<string[]> {
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const timed = await product(reference, ...firstClauses, '--out', join(folder, `sequential-${run}`));
    if (timed.exitCode !== 0) return [`run ${run + 1} ended with exit code ${timed.exitCode}: nothing measured`];
    ours.push(timed.end - timed.begin);
    const begin = monotonicMs();
    await $({ cwd: root, quiet: true })`bash scripts/bench/sequential.sh ${reference}`;
    theirs.push(monotonicMs() - begin);
  }
  return [
    ...(await wholeContract(folder)),
    `lf-qualify          ${spread(ours)} ms`,
    `curl, one by one    ${spread(theirs)} ms; ${(median(theirs) / median(ours)).toFixed(2)} times as long, goal ${GOAL_RATIO}`,
  ];
}

/** The whole black-box contract on both engines, against the same cells one after another. */
async function wholeContract(folder: string): Promise<string[]> {
  const together: number[] = [];
  const oneByOne: number[] = [];
  for (let run = 0; run < WHOLE_RUNS; run += 1) {
    const both = await product(reference, '--engine', 'docker,podman', '--out', join(folder, `whole-${run}`));
    together.push(both.end - both.begin);
    const serial = ['--engine', 'docker,podman', '--jobs', '1', '--out', join(folder, `serial-${run}`)];
    const each = await product(reference, ...serial);
    oneByOne.push(each.end - each.begin);
  }
  const ratio = (median(oneByOne) / median(together)).toFixed(2);
  return [
    `whole contract      ${spread(together)} ms`,
    `the same, --jobs 1  ${spread(oneByOne)} ms; ${ratio} times as long, goal ${WHOLE_GOAL_RATIO}`,
  ];
}
