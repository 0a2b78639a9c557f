import type { Header } from '../model/history.ts';
import { HISTORY_FORMAT } from '../model/history.ts';
import type { RunClock } from './clock.ts';
import type { CellContext } from './execute.ts';
import { storedTarget } from './stored-target.ts';

/** Half-widths of the stop readings, ms: measured for the lane that decides and for side by side (engines.md section 1). */
const UNCERTAINTY = { alone: { hostMs: 5, engineMs: 12 }, shared: { hostMs: 15, engineMs: 40 } } as const;

/** What a history begins with: who ran what where, by which terms, and what its stamps are worth. */
export function cellHeader(context: CellContext, clock: RunClock): Header {
  return {
    format: HISTORY_FORMAT,
    harness: context.harness,
    run: context.run,
    cell: context.cell,
    engine: context.engine,
    image: context.image,
    ready: storedTarget(context.target).ready,
    envKeys: Object.keys(context.target.env),
    origin: clock.origin,
    uncertainty: uncertaintyOf(context),
    basis: context.basis,
  };
}

/** Stamps made on a remote engine's host are as good as the two clocks are known against each other. */
function uncertaintyOf({ cell, engine }: CellContext): Header['uncertainty'] {
  const { hostMs, engineMs } = UNCERTAINTY[cell.lane];
  return { hostMs: hostMs + engine.clockErrorMs, engineMs };
}
