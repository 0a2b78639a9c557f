import { describe, expect, it } from 'vitest';
import { clauses, levelsOf } from '../../harness/contract/index.ts';
import { loadScenarios } from '../../harness/cli/scenario-files.ts';
import { scenarioFolder } from '../../harness/cli/package-info.ts';
import { caseSubjects } from '../case-subjects.ts';
import { cases, nameOf } from './cases.ts';
import { sample } from './sample.ts';
import { notPlayed } from './table/not-played.ts';

/** How many cases of each kind there are at least. */
const kinds = { PID: 8, SH: 11, PM: 7, INIT: 5, SUP: 7, SIG: 8, START: 3, OOM: 4, LOG: 3 };
const rows = cases.map((one) => ({ ...one, name: nameOf(one) }));
const kindOf = (id: string): string => id.replace(/-\d+$/, '');

describe('the table of cases', () => {
  it.each(Object.entries(kinds))('has at least so many of the kind %s: %i, and a good one', (kind, least) => {
    const mine = rows.filter(({ id }) => kindOf(id) === kind);
    expect(new Set(mine.map(({ id }) => id)).size).toBeGreaterThanOrEqual(least);
    expect(mine.filter(({ good }) => good).length).toBeGreaterThan(0);
  });

  it('has no case twice, and none that is said not to be played', () => {
    expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
    expect(rows.filter(({ id }) => id in notPlayed)).toEqual([]);
  });

  it.each(Object.entries(notPlayed))('says of %s why no image plays it: %s', (id, why) => {
    expect(Object.keys(kinds)).toContain(kindOf(id));
    expect(why).toMatch(/^\S.{20,}/);
  });

  it('names a sample of cases that there are', () => {
    expect(sample.filter((name) => !rows.some((row) => row.name === name))).toEqual([]);
  });

  it.each(rows)('says of $name why, and speaks only of clauses of the baseline', ({ expected, engines = {}, why }) => {
    const levels = levelsOf({ name: 'baseline' });
    for (const some of [expected, ...Object.values(engines)]) {
      expect(Object.keys(some).filter((id) => (levels[id] ?? '-') === '-')).toEqual([]);
    }
    expect(Object.keys(expected).length).toBeGreaterThan(0);
    expect(why).toMatch(/^\S.{10,}/);
  });

  it.each(rows)('looks in what $name saw only where it expects something', ({ expected, said = {} }) => {
    expect(Object.keys(said).filter((id) => !(id in expected))).toEqual([]);
  });

  it.each(rows.filter(({ good }) => good))('$name, a good one, keeps every MUST but perhaps IMG-1', ({ expected }) => {
    const must = clauses.filter(({ id, levels }) => levels.baseline === 'M' && id !== 'IMG-1').map(({ id }) => id);
    expect(Object.entries(expected).filter(([id, outcome]) => must.includes(id) && outcome !== 'pass')).toEqual([]);
  });

  it.each(rows.filter(({ good }) => !good))(
    '$name, a bad one, fails something or declares what makes it good',
    (row) => {
      const declared = row.given?.acceptedStatuses !== undefined;
      expect(
        declared || Object.values(row.expected).some((outcome) => ['fail', 'inconclusive'].includes(outcome)),
      ).toBe(true);
    },
  );

  it('asks for cells that there are', async () => {
    const { scenarios } = await loadScenarios(scenarioFolder);
    expect(() => caseSubjects(cases, scenarios)).not.toThrow();
  });
});
