import { clauseById, clauses } from '../../contract/index.ts';
import { presets } from '../../contract/presets/index.ts';
import { UsageError } from '../../model/errors.ts';
import { suggestion } from '../../profile/nearest.ts';
import { explainClause } from '../../report/explain.ts';

/** `lf-qualify explain CLAUSE`. Ids are taken in any case; an unknown one is a UsageError with the nearest known. */
export function explain(id: string): void {
  const ids = clauses.map((clause) => clause.id);
  const clause = clauseById(ids.find((known) => known.toLowerCase() === id.toLowerCase()) ?? id);
  if (clause === undefined)
    throw new UsageError(`clause "${id}" is not known${suggestion(id, ids)}; lf-qualify --list shows all`);
  process.stdout.write(explainClause(clause, presets, process.stdout.columns ?? 80));
}
