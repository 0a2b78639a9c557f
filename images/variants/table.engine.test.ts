import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { qualifyMany } from '../../scripts/qualify-many.ts';
import type { Report } from '../../harness/model/report.ts';
import { smoke, smokeOf, variantSubjects } from '../variant-subjects.ts';
import { variants } from './variants.ts';

const engines = ['docker', 'podman'] as const;

describe('one fault at a time', () => {
  let folder: string;
  let report: Report;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lf-qualify-variants-'));
    report = await qualifyMany({ subjects: variantSubjects, engines, jobs: 4, repeat: 1, out: folder });
  });
  afterAll(async () => await rm(folder, { recursive: true, force: true }));

  /** Outcomes of some clauses of one subject, with what was seen. */
  const judged = (subject: string, ids: readonly string[]): { outcomes: readonly string[]; said: string } => {
    const verdicts = report.targets
      .filter(({ image }) => image === subject)
      .flatMap((target) => target.verdicts)
      .filter(({ clause }) => ids.includes(clause));
    return {
      outcomes: verdicts.map(({ engine, clause, outcome }) => `${engine} ${clause} ${outcome}`).toSorted(),
      said: verdicts.map(({ engine, clause, outcome, seen }) => `${engine} ${clause} ${outcome}: ${seen}`).join('\n'),
    };
  };
  const expected = (ids: readonly string[], outcome: (id: string) => string): readonly string[] =>
    engines.flatMap((engine) => ids.map((id) => `${engine} ${id} ${outcome(id)}`)).toSorted();

  it('breaks nothing', () => {
    expect(report.faults).toEqual([]);
    expect(report.targets).toHaveLength(2 * variants.length * engines.length);
  });

  it.each(variants)('$fault is caught by $clauses on both engines', ({ fault, clauses }) => {
    const { outcomes, said } = judged(fault, clauses);
    expect(outcomes, said).toEqual(expected(clauses, () => 'fail'));
  });

  it.each(variants)('$fault fails nothing of the smoke set but $alsoFails', ({ fault, alsoFails }) => {
    const { outcomes, said } = judged(smokeOf(fault), smoke);
    expect(outcomes, said).toEqual(expected(smoke, (id) => (alsoFails.includes(id) ? 'fail' : 'pass')));
  });
});
