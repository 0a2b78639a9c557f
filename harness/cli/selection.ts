import { clauses, familyOf } from '../contract/index.ts';
import { UsageError } from '../model/errors.ts';
import type { Plan } from '../model/plan.ts';
import type { Scenario } from '../model/scenario.ts';
import type { Selection } from '../run/plan.ts';

/**
 * `--only` and `--skip`: each entry is a clause id, a clause family (`SIG`), a scenario id or a scenario prefix
 * (`signal/`), or one cell of a scenario (`drain/stalled:kind=silent`). Throws UsageError for one that is none of these,
 * naming what there is.
 */
export function select(only: readonly string[], skip: readonly string[], scenarios: readonly Scenario[]): Selection {
  const kept = only.map((entry) => understand('--only', entry, scenarios));
  const left = skip.map((entry) => understand('--skip', entry, scenarios));
  const keptScenarios = kept.filter((entry) => entry.kind !== 'clause');
  const keptClauses = kept.filter((entry) => entry.kind === 'clause');
  const matches = (entries: readonly Entry[], id: string): boolean => entries.some((entry) => entry.matches(id));
  const whole = (entries: readonly Entry[]): readonly Entry[] => entries.filter((entry) => entry.cell === undefined);
  return {
    scenario: (id) =>
      (keptScenarios.length === 0 || matches(keptScenarios, id)) &&
      !matches(whole(left.filter((entry) => entry.kind !== 'clause')), id),
    cell: (id, name) => {
      const picked = (entry: Entry): boolean =>
        entry.kind !== 'clause' && entry.matches(id) && (entry.cell === undefined || isCell(entry.cell, name));
      return (keptScenarios.length === 0 || kept.some(picked)) && !left.some(picked);
    },
    clause: (id) =>
      (keptClauses.length === 0 || matches(keptClauses, id)) &&
      !matches(
        left.filter((entry) => entry.kind === 'clause'),
        id,
      ),
  };
}

/** A cell has every column that a name asks for; `-` is the one cell of a scenario without a matrix. */
function isCell(asked: string, name: string): boolean {
  const columns = name.split(',');
  return asked.split(',').every((column) => columns.includes(column.trim()));
}

/** Throws UsageError for an entry of `--require` that is neither a clause id nor a family of clauses. */
export function checkRequired(required: readonly string[]): void {
  const unknown = required.find((entry) => !clauses.some(({ id }) => id === entry || familyOf(id) === entry));
  if (unknown === undefined) return;
  throw new UsageError(`--require "${unknown}": no clause or family of that name; lf-qualify --list shows them`);
}

/**
 * Throws UsageError for a cell named by `--only` that is not among the planned ones: a signal that the preset has no use
 * for, or a row that needs what is not declared.
 */
export function checkPlanned(only: readonly string[], plan: Plan): void {
  for (const entry of only) {
    const [scenario = '', cell] = entry.split(/:(.*)/s);
    if (cell === undefined) continue;
    const planned = plan.targets.flatMap((target) => target.cells).filter((ref) => ref.scenario === scenario);
    if (planned.some((ref) => isCell(cell, ref.cell))) continue;
    throw new UsageError(
      `--only "${entry}": no such cell is planned for this image; lf-qualify --plan without --only shows which are`,
    );
  }
}

interface Entry {
  readonly kind: 'scenario' | 'clause';
  readonly matches: (id: string) => boolean;
  /** Name of the one cell that is meant. */
  readonly cell?: string;
}

function understand(option: string, entry: string, scenarios: readonly Scenario[]): Entry {
  const exact = clauses.some(({ id }) => id === entry);
  const clause = (id: string): boolean => (exact ? id === entry : id.startsWith(`${entry}-`));
  if (clauses.some(({ id }) => clause(id))) return { kind: 'clause', matches: clause };
  const [name = '', cell] = entry.split(/:(.*)/s);
  const scenario = (id: string): boolean =>
    id === name || (name.endsWith('/') && cell === undefined && id.startsWith(name));
  const named = scenarios.find(({ id }) => scenario(id));
  if (named) {
    checkCell(option, entry, cell, named);
    return { kind: 'scenario', matches: scenario, ...(cell === undefined ? {} : { cell }) };
  }
  throw new UsageError(`${option} "${entry}": no clause or scenario of that name; lf-qualify --list shows them`);
}

/** A cell is named by the columns of its scenario's matrix; a signal may be one that the preset or the image brings. */
function checkCell(option: string, entry: string, cell: string | undefined, { id, matrix = {} }: Scenario): void {
  if (cell === undefined || (cell === '-' && Object.keys(matrix).length === 0)) return;
  for (const part of cell.split(',')) {
    const [column = '', value = ''] = part.trim().split(/=(.*)/s);
    const values = matrix[column];
    if (values && (column === 'signal' || values.map(String).includes(value))) continue;
    const columns = Object.entries(matrix).map(([name, all]) => `${name}=${all.join('|')}`);
    const there = columns.length === 0 ? 'it has only one cell, "-"' : `its cells are named ${columns.join(',')}`;
    throw new UsageError(`${option} "${entry}": ${id} has no cell "${cell}"; ${there}`);
  }
}
