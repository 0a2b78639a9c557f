import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { qualifyMany } from '../../harness/cli/qualify-many.ts';
import type { Report } from '../../harness/model/report.ts';
import { smoke, variantSubjects } from '../variant-subjects.ts';
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

  it('breaks nothing', () => {
    expect(report.faults).toEqual([]);
    expect(report.targets).toHaveLength(variants.length * engines.length);
  });

  it.each(variants)('$fault is caught by $clauses on both engines, and nothing of the smoke set', (variant) => {
    const targets = report.targets.filter(({ image }) => image === variant.fault);
    const verdicts = targets.flatMap((target) => target.verdicts);
    const of = (ids: readonly string[]): string[] =>
      verdicts
        .filter(({ clause }) => ids.includes(clause))
        .map(({ engine, clause, outcome }) => `${engine} ${clause} ${outcome}`)
        .toSorted();
    const all = (ids: readonly string[], outcome: string): string[] =>
      engines.flatMap((engine) => ids.map((id) => `${engine} ${id} ${outcome}`)).toSorted();
    const said = verdicts
      .filter(({ findings }) => findings.length > 0)
      .map(({ engine, clause, outcome, seen }) => `${engine} ${clause} ${outcome}: ${seen}`)
      .join('\n');
    expect(of(variant.clauses), said).toEqual(all(variant.clauses, 'fail'));
    expect(of(smoke), said).toEqual(all(smoke, 'pass'));
  });
});
