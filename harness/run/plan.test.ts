import { describe, expect, it } from 'vitest';
import type { ImageFacts } from '../model/engine.ts';
import type { Scenario } from '../model/scenario.ts';
import { load, ready, signal, slowBodies } from '../model/steps.ts';
import type { Selection } from './plan.ts';
import { nextSample, planInstrument, planTarget } from './plan.ts';
import type { TargetFlags } from './resolve-target.ts';
import { resolveTarget } from './resolve-target.ts';

const everything: Selection = { scenario: () => true, cell: () => true, clause: () => true };
const only = (...ids: readonly string[]): Selection => ({ ...everything, clause: (id) => ids.includes(id) });
const flags: TargetFlags = { env: {}, require: [] };

const noLoad: Scenario = {
  id: 'signal/no-load',
  title: 't',
  matrix: { signal: ['primary', 'TERM', 'INT', 'HUP'] },
  script: [ready(), signal('$signal')],
  clauses: ['IMG-3', 'SIG-1', 'SIG-2', 'SIG-3'],
};
const held: Scenario = {
  id: 'deadline/x',
  title: 't',
  needs: ['http'],
  load: [slowBodies(1)],
  script: [load()],
  clauses: ['DLN-2'],
};
const self: Scenario = { id: 'instrument/x', title: 't', helper: ['exit', '7'], script: [], clauses: [] };

function facts(more: Partial<ImageFacts> = {}): ImageFacts {
  return {
    reference: 'shop:1',
    digest: 'sha256:1',
    entrypoint: [],
    command: [],
    user: '',
    stopSignal: { value: 'TERM', origin: 'engine default' },
    exposedPorts: [8080],
    labels: {},
    hasHealthcheck: false,
    repoDigests: [],
    ...more,
  };
}

function plan(
  options: { flags?: Partial<TargetFlags>; facts?: Partial<ImageFacts>; selection?: Selection; repeat?: number } = {},
) {
  const selection = options.selection ?? everything;
  const image = facts(options.facts);
  const { target, basis } = resolveTarget({
    facts: image,
    flags: { ...flags, ...options.flags },
    selection,
    judgedOn: '2026-01-01',
  });
  return planTarget({
    engine: 'docker',
    target,
    facts: image,
    basis,
    scenarios: [noLoad, held, self],
    selection,
    repeat: options.repeat ?? 1,
  });
}

const rows = (planned: ReturnType<typeof plan>) =>
  planned.cells.map(({ scenario, cell, clauses }) => `${scenario} ${cell}: ${clauses.join(' ')}`);

