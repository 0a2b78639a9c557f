import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { select } from '../harness/cli/selection.ts';
import type { Subject } from '../harness/cli/prepare.ts';
import type { Terms } from '../harness/model/clause.ts';
import type { Report } from '../harness/model/report.ts';
import type { Scenario } from '../harness/model/scenario.ts';
import { emptyProfile } from '../harness/profile/overruled.ts';
import { qualifyMany } from '../scripts/qualify-many.ts';

const engines = ['docker', 'podman'] as const;

/** One image as a stranger, with what is declared of it and of its environment, and what clauses must say. */
interface Row {
  readonly name: string;
  readonly image: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly terms?: Partial<Terms>;
  readonly only: readonly string[];
  readonly expected: Readonly<Record<string, readonly [outcome: string, seen: RegExp]>>;
}

const window = ['ADM-5', 'ADM-6-live', 'window/no-controller'];
const tcp = ['DRN-5', 'DRN-6', 'startup/idle-life', 'drain/stalled-tcp'];
const fault = (name: string) => ({ image: 'variants', env: { FAULT: name } });

const rows: readonly Row[] = [
  {
    name: 'refuses at once',
    image: 'reference',
    only: window,
    expected: { 'ADM-5': ['pass', /./], 'ADM-6-live': ['pass', /GET \/live refused/] },
  },
  {
    name: 'refuses at once, though liveness must go on',
    image: 'reference',
    terms: { livenessInDrain: 'serving' },
    only: window,
    expected: { 'ADM-5': ['pass', /./], 'ADM-6-live': ['fail', /GET \/live refused while 2 admitted/] },
  },
  {
    name: 'answers 503 while it drains, and liveness goes on',
    ...fault('listener-stays-up'),
    terms: { livenessInDrain: 'serving' },
    only: window,
    expected: { 'ADM-5': ['pass', /./], 'ADM-6-live': ['pass', /GET \/live 200 while 2 admitted/] },
  },
  {
    name: 'serves on for a time that is declared',
    ...fault('serves-on'),
    terms: { serveAfterMs: 1000 },
    only: [...window, 'SIG-1-fast', 'DRN-9', 'signal/no-load:signal=TERM'],
    expected: { 'ADM-5': ['pass', /./], 'SIG-1-fast': ['pass', /exit 0/], 'DRN-9': ['pass', /exit 0/] },
  },
  {
    name: 'serves on for longer than is declared',
    ...fault('serves-on'),
    terms: { serveAfterMs: 100 },
    only: window,
    expected: { 'ADM-5': ['fail', /\(150 ms allowed\); .*declare terms: \{ serveAfter: 1s \}/] },
  },
  {
    name: 'leaves its listener open after a time that is declared',
    ...fault('listener-stays-up'),
    terms: { serveAfterMs: 100 },
    only: window,
    expected: { 'ADM-5': ['fail', /connects succeeded, the last at least .* \(250 ms allowed\)/] },
  },
  {
    name: 'is a black hole for new connections',
    ...fault('black-hole-listener'),
    only: window,
    expected: { 'ADM-5': ['fail', /new connections were left hanging/] },
  },
  {
    name: 'waits for silent clients of bare TCP',
    image: 'waits-for-clients',
    only: tcp,
    expected: { 'DRN-5': ['fail', /still running .*2 over tcp/], 'DRN-6': ['fail', /socket held the process/] },
  },
  {
    name: 'drops its clients of bare TCP',
    image: 'waits-for-clients',
    env: { CLIENTS: 'cut' },
    only: tcp,
    expected: { 'DRN-5': ['pass', /2 over tcp/], 'DRN-6': ['pass', /never admitted/] },
  },
];

const liveness = [{ method: 'GET', path: '/live' }];

function subjectsOf(scenarios: readonly Scenario[]): readonly Subject[] {
  return rows.map(({ name, image, env = {}, terms = {}, only }) => ({
    reference: `lf-qualify/${image}:dev`,
    name,
    flags: { preset: 'baseline', env, require: [] },
    profile: { ...emptyProfile, terms, endpoints: { ...emptyProfile.endpoints, liveness } },
    selection: select(only, [], scenarios),
  }));
}

describe('what people differ on, and ports without HTTP', () => {
  let folder: string;
  let report: Report;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lf-qualify-policies-'));
    report = await qualifyMany({ subjects: subjectsOf, engines, jobs: 4, repeat: 1, out: folder });
  });
  afterAll(async () => await rm(folder, { recursive: true, force: true }));

  it('breaks nothing', () => {
    expect(report.faults).toEqual([]);
  });

  it.each(rows.flatMap((row) => engines.map((engine) => ({ ...row, engine }))))(
    'an image that $name is told so on $engine',
    ({ name, engine, expected }) => {
      const target = report.targets.find((entry) => entry.image === name && entry.engine === engine);
      for (const [clause, [outcome, seen]] of Object.entries(expected)) {
        const verdict = target?.verdicts.find((entry) => entry.clause === clause);
        expect([clause, verdict?.outcome, verdict?.seen]).toEqual([clause, outcome, expect.stringMatching(seen)]);
      }
    },
  );
});
