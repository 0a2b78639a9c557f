import { clauses as allClauses, levelsOf } from '../contract/index.ts';
import type { Clause, JudgementBasis } from '../model/clause.ts';
import type { EngineName, ImageFacts } from '../model/engine.ts';
import { createMask } from '../model/mask.ts';
import type { CellRef, CellValues, PlannedTarget } from '../model/plan.ts';
import type { Scenario } from '../model/scenario.ts';
import type { Target } from '../model/target.ts';
import { plainMs } from '../judge/sweeps.ts';
import { cellPath } from '../store/cell-path.ts';
import type { Missing } from './cell-setting.ts';
import { cellSetting } from './cell-setting.ts';
import { evaluateSignal, needsGrace } from './expression.ts';
import { serverFact } from './server-fact.ts';
import { storedFacts } from './stored-facts.ts';
import { storedTarget } from './stored-target.ts';

/** What `--only` and `--skip` leave over: tests for scenarios, for their cells by name (`kind=silent`), and for clauses. */
export interface Selection {
  readonly scenario: (id: string) => boolean;
  readonly cell: (scenario: string, cell: string) => boolean;
  readonly clause: (id: string) => boolean;
}

interface Row {
  readonly scenario: Scenario;
  readonly values: CellValues;
  readonly clauses: readonly string[];
  readonly missing?: Missing;
}

/**
 * The cells of one image on one engine: every matrix row of every selected scenario that can speak about a clause of
 * the preset. Clauses that no cell can exercise are named with the reason and what to declare: never a silent skip.
 */
export function planTarget(options: {
  readonly engine: EngineName;
  readonly target: Target;
  readonly facts: ImageFacts;
  readonly basis: JudgementBasis;
  readonly scenarios: readonly Scenario[];
  readonly selection: Selection;
  readonly repeat: number;
}): PlannedTarget {
  const { engine, target, facts, basis, selection, repeat } = options;
  const wanted = allClauses.filter((clause) => (basis.levels[clause.id] ?? '-') !== '-' && selection.clause(clause.id));
  const rows = options.scenarios
    .filter((scenario) => scenario.helper === undefined && selection.scenario(scenario.id))
    .flatMap((scenario) => rowsOf(scenario, wanted, target, basis, selection));
  const able = rows.filter((row) => row.missing === undefined);
  const cells = able.flatMap((row) =>
    Array.from({ length: repeat }, (_, index) =>
      cellRef({ engine, image: target.name, row, repeat: index + 1, sample: 1, lane: 'shared' }),
    ),
  );
  const exercised = new Set(able.flatMap((row) => row.clauses));
  const server = serverFact(target.server, basis.terms.primarySignal);
  return {
    engine,
    target: storedTarget(target),
    facts: storedFacts(facts, createMask(target.secrets)),
    basis,
    ...(server === undefined ? {} : { server }),
    cells,
    unexercised: allClauses
      .filter((clause) => clause.levels[basis.preset] !== '-' && !exercised.has(clause.id))
      .map((clause) => ({ clause: clause.id, ...whyNot(clause, options.scenarios, rows, selection) })),
  };
}

/** The self-test and control cells of one engine. */
export function planInstrument(engine: EngineName, scenarios: readonly Scenario[]): CellRef[] {
  return scenarios
    .filter((scenario) => scenario.helper !== undefined)
    .map((scenario) =>
      cellRef({
        engine,
        image: 'instrument',
        row: { scenario, values: {}, clauses: [] },
        repeat: 1,
        sample: 1,
        lane: 'shared',
      }),
    );
}

/** The next sample of a cell, alone (architecture rule 4). */
export function nextSample(cell: CellRef): CellRef {
  const sample = cell.sample + 1;
  return { ...cell, sample, lane: 'alone', path: cellPath({ ...cell, sample }) };
}

/** Levels of a preset for the clauses that are selected. */
export function selectedLevels(preset: JudgementBasis['preset'], selection: Selection): JudgementBasis['levels'] {
  return Object.fromEntries(Object.entries(levelsOf({ name: preset })).filter(([id]) => selection.clause(id)));
}

