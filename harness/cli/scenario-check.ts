import { clauses } from '../contract/index.ts';
import { presets } from '../contract/presets/index.ts';
import { plainMs } from '../judge/sweeps.ts';
import type { Terms } from '../model/clause.ts';
import { UsageError } from '../model/errors.ts';
import type { CellValues } from '../model/plan.ts';
import type { Scenario } from '../model/scenario.ts';
import { suggestion } from '../profile/nearest.ts';
import { evaluateTime, resolveColumns } from '../run/expression.ts';
import { scenarioSchema } from './scenario-schema.ts';

/** Any terms will do: whether an expression is understood depends on none of their values. */
const TERMS: Terms = { outerTimeoutMs: 0, idleWatchMs: 0, ...presets[0]?.terms } as Terms;

/** The keys of steps, loads and controllers that hold a time expression. */
const TIMES = new Set(['within', 'every', 'for', 'after']);

/**
 * What is wrong with a scenario of a file of one's own, one sentence each, with the place in it; nothing where it is
 * sound. Whatever the file declares may come here: nobody may have type-checked it.
 */
export function scenarioProblems(declared: unknown): readonly string[] {
  if ((declared as { helper?: unknown } | null)?.helper !== undefined)
    return ['helper: scenarios that run the helper check the instrument, and are bundled'];
  const parsed = scenarioSchema.safeParse(declared);
  if (!parsed.success) return parsed.error.issues.map(({ path, message }) => `${place(path)}${message}`);
  const scenario = declared as Scenario;
  const ids = clauses.map(({ id }) => id);
  const unknown = scenario.clauses.filter((id) => !ids.includes(id));
  return [
    ...unknown.map(
      (id) => `clauses: ${JSON.stringify(id)} is no clause${suggestion(id, ids)}; lf-qualify --list shows all`,
    ),
    ...columnProblems(scenario),
    ...sweepProblems(scenario),
  ];
}

/** A sweep can only be refined between plain times. */
function sweepProblems({ matrix = {}, sweep }: Scenario): readonly string[] {
  if (sweep === undefined) return [];
  const { column } = sweep;
  const values = Object.hasOwn(matrix, column) ? matrix[column] : undefined;
  if (values === undefined) {
    return [
      `sweep.column: ${JSON.stringify(column)} is no column of the matrix${suggestion(column, Object.keys(matrix))}`,
    ];
  }
  const others = values.filter((value) => plainMs(value) === undefined);
  return others.map(
    (value) => `sweep.column: ${column} has the value ${JSON.stringify(value)}; expected a plain time such as "250ms"`,
  );
}

/** `script[2].step: `; nothing for the scenario itself. */
function place(path: readonly PropertyKey[]): string {
  const text = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  return text === '' ? '' : `${text.replace(/^\./, '')}: `;
}

/** Columns that the matrix does not have, and times that are not understood, in every row. */
function columnProblems({ matrix = {}, setting, load, script }: Scenario): readonly string[] {
  const longest = Math.max(1, ...Object.values(matrix).map((values) => values.length));
  const problems = new Set<string>();
  // Each value of each column once is enough: no expression is understood by another column's value.
  for (let row = 0; row < longest; row += 1) {
    const values: CellValues = Object.fromEntries(
      Object.entries(matrix).map(([name, all]) => [name, all[row % all.length] ?? '']),
    );
    for (const [name, part] of Object.entries({ setting, load, script })) {
      try {
        for (const time of timesIn(resolveColumns(part ?? {}, values))) evaluateTime(time, TERMS);
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        problems.add(`${name}: ${error.message}`);
      }
    }
  }
  return [...problems];
}

function timesIn(value: unknown): string[] {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, item]) =>
    TIMES.has(key) && typeof item === 'string' ? [item] : timesIn(item),
  );
}
