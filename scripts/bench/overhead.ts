import { join } from 'node:path';
import type { History } from '../../harness/model/history.ts';
import { readRun } from '../../harness/store/read-run.ts';
import type { Timed } from './product.ts';
import { firstClauses, product, reference } from './product.ts';
import { spread, unionLength } from './statistics.ts';

const RUNS = 5;
const GOAL_PERCENT = 15;

/** Wall time minus the union of container and engine-call intervals of the histories, as a share of the wall time. */
export async function benchOverhead(folder: string): Promise<string[]> {
  const shares: number[] = [];
  const walls: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const out = join(folder, `overhead-${run}`);
    const timed = await product(reference, ...firstClauses, '--out', out);
    if (timed.exitCode !== 0) return [`run ${run + 1} ended with exit code ${timed.exitCode}: nothing measured`];
    walls.push(timed.end - timed.begin);
    shares.push(await overheadPercent(join(out, 'latest'), timed));
  }
  return [
    `wall time   ${spread(walls)} ms, both engines, default jobs`,
    `overhead    ${spread(shares)} % of it outside of containers and engine calls, goal ${GOAL_PERCENT} %`,
  ];
}

async function overheadPercent(directory: string, { begin, end }: Timed): Promise<number> {
  const { histories } = await readRun(directory);
  const busy = [...histories.values()].flatMap((history) => (history instanceof Error ? [] : intervals(history)));
  const inside = busy.map(([from, to]) => [Math.max(from, begin), Math.min(to, end)] as const);
  return (100 * (end - begin - unionLength(inside))) / (end - begin);
}

function intervals({ header, observations }: History): [number, number][] {
  const origin = Number(BigInt(header.origin.monotonic) / 1000n) / 1000;
  const at = (t: number): number => origin + t / 1e6;
  const calls = observations.flatMap((seen): [number, number][] =>
    seen.kind === 'engine.call' ? [[at(seen.begin ?? seen.t), at(seen.t)]] : [],
  );
  const created = observations.find(({ kind }) => kind === 'container.created');
  const removed = observations.find(({ kind }) => kind === 'container.removed');
  return created && removed ? [...calls, [at(created.t), at(removed.t)]] : calls;
}
