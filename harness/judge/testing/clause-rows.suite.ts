import { expect, it } from 'vitest';
import type { Clause } from '../../model/clause.ts';
import { checkClause } from './held-work.ts';
import type { Row } from './judge-clause.ts';

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
