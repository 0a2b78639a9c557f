import { clauseById } from '../../contract/index.ts';
import type { Clause, Finding } from '../../model/clause.ts';
import type { Outcome } from '../../model/verdict.ts';
import { history } from './history-builder.ts';
import type { Entry, Setting } from './history-builder.ts';

/** One row of a clause's table: the promise, the outcome, the history, what must be said, what else is in force. */
export type Row = readonly [
  promise: string,
  outcome: Outcome,
  entries: readonly Entry[],
  seen: RegExp,
  setting?: Setting,
];

/** The bare check of a clause on a literal history, without the rules that the judge adds for all clauses. */
export function checkClause(clause: Clause, setting: Setting, entries: readonly Entry[]): Finding {
  const literal = history({ clauses: [clause.id], ...setting }, ...entries);
  return clause.check(literal, literal.header.basis.terms);
}

/** The same by the clause's id. */
export function judgeClause(id: string, setting: Setting, entries: readonly Entry[]): Finding {
  const clause = clauseById(id);
  if (!clause) throw new Error(`no clause ${id}`);
  return checkClause(clause, setting, entries);
}
