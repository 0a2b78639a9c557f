import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { select } from '../../harness/cli/selection.ts';
import type { Subject } from '../../harness/cli/prepare.ts';
import type { Report } from '../../harness/model/report.ts';
import type { Scenario } from '../../harness/model/scenario.ts';
import { qualifyMany } from '../../scripts/qualify-many.ts';
import { variants } from './variants.ts';

const engines = ['docker', 'podman'] as const;
/** Shorter than the default of 5 s: what holds the process past its deadline shows sooner. */
const DRAIN_SECS = 2;

/** Each variant, judged by its clause in the one cell where its fault shows, under the preset of its label. */
const subjects = (scenarios: readonly Scenario[]): readonly Subject[] =>
  variants.map(({ fault, clause, where }) => ({
    reference: 'lf-qualify/control-plane-variants:dev',
    name: fault,
    flags: {
      env: { FAULT: fault, SHUTDOWN_DRAIN_SECS: String(DRAIN_SECS) },
      graceMs: DRAIN_SECS * 1000,
      outerTimeoutMs: 5000,
      require: [],
    },
    selection: select([clause, where], [], scenarios),
  }));

describe('one fault of a control plane at a time', () => {
  let folder: string;
  let report: Report;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lf-qualify-control-plane-'));
    report = await qualifyMany({ subjects, engines, jobs: 6, repeat: 1, out: folder });
  });
  afterAll(async () => await rm(folder, { recursive: true, force: true }));

  it('breaks nothing', () => {
    expect(report.faults).toEqual([]);
    expect(report.targets).toHaveLength(variants.length * engines.length);
  });

  it.each(variants)('$fault is caught by $clause on both engines', ({ fault, clause }) => {
    const verdicts = report.targets
      .filter(({ image }) => image === fault)
      .flatMap((target) => target.verdicts)
      .filter((verdict) => verdict.clause === clause);
    const said = verdicts.map(({ engine, outcome, seen }) => `${engine} ${clause} ${outcome}: ${seen}`).join('\n');
    expect(verdicts.map(({ engine, outcome }) => `${engine} ${outcome}`).toSorted(), said).toEqual(
      engines.map((engine) => `${engine} fail`),
    );
  });
});
