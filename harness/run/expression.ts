import type { Terms } from '../model/clause.ts';
import { UsageError } from '../model/errors.ts';
import type { CellValues } from '../model/plan.ts';
import type { SignalExpression, TimeExpression } from '../model/scenario.ts';

/** The hard bound of a stop, ms: the no-load bound or grace + floor, whichever is later (contract.md, Terms). */
export function hardBoundMs(terms: Terms): number {
  return Math.max(terms.stopBoundMs, (terms.graceMs ?? 0) + terms.floorMs);
}

/** Work that is begun shortly before the signal and lasts so long ends inside the grace, or where none is declared soon. */
const BEFORE_DEADLINE_MS = 100;
const LONG_WORK_MS = 1500;

const VARIABLES: Readonly<Record<string, (terms: Terms) => number>> = {
  grace: (terms) => terms.graceMs ?? 0,
  floor: (terms) => terms.floorMs,
  hardDeadline: hardBoundMs,
  stopBound: (terms) => terms.stopBoundMs,
  outerTimeout: (terms) => terms.outerTimeoutMs,
  idleWatch: (terms) => terms.idleWatchMs,
  serveAfter: (terms) => terms.serveAfterMs,
  longWork: (terms) => (terms.graceMs === null ? LONG_WORK_MS : Math.max(0, terms.graceMs - BEFORE_DEADLINE_MS)),
};

/**
 * Milliseconds of a scenario's time expression: a sum or difference of `200ms`, `1s` and the names grace, floor,
 * hardDeadline, stopBound, outerTimeout, idleWatch, serveAfter and longWork, each of which may be divided (`grace/4`); never below 0. Throws
 * UsageError naming the part that is not understood.
 */
export function evaluateTime(expression: TimeExpression, terms: Terms): number {
  const [first = '', ...rest] = expression.split(/\s*([+-])\s*/);
  let total = partMs(first, expression, terms);
  for (let at = 0; at < rest.length; at += 2) {
    const ms = partMs(rest[at + 1] ?? '', expression, terms);
    total += rest[at] === '-' ? -ms : ms;
  }
  return Math.max(0, total);
}

/** Whether an expression has a meaning only where a grace is declared. */
export function needsGrace(expression: TimeExpression): boolean {
  return /\bgrace\b/.test(expression);
}

function partMs(text: string, expression: string, terms: Terms): number {
  const [, part = '', divisor = '1'] = /^\s*(.*?)\s*(?:\/\s*(\d+))?\s*$/.exec(text) ?? [];
  const literal = /^(\d+(?:\.\d+)?)(ms|s)$/.exec(part);
  const variable = Object.hasOwn(VARIABLES, part) ? VARIABLES[part] : undefined;
  const ms = literal ? Number(literal[1]) * (literal[2] === 's' ? 1000 : 1) : variable?.(terms);
  if (ms !== undefined && Number(divisor) > 0) return ms / Number(divisor);
  throw new UsageError(
    `time expression "${expression}": "${text.trim()}" is neither a duration like 200ms or 1s nor one of ${Object.keys(VARIABLES).join(', ')}`,
  );
}

/** A text with every `$name` replaced by the value of that matrix column; throws UsageError for a column that is none. */
export function fromMatrix(expression: string, values: CellValues): string {
  return expression.replace(/\$(\w+)/g, (reference, name: string) => {
    const value = values[name];
    if (value === undefined) throw new UsageError(`"${reference}" names no column of the scenario's matrix`);
    return String(value);
  });
}

/** The same for every text inside a piece of a scenario. */
export function resolveColumns<T>(value: T, values: CellValues): T {
  if (typeof value === 'string') return fromMatrix(value, values) as T;
  if (Array.isArray(value)) return value.map((item) => resolveColumns(item, values)) as T;
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolveColumns(item, values)])) as T;
}

/** The signal a step means, without SIG: matrix value, the preset's own for `primary`, or the name itself. */
export function evaluateSignal(expression: SignalExpression, values: CellValues, terms: Terms): string {
  const name = fromMatrix(expression, values);
  return name === 'primary' ? terms.primarySignal : name;
}
