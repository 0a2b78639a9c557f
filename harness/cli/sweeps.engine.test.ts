import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Plan } from '../model/plan.ts';
import type { Call } from './testing.suite.ts';
import { call, tool } from './testing.suite.ts';

const engines = ['docker', 'podman'];
const folder = mkdtempSync(join(tmpdir(), 'lf-qualify-sweep-'));
/** The image is deaf for the first two seconds of its start. */
const SWEEP = `import { exited, scenario, settle, signal, starting } from 'lf-qualify';
scenario({
  id: 'own/sweep',
  title: 'a signal before and after the end of a deaf window',
  matrix: { offset: ['1400ms', '2600ms'] },
  sweep: { column: 'offset', to: '250ms' },
  script: [starting('$offset'), signal('primary'), settle('1s'), signal('primary'), exited('3s')],
  clauses: ['STA-9'],
});
`;
let run: Call;
const file = (name: string): string => readFileSync(join(run.out, 'latest', name), 'utf8');

beforeAll(async () => {
  writeFileSync(join(folder, 'sweep.scenario.ts'), SWEEP);
  const declared = ['--no-discovery', '--ready', 'tcp:8080', '--preset', 'light-fabric'];
  const asked = ['--engine', engines.join(','), '--only', 'own/sweep', '--scenarios', folder];
  run = call(['lf-qualify/slow-entrypoint:dev', ...declared, ...asked]);
  await run.process;
});

afterAll(() => {
  run.dispose();
  rmSync(folder, { recursive: true });
});

describe('a sweep whose outcome changes', () => {
  it.each(engines)('is refined on %s until the bracket is as small as the scenario asks for', (engine) => {
    const target = run.report().targets.find((one) => one.engine === engine);
    const steps = target?.sweeps?.[0]?.steps ?? [];
    const edge = steps.findIndex(({ shows }) => shows === 'heard');
    const [last, first] = [steps[edge - 1], steps[edge]];
    expect(steps.map(({ shows }) => shows)).toEqual(steps.map((_, at) => (at < edge ? 'lost' : 'heard')));
    expect(steps[0]).toMatchObject({ valueMs: 1400, shows: 'lost' });
    expect(steps.at(-1)?.shows).toBe('heard');
    if (last === undefined || first === undefined) throw new Error('no bracket');
    const width = Math.min(first.valueMs, first.at.toMs) - Math.max(last.valueMs, last.at.fromMs);
    // on a busy machine what was achieved may overlap before that
    expect(width <= 250 || first.at.fromMs <= last.at.toMs, JSON.stringify(steps)).toBe(true);
    expect(steps.filter(({ added }) => added).length).toBeGreaterThan(0);
  });

  it('judges what was added like everything else, planned before it ran', async () => {
    const plan = JSON.parse(file('plan.json')) as Plan;
    const report = run.report();
    for (const { engine, cells } of plan.targets) {
      const verdict = report.targets
        .find((one) => one.engine === engine)
        ?.verdicts.find(({ clause }) => clause === 'STA-9');
      const added = cells.filter(({ sweep }) => sweep?.added).map(({ path }) => path);
      expect(added.length).toBeGreaterThan(0);
      expect(verdict?.findings.map(({ history }) => history)).toEqual(expect.arrayContaining(added));
    }
    expect(report.faults).toEqual([]);
    const { stdout } = await tool(['judge', join(run.out, 'latest'), '--format', 'json']);
    expect((JSON.parse(stdout) as typeof report).targets.map(({ sweeps }) => sweeps)).toEqual(
      report.targets.map(({ sweeps }) => sweeps),
    );
  });

  it('is reported beside the clause', async () => {
    const bracket = /STA-9 by offset: lost at \d+\.\.\d+ ms and before, heard from \d+\.\.\d+ ms on \(own\/sweep, \d/g;
    const { stdout } = await run.process;
    expect(stdout.replace(/\s+/g, ' ').match(bracket)).toHaveLength(engines.length);
    expect(file('junit.xml').match(bracket)).toHaveLength(engines.length);
    expect(file('junit.xml')).toContain('name="STA-9.bracket"');
  });

  it('is announced by --plan', async () => {
    const { stdout } = await tool([
      'lf-qualify/slow-entrypoint:dev',
      ...['--plan', '--no-discovery', '--ready', 'tcp:8080', '--preset', 'light-fabric'],
      ...['--only', 'own/sweep', '--scenarios', folder],
    ]);
    expect(stdout).toContain('up to 3 more where the outcome changes along own/sweep (offset), in between');
  });
});
