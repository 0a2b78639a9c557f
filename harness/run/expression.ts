import type { Terms } from '../model/clause.ts';
import { UsageError } from '../model/errors.ts';
import type { CellValues } from '../model/plan.ts';
import type { SignalExpression, TimeExpression } from '../model/scenario.ts';

/** The hard bound of a stop, ms: the no-load bound or grace + floor, whichever is later (contract.md, Terms). */
export function hardBoundMs(terms: Terms): number {
  return Math.max(terms.stopBoundMs, (terms.graceMs ?? 0) + terms.floorMs);
}

const VARIABLES: Readonly<Record<string, (terms: Terms) => number>> = {
  grace: (terms) => terms.graceMs ?? 0,
  floor: (terms) => terms.floorMs,
  hardDeadline: hardBoundMs,
  stopBound: (terms) => terms.stopBoundMs,
  outerTimeout: (terms) => terms.outerTimeoutMs,
  idleWatch: (terms) => terms.idleWatchMs,
};

/**
 * Milliseconds of a scenario's time expression: a sum of `200ms`, `1s` and the names grace, floor, hardDeadline,
 * stopBound, outerTimeout and idleWatch. Throws UsageError naming the part that is not understood.
 */
export function evaluateTime(expression: TimeExpression, terms: Terms): number {
  let total = 0;
  for (const part of expression.split('+').map((piece) => piece.trim())) {
    const literal = /^(\d+(?:\.\d+)?)(ms|s)$/.exec(part);
    const variable = VARIABLES[part];
    if (literal) total += Number(literal[1]) * (literal[2] === 's' ? 1000 : 1);
    else if (variable) total += variable(terms);
    else {
      const known = Object.keys(VARIABLES).join(', ');
      throw new UsageError(
        `time expression "${expression}": "${part}" is neither a duration like 200ms or 1s nor one of ${known}`,
      );
    }
  }
  return total;
}

/** The value behind `$name` in a matrix cell, else the text itself. */
export function fromMatrix(expression: string, values: CellValues): string {
  if (!expression.startsWith('$')) return expression;
  const value = values[expression.slice(1)];
  if (value === undefined) throw new UsageError(`"${expression}" names no column of the scenario's matrix`);
  return String(value);
}

/** The signal a step means, without SIG: matrix value, the preset's own for `primary`, or the name itself. */
export function evaluateSignal(expression: SignalExpression, values: CellValues, terms: Terms): string {
  const name = fromMatrix(expression, values);
  return name === 'primary' ? terms.primarySignal : name;
}
