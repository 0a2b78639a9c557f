import { describe, expect, it } from 'vitest';
import { basisOf, cellOf } from '../judge/testing/history-builder.ts';
import { plan as planOf } from '../judge/testing/plan-builder.ts';
import { otherColumns, plainMs } from '../judge/sweeps.ts';
import type { PresetName } from '../model/clause.ts';
import type { CellRef, CellValues, PlannedTarget } from '../model/plan.ts';
import type { SweepStep, SweepSummary } from '../model/report.ts';
import { mostAdded, refinements, withRefinements } from './refine.ts';

const cell = (values: CellValues, more: Partial<CellRef> = {}): CellRef =>
  cellOf({ values, clauses: ['STA-9'], cell: { scenario: 'startup/sweep', ...more } });
const offsets = (...list: readonly number[]): readonly CellRef[] =>
  list.map((ms) => cell({ offset: `${ms}ms` }, { sweep: { column: 'offset', toMs: 25 } }));

function targetOf(cells: readonly CellRef[], preset: PresetName = 'light-fabric'): PlannedTarget {
  const [target] = planOf(cells, { preset }, { basis: basisOf({ preset }) }).targets;
  if (!target) throw new Error('no target');
  return target;
}

/** Achieved within 10 ms after what was planned. */
const step = (valueMs: number, shows: string, more: Partial<SweepStep> = {}): SweepStep => ({
  valueMs,
  shows,
  at: { fromMs: valueMs, toMs: valueMs + 10 },
  histories: [],
  ...more,
});
const sweep = (steps: readonly SweepStep[], more: Partial<SweepSummary> = {}): SweepSummary => ({
  clause: 'STA-9',
  scenario: 'startup/sweep',
  column: 'offset',
  others: '-',
  toMs: 25,
  steps,
  ...more,
});
const values = (cells: readonly CellRef[]): readonly unknown[] => cells.map((one) => Object.values(one.values).at(-1));

/** Rounds until none adds anything, for a service that is deaf from one offset to another. */
function untilDone(first: PlannedTarget, from: number, to: number): readonly (readonly unknown[])[] {
  const rounds: (readonly unknown[])[] = [];
  for (let target = first; rounds.length < 20; ) {
    const steps = target.cells
      .map((one) => plainMs(one.values['offset'] ?? '') ?? 0)
      .toSorted((a, b) => a - b)
      .map((ms) => step(ms, ms >= from && ms < to ? 'lost' : 'heard'));
    const cells = refinements(target, [sweep(steps)]);
    if (cells.length === 0) return rounds;
    rounds.push(values(cells));
    target = { ...target, cells: [...target.cells, ...cells] };
  }
  throw new Error('never done');
}

