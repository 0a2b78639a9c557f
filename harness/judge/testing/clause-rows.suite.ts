import { describe, expect, it } from 'vitest';
import type { Clause } from '../../model/clause.ts';
import type { Row } from './judge-clause.ts';
import { checkClause } from './judge-clause.ts';
import type { WindowRow } from './window-builder.ts';

/** One test a row: outcome, what is said, and `timing` exactly where `timing` is among the row's last words. */
export function checkRows(clause: Clause, rows: readonly (Row | readonly [...Required<Row>, 'timing'])[]): void {
  for (const [promise, outcome, entries, seen, setting = {}, timing] of rows) {
    it(promise, () => {
      const finding = checkClause(clause, setting, entries);
      expect(finding).toMatchObject({ outcome, seen: expect.stringMatching(seen) });
      expect(finding.timing ?? false).toBe(timing === 'timing');
    });
  }
}

/** The same for rows about the window; what is not exercised must say what to declare, where `declare` is given. */
export function checkWindowRows(clause: Clause, rows: readonly WindowRow[], declare?: RegExp): void {
  describe(clause.id, () => {
    for (const [promise, outcome, entries, seen, setting = {}] of rows) {
      it(promise, () => {
        const finding = checkClause(clause, setting, entries);
        expect(finding.seen).toMatch(seen);
        expect(finding.outcome).toBe(outcome === 'timing' ? 'inconclusive' : outcome);
        expect(finding.timing ?? false).toBe(outcome === 'timing');
        if (declare !== undefined && outcome === 'not exercised') expect(finding.declare).toMatch(declare);
      });
    }
  });
}
