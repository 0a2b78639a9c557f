import { join } from 'node:path';
import { $ } from 'zx';
import { firstClauses, monotonicMs, product, reference, root } from './product.ts';
import { median, spread } from './statistics.ts';

const RUNS = 3;
const GOAL_RATIO = 2;

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
    `lf-qualify          ${spread(ours)} ms`,
    `curl, one by one    ${spread(theirs)} ms; ${(median(theirs) / median(ours)).toFixed(2)} times as long, goal ${GOAL_RATIO}`,
  ];
}