describe('refining a sweep', () => {
  it('adds the value halfway, as a cell of its own that is judged by the clause that sees the change', () => {
    const [added, ...more] = refinements(targetOf(offsets(0, 150, 600)), [
      sweep([step(0, 'lost'), step(150, 'lost'), step(600, 'heard')]),
    ]);
    expect(more).toEqual([]);
    expect(added).toMatchObject({
      values: { offset: '375ms' },
      cell: 'offset=375ms',
      clauses: ['STA-9'],
      repeat: 1,
      sample: 1,
      lane: 'shared',
      sweep: { column: 'offset', toMs: 25, added: true },
      path: 'cells/docker/shop+1/startup__sweep/offset=375ms/r1-s1',
    });
  });

  it('halves each bracket three times at most, on both sides of a deaf window in the middle', () => {
    expect(untilDone(targetOf(offsets(0, 400, 800, 1600)), 300, 1000)).toEqual([
      ['200ms', '1200ms'],
      ['300ms', '1000ms'],
      ['250ms', '900ms'],
    ]);
  });

  it('ends where the neighbours are as close as the sweep asks for', () => {
    expect(untilDone(targetOf(offsets(0, 80)), 0, 30)).toEqual([['40ms'], ['20ms']]);
  });

  it('divides into three once, and adds two cells in all, where next to nothing is declared', () => {
    expect(untilDone(targetOf(offsets(0, 300, 900), 'baseline'), 200, 500)).toEqual([['100ms', '200ms']]);
  });

  it('looks between what was achieved, where that is closer than what was planned', () => {
    const steps = [
      step(0, 'lost', { at: { fromMs: 40, toMs: 60 } }),
      step(600, 'heard', { at: { fromMs: 150, toMs: 160 } }),
    ];
    expect(values(refinements(targetOf(offsets(0, 600)), [sweep(steps)]))).toEqual(['100ms']);
  });

  it.each([
    ['shows the same', [step(0, 'lost'), step(150, 'lost')]],
    ['was achieved so close that it overlaps', [step(0, 'lost', { at: { fromMs: 0, toMs: 151 } }), step(150, 'heard')]],
    ['differs between repeats', [step(0, 'lost'), step(150, 'heard or lost')]],
  ])('adds nothing where what is next to it %s', (_, steps) => {
    expect(refinements(targetOf(offsets(0, 150)), [sweep(steps)])).toEqual([]);
  });

  it('never plans a cell twice, though what came of it is not known', () => {
    const cells = [
      ...offsets(0, 100),
      cell({ offset: '50ms' }, { sweep: { column: 'offset', toMs: 25, added: true } }),
    ];
    expect(refinements(targetOf(cells), [sweep([step(0, 'lost'), step(100, 'heard')])])).toEqual([]);
  });

  it('adds one cell for two clauses that see the same change', () => {
    const cells = offsets(0, 100).map((one) => ({ ...one, clauses: ['STA-9', 'STA-1'] }));
    const steps = [step(0, 'lost'), step(100, 'heard')];
    const added = refinements(targetOf(cells), [sweep(steps), sweep(steps, { clause: 'STA-1' })]);
    expect(added.map(({ clauses }) => clauses)).toEqual([['STA-9', 'STA-1']]);
  });

  it('keeps the other columns, and leaves out a clause that cannot speak about what is between', () => {
    const sweepOf = { column: 'apart', toMs: 5 } as const;
    const cells = ['10ms', '100ms'].map((apart) =>
      cell({ signal: 'INT', apart }, { scenario: 'signal/second-same', clauses: ['SIG-6'], sweep: sweepOf }),
    );
    const more = { scenario: 'signal/second-same', column: 'apart', others: 'signal=INT', toMs: 5 };
    const steps = [step(10, 'fails'), step(100, 'passes')];
    expect(refinements(targetOf(cells), [sweep(steps, { ...more, clause: 'SIG-6' })])).toMatchObject([
      { cell: 'signal=INT,apart=55ms', values: { signal: 'INT', apart: '55ms' } },
    ]);
    expect(refinements(targetOf(cells), [sweep(steps, { ...more, clause: 'SIG-5' })])).toEqual([]);
    expect(cells.map(otherColumns)).toEqual(['signal=INT', 'signal=INT']);
  });

  it.each([
    ['three for each gap', offsets(0, 150, 600), 'light-fabric', 6],
    ['no more than twelve', offsets(0, 10, 20, 30, 40, 50, 60), 'light-fabric', 12],
    ['two in baseline', offsets(0, 150, 600), 'baseline', 2],
    ['none without a sweep', [cell({ offset: '0ms' })], 'light-fabric', 0],
    ['none with one value', offsets(0), 'light-fabric', 0],
  ] as const)('adds at most %s', (_, cells, preset, most) => {
    expect(mostAdded(targetOf(cells, preset))).toBe(most);
  });

  it('leaves a plan as it is where no history shows a change', () => {
    const plan = planOf(offsets(0, 150));
    expect(withRefinements(plan, [])).toEqual({ plan, cells: [] });
  });
});
