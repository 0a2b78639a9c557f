import { ofKind } from '../contract/evidence/queries.ts';
import type { Finding } from '../model/clause.ts';
import type { History } from '../model/history.ts';
import type { CellRef } from '../model/plan.ts';
import type { SpanMs, SweepStep, SweepSummary } from '../model/report.ts';
import { judgeHistory } from './judge-history.ts';
import { decisiveSample } from './merge.ts';

/** One value of a sweep in one repeat, as one clause sees it. */
interface Sighting {
  readonly cell: CellRef;
  readonly clause: string;
  readonly valueMs: number;
  readonly at: SpanMs;
  readonly shows: string;
}

/** What stands between the outcomes of repeats that differ. */
const OR = ' or ';

/** Milliseconds of a plain time, `250ms` or `2s`; undefined of anything else. */
export function plainMs(time: string | number): number | undefined {
  const [, digits, unit] = /^(\d+)(ms|s)$/.exec(String(time)) ?? [];
  return digits === undefined ? undefined : Number(digits) * (unit === 's' ? 1000 : 1);
}

/** The columns of a cell but for the swept one, by which its sweep is told from others: `signal=TERM`, or `-`. */
export function otherColumns({ values, sweep }: CellRef): string {
  const others = Object.entries(values).filter(([name]) => name !== sweep?.column);
  return others.length === 0 ? '-' : others.map(([name, value]) => `${name}=${value}`).join(',');
}

/** Whether repeats of one value showed different things. */
export function isMixed({ shows }: SweepStep): boolean {
  return shows.includes(OR);
}

/**
 * The sweeps of one image on one engine in which the outcome changes, one for each clause that sees it change. Others may
 * be among the histories. Records that broke off or hold a fault tell nothing, nor do findings that leave open what came of
 * a value. Undefined where there is none. It decides nothing: every cell is judged by itself.
 */
export function sweepSummaries(histories: readonly History[]): readonly SweepSummary[] | undefined {
  const whole = histories.filter(
    (history) => history.header.cell.sweep !== undefined && history.complete && ofKind(history, 'fault').length === 0,
  );
  const cells = Map.groupBy(whole, ({ header: { cell } }) => JSON.stringify([cell.scenario, cell.cell, cell.repeat]));
  const sightings = [...cells.values()].flatMap(sightingsOf);
  const lines = Map.groupBy(sightings, ({ cell, clause }) =>
    JSON.stringify([cell.scenario, otherColumns(cell), clause]),
  );
  const summaries = [...lines.entries()]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, line]) => summaryOf(line) ?? []);
  return summaries.length === 0 ? undefined : summaries;
}

/** What the samples of one cell tell together, by clause. */
function sightingsOf(samples: readonly History[]): readonly Sighting[] {
  const inOrder = samples.toSorted((a, b) => a.header.cell.sample - b.header.cell.sample);
  const cell = inOrder[0]?.header.cell;
  const valueMs = cell?.sweep && plainMs(cell.values[cell.sweep.column] ?? '');
  if (!cell || valueMs === undefined) return [];
  const judged = Map.groupBy(
    inOrder.flatMap((history) => judgeHistory(history)),
    ({ clause }) => clause,
  );
  return [...judged.entries()].flatMap(([clause, list]) => {
    const finding = decisiveSample(list.map((entry) => entry.finding));
    const shows = finding && shownBy(finding);
    if (!finding || shows === undefined) return [];
    const { lowMs = valueMs, highMs = valueMs } = finding.swept ?? {};
    return [{ cell, clause, valueMs, at: { fromMs: rounded(lowMs), toMs: rounded(highMs) }, shows }];
  });
}

function shownBy({ swept, outcome }: Finding): string | undefined {
  if (swept?.shows !== undefined) return swept.shows;
  return outcome === 'pass' ? 'passes' : outcome === 'fail' ? 'fails' : undefined;
}

function summaryOf(line: readonly Sighting[]): SweepSummary | undefined {
  const [first] = line;
  if (first?.cell.sweep === undefined) return undefined;
  const steps = [...Map.groupBy(line, ({ valueMs }) => valueMs).values()]
    .map(stepOf)
    .toSorted((a, b) => a.valueMs - b.valueMs);
  if (new Set(steps.map(({ shows }) => shows)).size < 2) return undefined;
  const { cell, clause } = first;
  const { column, toMs } = first.cell.sweep;
  return { clause, scenario: cell.scenario, column, others: otherColumns(cell), toMs, steps };
}

function stepOf(repeats: readonly Sighting[]): SweepStep {
  return {
    valueMs: repeats[0]?.valueMs ?? 0,
    at: {
      fromMs: Math.min(...repeats.map(({ at }) => at.fromMs)),
      toMs: Math.max(...repeats.map(({ at }) => at.toMs)),
    },
    shows: [...new Set(repeats.map(({ shows }) => shows))].toSorted().join(OR),
    ...(repeats.every(({ cell }) => cell.sweep?.added) && { added: true as const }),
    histories: repeats.map(({ cell }) => cell.path).toSorted(),
  };
}

/** To the microsecond: no stamp is better than that. */
function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
