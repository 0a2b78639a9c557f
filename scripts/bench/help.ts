import { join } from 'node:path';
import { $ } from 'zx';
import { monotonicMs, product, root } from './product.ts';
import { median, spread } from './statistics.ts';

const RUNS = 15;
const GOAL_MS = 150;

/** `lf-qualify --help`, beside an empty Node process in the same run. */
export async function benchHelp(): Promise<string[]> {
  const help: number[] = [];
  const empty: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const timed = await product('--help');
    help.push(timed.end - timed.begin);
    const begin = monotonicMs();
    await $({ cwd: root, quiet: true })`${join('node_modules', '.bin', 'node')} -e 0`;
    empty.push(monotonicMs() - begin);
  }
  return [
    `lf-qualify --help   ${spread(help)} ms, goal ${GOAL_MS} ms`,
    `node -e 0           ${spread(empty)} ms; ratio ${(median(help) / median(empty)).toFixed(1)}`,
  ];
}
