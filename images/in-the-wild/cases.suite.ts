import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Report } from '../../harness/model/report.ts';
import { qualifyMany } from '../../scripts/qualify-many.ts';
import { caseSubjects } from '../case-subjects.ts';
import type { Case } from './cases.ts';
import { nameOf } from './cases.ts';

const engines = ['docker', 'podman'] as const;

/** Qualifies these cases in one run, on both engines, and holds each verdict and what it saw against their rows. */
export function judgesCases(cases: readonly Case[]): void {
  describe('ways to stop that were seen in the wild', () => {
    let folder: string;
    let report: Report;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'lf-qualify-cases-'));
      const subjects = (scenarios: Parameters<typeof caseSubjects>[1]) => caseSubjects(cases, scenarios);
      report = await qualifyMany({ subjects, engines, jobs: 4, repeat: 1, out: folder });
    });
    afterAll(async () => await rm(folder, { recursive: true, force: true }));

    it('breaks nothing', () => {
      expect(report.faults).toEqual([]);
      expect(report.targets).toHaveLength(cases.length * engines.length);
    });

    const rows = cases.flatMap((one) =>
      engines.map((engine) => ({ name: nameOf(one), engine, title: one.title, one })),
    );

    it.each(rows)('$name on $engine: $title', ({ name, engine, one }) => {
      const expected = { ...one.expected, ...one.engines?.[engine] };
      const verdicts = report.targets
        .filter((target) => target.image === name && target.engine === engine)
        .flatMap((target) => target.verdicts)
        .filter(({ clause }) => clause in expected);
      const seen = verdicts.map(({ clause, outcome, seen: what }) => `${clause} ${outcome}: ${what}`).join('\n');
      const outcomes = Object.fromEntries(verdicts.map(({ clause, outcome }) => [clause, outcome]));
      expect(outcomes, `${one.why}\n${seen}`).toEqual(expected);
      for (const [clause, pattern] of Object.entries(one.said ?? {})) {
        expect(verdicts.find((verdict) => verdict.clause === clause)?.seen, clause).toMatch(pattern);
      }
    });
  });
}
