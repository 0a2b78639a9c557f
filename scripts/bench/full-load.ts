import { join } from 'node:path';
import { watchPeakMemory } from '../../harness/cli/peak-memory.suite.ts';
import { judgeDirectory } from '../../harness/cli/finish.ts';
import { readRun } from '../../harness/store/read-run.ts';
import { product, reference } from './product.ts';
import { spread } from './statistics.ts';

const RUNS = 5;
const GOAL_MB = 300;
const GOAL_EXIT_MS = 5;
const GOAL_WINDOW_MS = 30;

/** A thousand requests and a thousand WebSockets in one run: what the harness needs for it, and how exact it still is. */
export async function benchFullLoad(folder: string): Promise<string[]> {
  const memory: number[] = [];
  const exits: number[] = [];
  const boundaries: number[] = [];
  const held: number[] = [];
  for (let run = 1; run <= RUNS; run += 1) {
    const out = join(folder, `full-load-${run}`);
    const watch = watchPeakMemory(process.pid);
    await product(reference, '--only', 'drain/full-load', '--out', out);
    watch.stop();
    const ours = [...watch.megabytes].filter(([name]) => !name.startsWith(`${process.pid} `));
    memory.push(Math.max(0, ...ours.map(([, megabytes]) => megabytes)));
    const report = await judgeDirectory(join(out, 'latest'));
    const windows = report.targets.flatMap((target) => target.windows ?? []);
    boundaries.push(...windows.flatMap(({ boundariesWithinMs }) => boundariesWithinMs ?? []));
    for (const history of (await readRun(join(out, 'latest'))).histories.values()) {
      if (history instanceof Error || history.header.cell.scenario !== 'drain/full-load') continue;
      const { observations } = history;
      held.push(observations.filter(({ kind }) => kind === 'work.held').length);
      for (const seen of observations) {
        if (seen.kind === 'exit.seen') exits.push((seen.t - (seen.begin ?? seen.t)) / 1e6);
      }
    }
  }
  return [
    `held at once        ${spread(held)}`,
    `largest process     ${spread(memory)} MB, goal ${GOAL_MB} MB`,
    `exit seen within    ${spread(exits)} ms, goal ${GOAL_EXIT_MS} ms`,
    `window known within ${spread(boundaries)} ms, goal ${GOAL_WINDOW_MS} ms`,
  ];
}