/** The rows worth a container, and those that would be if something were declared. */
function rowsOf(
  scenario: Scenario,
  wanted: readonly Clause[],
  target: Target,
  basis: JudgementBasis,
  selection: Selection,
): Row[] {
  const mine = wanted.filter((clause) => scenario.clauses.includes(clause.id));
  const distinct = new Map(
    matrixRows(scenario)
      .filter((row) => suitsGrace(row, scenario, basis.terms.graceMs !== null))
      .map((row) => resolved(row, basis))
      .map((row) => [JSON.stringify(row), row]),
  );
  const chosen = [...distinct.values()].filter((values) => selection.cell(scenario.id, cellName(values)));
  const rows = chosen.map((values) => {
    const setting = cellSetting(scenario, values, target, basis);
    const speaking = mine.filter((clause) => clause.appliesTo?.(values, basis.terms) ?? true);
    return { scenario, values, speaking, ...('missing' in setting ? { missing: setting.missing } : {}) };
  });
  const audible = rows.filter(({ speaking }) => speaking.length > 0);
  // A row is worth a container only if some clause asks for just this row; what any row can say, the first one says.
  const asked = audible.filter(({ speaking }) => speaking.some((clause) => clause.appliesTo !== undefined));
  return (asked.length > 0 ? asked : audible.slice(0, 1)).map(({ speaking, ...row }) => ({
    ...row,
    clauses: speaking.map((clause) => clause.id),
  }));
}

/**
 * Where a column speaks of the grace, its values that do not are for a service without one: with a grace those rows are left
 * out, without one the others.
 */
function suitsGrace(row: CellValues, { matrix = {} }: Scenario, declared: boolean): boolean {
  return Object.entries(row).every(([name, value]) => {
    const speaks = (matrix[name] ?? []).some((other) => needsGrace(String(other)));
    return !speaks || needsGrace(String(value)) === declared;
  });
}

/** `signal=TERM`, or `-` for the one row of a scenario without a matrix. */
export function cellName(values: CellValues): string {
  const columns = Object.entries(values).map(([name, value]) => `${name}=${value}`);
  return columns.length === 0 ? '-' : columns.join(',');
}

function matrixRows(scenario: Scenario): CellValues[] {
  const columns = Object.entries(scenario.matrix ?? {});
  return columns.reduce<CellValues[]>(
    (rows, [name, values]) => rows.flatMap((row) => values.map((value) => ({ ...row, [name]: value }))),
    [{}],
  );
}

/** Signals are resolved here, so that `primary` and `TERM` are not run twice where they are the same. */
function resolved(values: CellValues, basis: JudgementBasis): CellValues {
  return values['signal'] === undefined
    ? values
    : { ...values, signal: evaluateSignal(String(values['signal']), values, basis.terms) };
}

function cellRef(options: {
  readonly engine: EngineName;
  readonly image: string;
  readonly row: Row;
  readonly repeat: number;
  readonly sample: number;
  readonly lane: CellRef['lane'];
}): CellRef {
  const { engine, image, row, repeat, sample, lane } = options;
  const cell = cellName(row.values);
  const ref = {
    engine,
    image,
    scenario: row.scenario.id,
    title: row.scenario.title,
    values: row.values,
    cell,
    ...sweepOf(row.scenario),
    clauses: row.clauses,
    repeat,
    sample,
    lane,
  };
  return { ...ref, path: cellPath(ref) };
}

function sweepOf({ sweep }: Scenario): Pick<CellRef, 'sweep'> {
  const toMs = sweep && plainMs(sweep.to);
  return sweep === undefined || toMs === undefined ? {} : { sweep: { column: sweep.column, toMs } };
}

const LEFT_OUT = 'left out by --only or --skip';

function whyNot(
  clause: Clause,
  scenarios: readonly Scenario[],
  rows: readonly Row[],
  selection: Selection,
): { reason: string; declare: string } {
  if (!selection.clause(clause.id)) return { reason: LEFT_OUT, declare: '' };
  const listing = scenarios.filter((scenario) => scenario.clauses.includes(clause.id));
  if (listing.length === 0) return { reason: 'no scenario exercises it yet', declare: '' };
  if (!listing.some((scenario) => selection.scenario(scenario.id))) return { reason: LEFT_OUT, declare: '' };
  const lacking = rows.flatMap((row) => (row.clauses.includes(clause.id) ? [row.missing] : []));
  // without HTTP at all it is no help to name what would be needed over HTTP/2
  const missing = lacking.find((one) => one?.capability === 'http') ?? lacking[0];
  if (missing) return { reason: missing.reason, declare: missing.declare };
  return { reason: 'no row of its scenarios applies under this preset', declare: '' };
}
