import { clauseById } from '../contract/index.ts';
import { isMixed, otherColumns, plainMs, sweepSummaries } from '../judge/sweeps.ts';
import type { History } from '../model/history.ts';
import type { CellRef, Plan, PlannedTarget } from '../model/plan.ts';
import type { SweepStep, SweepSummary } from '../model/report.ts';
import { cellPath } from '../store/cell-path.ts';
import { cellName } from './plan.ts';

/** Cells that may be added between two values of a sweep that were neighbours at first. */
const MOST_BETWEEN = 3;
/** Cells that may be added for one image on one engine: all in all, and where next to nothing is declared of it. */
const MOST_ADDED = 12;
const MOST_ADDED_IN_BASELINE = 2;

/** Cells that refining sweeps may add at most for one image on one engine, in all rounds; 0 where nothing is swept. */
export function mostAdded({ cells, basis }: Pick<PlannedTarget, 'cells' | 'basis'>): number {
  const lines = Map.groupBy(
    cells.filter((cell) => cell.sweep !== undefined && !cell.sweep.added),
    lineOf,
  );
  const gaps = [...lines.values()].reduce((sum, line) => sum + new Set(line.map(plannedMs)).size - 1, 0);
  const limit = basis.preset === 'baseline' ? MOST_ADDED_IN_BASELINE : MOST_ADDED;
  return Math.min(limit, gaps * MOST_BETWEEN);
}

/** The plan with the cells that refining its sweeps adds in this round, by what the histories so far show; and those cells. */
export function withRefinements(
  plan: Plan,
  histories: readonly History[],
): { readonly plan: Plan; readonly cells: readonly CellRef[] } {
  const found = plan.targets.map((target) => {
    const mine = histories.filter(
      ({ header: { cell } }) => cell.engine === target.engine && cell.image === target.target.name,
    );
    return { target, cells: refinements(target, sweepSummaries(mine) ?? []) };
  });
  const targets = found.map(({ target, cells }) => ({ ...target, cells: [...target.cells, ...cells] }));
  return { plan: { ...plan, targets }, cells: found.flatMap(({ cells }) => cells) };
}

/**
 * The cells to add to a target's plan in this round: halfway between neighbouring values of a sweep that show different
 * things, each judged by the clauses that see the difference. None where the neighbours are as close as the sweep asks for,
 * or so close that what was achieved overlaps, or where repeats of one value differ: closer than that there is no edge. In
 * baseline there is one round only, which divides into three. Never a cell that is planned already: nothing is repeated.
 */
export function refinements(target: PlannedTarget, sweeps: readonly SweepSummary[]): readonly CellRef[] {
  const added = new Map<string, CellRef>();
  const before = target.cells.filter(({ sweep }) => sweep?.added).length;
  for (const summary of sweeps) {
    const line = target.cells.filter(
      (cell) => cell.scenario === summary.scenario && otherColumns(cell) === summary.others,
    );
    for (const [low, high] of changes(summary)) {
      for (const valueMs of between(low, high, target.basis.preset === 'baseline')) {
        const cell = cellAt(line, summary, valueMs);
        const known = cell && added.get(cell.path);
        if (cell === undefined || !speaks(summary.clause, cell, target)) continue;
        if (known !== undefined) {
          added.set(cell.path, { ...known, clauses: [...new Set([...known.clauses, ...cell.clauses])] });
        } else if (before + added.size < mostAdded(target) && hasRoom(line, [...added.values()], valueMs)) {
          added.set(cell.path, cell);
        }
      }
    }
  }
  return [...added.values()];
}

/** Neighbouring steps between which something changes that can be looked at more closely. */
function changes({ steps, toMs }: SweepSummary): readonly (readonly [SweepStep, SweepStep])[] {
  return steps.flatMap((high, index) => {
    const low = steps[index - 1];
    if (low === undefined || low.shows === high.shows || isMixed(low) || isMixed(high)) return [];
    const [fromMs, untilMs] = inner(low, high);
    const open = untilMs - fromMs > toMs && high.at.fromMs > low.at.toMs;
    return open ? [[low, high] as const] : [];
  });
}

function between(low: SweepStep, high: SweepStep, once: boolean): readonly number[] {
  const [fromMs, untilMs] = inner(low, high);
  return (once ? [1 / 3, 2 / 3] : [1 / 2]).map((part) => Math.round(fromMs + (untilMs - fromMs) * part));
}

/**
 * What lies between two steps, ms: from what was planned or, where it came later, achieved at least, to what was planned or,
 * where it came earlier, achieved at most. A signal into a start-up comes earlier where that is over by then.
 */
function inner(low: SweepStep, high: SweepStep): readonly [fromMs: number, untilMs: number] {
  return [Math.max(low.valueMs, low.at.fromMs), Math.min(high.valueMs, high.at.toMs)];
}

/** A cell of the sweep with that value; undefined where one is planned. */
function cellAt(line: readonly CellRef[], { clause }: SweepSummary, valueMs: number): CellRef | undefined {
  const [like] = line;
  if (like?.sweep === undefined || line.some((cell) => plannedMs(cell) === valueMs)) return undefined;
  const values = { ...like.values, [like.sweep.column]: `${valueMs}ms` };
  const cell = cellName(values);
  const ref: Omit<CellRef, 'path'> = {
    ...like,
    values,
    cell,
    sweep: { ...like.sweep, added: true },
    clauses: [clause],
    repeat: 1,
    sample: 1,
    lane: 'shared',
  };
  return { ...ref, path: cellPath(ref) };
}

function speaks(clause: string, { values }: CellRef, { basis }: PlannedTarget): boolean {
  return clauseById(clause)?.appliesTo?.(values, basis.terms) ?? true;
}

/** Whether fewer than may be are added between the two first values on both sides, those of this round too. */
function hasRoom(line: readonly CellRef[], round: readonly CellRef[], valueMs: number): boolean {
  const first = line.filter(({ sweep }) => !sweep?.added).map(plannedMs);
  const below = Math.max(...first.filter((one) => one < valueMs));
  const above = Math.min(...first.filter((one) => one > valueMs));
  const mine = round.filter((cell) => line.some((one) => lineOf(one) === lineOf(cell)));
  const there = [...line, ...mine].filter(
    (cell) => cell.sweep?.added && plannedMs(cell) > below && plannedMs(cell) < above,
  );
  return there.length < MOST_BETWEEN;
}

function plannedMs({ values, sweep }: CellRef): number {
  return plainMs(values[sweep?.column ?? ''] ?? '') ?? Number.NaN;
}

function lineOf(cell: CellRef): string {
  return `${cell.scenario} ${otherColumns(cell)}`;
}