describe('the plan of one image', () => {
  it('has a container for each row that some clause of the preset asks for, and one only where two rows are the same', () => {
    expect(rows(plan({ flags: { preset: 'light-fabric' } }))).toEqual([
      'signal/no-load signal=TERM: IMG-3 SIG-1',
      'signal/no-load signal=INT: IMG-3 SIG-2',
      'deadline/x -: DLN-2',
    ]);
    expect(rows(plan({ flags: { preset: 'openab-cp' } }))).toContain('signal/no-load signal=HUP: IMG-3 SIG-3');
  });

  it('uses the image’s own stop signal under baseline', () => {
    const planned = plan({ facts: { stopSignal: { value: 'QUIT', origin: 'image' } } });
    expect(rows(planned)).toContain('signal/no-load signal=QUIT: IMG-3 SIG-1');
  });

  it('runs the first row alone when what is asked for can be said by any', () => {
    expect(rows(plan({ flags: { preset: 'light-fabric' }, selection: only('IMG-3') }))).toEqual([
      'signal/no-load signal=TERM: IMG-3',
    ]);
  });

  it('runs the rows that speak of the grace where there is one, the others where there is none', () => {
    const matrix = { at: ['500ms', 'grace/4'] };
    const within: Scenario = { id: 'drain/x', title: 't', matrix, script: [], clauses: ['DRN-1'] };
    const cellsOf = (graceMs: number | null) => {
      const image = facts();
      const named = { preset: graceMs === null ? ('baseline' as const) : ('light-fabric' as const) };
      const { target, basis } = resolveTarget({
        facts: image,
        flags: { ...flags, ...named },
        selection: everything,
        judgedOn: '2026-01-01',
      });
      const options = { target, facts: image, basis, scenarios: [within], selection: everything, repeat: 1 };
      return planTarget({ engine: 'docker', ...options }).cells.map(({ cell }) => cell);
    };
    expect(cellsOf(2000)).toEqual(['at=grace/4']);
    expect(cellsOf(null)).toEqual(['at=500ms']);
  });

  it('says of every cell what its scenario sweeps, and how far that is refined', () => {
    const matrix = { offset: ['0ms', '1s'] };
    const sweep = { column: 'offset', to: '25ms' };
    const swept: Scenario = { id: 'startup/x', title: 't', matrix, sweep, script: [], clauses: ['STA-9'] };
    const image = facts();
    const { target, basis } = resolveTarget({ facts: image, flags, selection: everything, judgedOn: '2026-01-01' });
    const options = { target, facts: image, basis, scenarios: [swept, noLoad], selection: everything, repeat: 1 };
    const { cells } = planTarget({ engine: 'docker', ...options });
    expect(cells.filter(({ scenario }) => scenario === 'startup/x').map((cell) => cell.sweep)).toEqual([
      { column: 'offset', toMs: 25 },
      { column: 'offset', toMs: 25 },
    ]);
    expect(cells.find(({ scenario }) => scenario === 'signal/no-load')).not.toHaveProperty('sweep');
  });

  it('runs just the cell that is named', () => {
    const cell = (id: string, name: string): boolean => id === 'signal/no-load' && name === 'signal=INT';
    expect(rows(plan({ flags: { preset: 'light-fabric' }, selection: { ...everything, cell } }))).toEqual([
      'signal/no-load signal=INT: IMG-3 SIG-2',
    ]);
  });

  it('names what cannot be exercised, why, and what to declare', () => {
    const { unexercised } = plan({ flags: { preset: 'light-fabric' }, facts: { exposedPorts: [] } });
    expect(unexercised).toContainEqual({
      clause: 'DLN-2',
      reason: expect.stringMatching(/no HTTP port is known/),
      declare: expect.stringMatching(/port: 8080/),
    });
  });

  it('repeats every cell as often as asked, each with a history of its own', () => {
    const { cells } = plan({ flags: { preset: 'light-fabric' }, repeat: 3 });
    expect(new Set(cells.map(({ path }) => path)).size).toBe(9);
  });

  it('never plans the instrument as a cell of the image', () => {
    expect(rows(plan()).join()).not.toContain('instrument');
    expect(planInstrument('docker', [noLoad, self]).map(({ scenario }) => scenario)).toEqual(['instrument/x']);
  });

  it('gives the next sample of a cell its own place, alone', () => {
    const [cell] = plan().cells;
    const again = cell && nextSample(cell);
    expect(again).toMatchObject({ sample: 2, lane: 'alone' });
    expect(again?.path).not.toBe(cell?.path);
  });
});

describe('preset and terms of one image', () => {
  const basisOf = (options: Parameters<typeof plan>[0]) => plan(options).basis;
  it.each([
    [
      'flag',
      { flags: { preset: 'openab-cp' as const }, facts: { labels: { 'io.lf-qualify.preset': 'light-fabric' } } },
      'openab-cp',
      /--preset/,
    ],
    ['image label', { facts: { labels: { 'io.lf-qualify.preset': 'light-fabric' } } }, 'light-fabric', /image label/],
    [
      'bundled profile',
      { facts: { reference: 'networknt/light-gateway:2' } },
      'light-fabric',
      /bundled profile light-gateway/,
    ],
    ['nothing', {}, 'baseline', /default/],
  ])('by %s', (_, options, preset, origin) => {
    expect(basisOf(options)).toMatchObject({ preset, presetOrigin: expect.stringMatching(origin) });
  });

  it('a label that is wrong can be overruled', () => {
    const wrong = { labels: { 'io.lf-qualify.preset': 'heavy' } };
    expect(() => plan({ facts: wrong })).toThrow(/unknown preset "heavy"/);
    expect(basisOf({ facts: wrong, flags: { preset: 'baseline' } }).preset).toBe('baseline');
  });

  it('a clause that the preset does not judge cannot be required', () => {
    expect(() => plan({ flags: { require: ['SIG-3'], preset: 'light-fabric' } })).toThrow(
      /required clause "SIG-3" is not judged/,
    );
    expect(basisOf({ flags: { require: ['OBS-3'], preset: 'light-fabric' } }).required).toContain('OBS-3');
  });

  it('a family that is required asks for its MUST clauses, and one without any is refused', () => {
    const { required } = basisOf({ flags: { require: ['SIG'], preset: 'baseline' } });
    expect(required.filter((id) => id.startsWith('SIG'))).toEqual(['SIG-1', 'SIG-5', 'SIG-8']);
    expect(() => plan({ flags: { require: ['CFG'], preset: 'baseline' } })).toThrow(/required clause "CFG" is not/);
  });
});
