import { describe, expect, it } from 'vitest';
import { formatBrackets, formatSweep } from '../report/wording-sweeps.ts';
import { plainMs, sweepSummaries } from './sweeps.ts';
import type { Entry, Setting } from './testing/history-builder.ts';
import { at, exit, history, processFact, ready, SIGNAL_AT, signal } from './testing/history-builder.ts';
import { answered, finished, held, lost as cut } from './testing/work-builder.ts';

const sh = processFact(1, 0, ['/bin/sh', '/start.sh']);

/** A signal so long after a start that took 10 ms. */
function startUp(offsetMs: number, entries: readonly Entry[], setting: Setting = {}) {
  const t = at(SIGNAL_AT - 2 - offsetMs);
  const offset = `${offsetMs}ms`;
  const { cell, ...more } = setting;
  return history(
    {
      values: { offset },
      clauses: ['STA-9'],
      cell: {
        scenario: 'startup/sweep',
        cell: `offset=${offset}`,
        path: `sweep/${offset}`,
        sweep: { column: 'offset', toMs: 25 },
        ...cell,
      },
      ...more,
    },
    { kind: 'container.created', t: t - at(10), id: 'c', name: 'n' },
    { kind: 'engine.call', begin: t - at(10), t, call: 'create and start' },
    ...entries,
  );
}
const postgres = processFact(1, 0, ['postgres', '-D', '/data'], { caught: '4000' });
const sample = (afterMs: number, moment: 'before-signal' | 'during-stop', process = sh): Entry => ({
  kind: 'processes',
  t: at(SIGNAL_AT + afterMs),
  moment,
  list: [process],
});
const lost = (offsetMs: number, setting: Setting = {}) =>
  startUp(
    offsetMs,
    [
      sample(-3, 'before-signal'),
      signal(),
      sample(1, 'during-stop'),
      ready(SIGNAL_AT + 300),
      sample(1290, 'during-stop', postgres),
      signal('TERM', SIGNAL_AT + 1300, 'script', 2),
      exit(1312, 0),
    ],
    setting,
  );
const heard = (offsetMs: number, setting: Setting = {}) => startUp(offsetMs, [signal(), exit(12, 0)], setting);
const unknown = (offsetMs: number) => startUp(offsetMs, [signal(), exit(12, 1)]);

/** Two signals so far apart, of which the second ends the stop or changes nothing. */
const twice = (apartMs: number, seen: boolean, setting: Setting = {}) => {
  const { cell, ...more } = setting;
  const apart = `${apartMs}ms`;
  const stop = seen
    ? [cut('slow-body-1', apartMs + 4, 'reset'), ...exit(apartMs + 8, 1)]
    : [finished('slow-body-1', apartMs + 1200), answered('slow-body-1', apartMs + 1203), ...exit(apartMs + 1210, 0)];
  return history(
    {
      values: { signal: 'TERM', apart },
      clauses: ['SIG-6'],
      cell: {
        scenario: 'signal/second-same',
        cell: `signal=TERM,apart=${apart}`,
        path: `twice/${apart}`,
        lane: 'alone',
        sweep: { column: 'apart', toMs: 5 },
        ...cell,
      },
      ...more,
    },
    ready(),
    held('slow-body-1'),
    ...signal(),
    ...signal('TERM', SIGNAL_AT + apartMs, 'script', 2),
    ...stop,
  );
};

describe('a plain time', () => {
  it.each([
    ['250ms', 250],
    ['2s', 2000],
    ['grace - 1s', undefined],
    ['1.5s', undefined],
    [7, undefined],
  ])('%s is %s ms', (time, ms) => {
    expect(plainMs(time)).toBe(ms);
  });
});

describe('a sweep in which the outcome changes', () => {
  it('has its values in order, each with where it was achieved and what it shows', () => {
    const [summary, ...more] = sweepSummaries([heard(600), lost(150), lost(0)]) ?? [];
    expect(more).toEqual([]);
    expect(summary).toMatchObject({ clause: 'STA-9', column: 'offset', others: '-', toMs: 25 });
    expect(summary?.steps).toMatchObject([
      { valueMs: 0, shows: 'lost' },
      { valueMs: 150, shows: 'lost', at: { fromMs: 150, toMs: 162 } },
      { valueMs: 600, shows: 'heard', at: { fromMs: 600, toMs: 612 } },
    ]);
    expect(summary && formatSweep(summary)).toBe(
      'STA-9 by offset: lost at 150..162 ms and before, heard from 600..612 ms on (startup/sweep)',
    );
  });

  it('says what was added, and every change of several', () => {
    const added: Setting = { cell: { sweep: { column: 'offset', toMs: 25, added: true } } };
    const [summary] = sweepSummaries([heard(0), lost(150), lost(375, added), heard(600), heard(1500)]) ?? [];
    expect(summary?.steps.map((step) => step.added)).toEqual([undefined, undefined, true, undefined, undefined]);
    expect(summary && formatSweep(summary)).toBe(
      'STA-9 by offset: heard at 0..12 ms and before, lost from 150..162 ms to 375..387 ms, heard from 600..612 ms on (startup/sweep, 1 cell added)',
    );
  });

  it('is told by the outcome where the clause has no word for it, with the distance achieved', () => {
    const [summary] = sweepSummaries([twice(10, false), twice(100, true)]) ?? [];
    expect(summary).toMatchObject({ clause: 'SIG-6', others: 'signal=TERM' });
    expect(summary && formatBrackets(summary)).toBe('fails at 8..12 ms and before, passes from 98..102 ms on');
  });

  it.each([
    ['the outcome is the same everywhere', [lost(0), lost(150)]],
    ['what came of the others is not known', [lost(0), unknown(600)]],
    ['the other record broke off', [lost(0), heard(600, { complete: false })]],
    [
      'the other value is of another sweep',
      [twice(10, false), twice(100, true, { values: { signal: 'INT', apart: '100ms' } })],
    ],
    ['no column is one', [lost(0, { cell: { scenario: 'other/one' } }), heard(600, { cell: { cell: 'offset=x' } })]],
    ['nothing was run', []],
  ])('is none where %s', (_, histories) => {
    expect(sweepSummaries(histories)).toBeUndefined();
  });

  it('shows both where repeats of one value differ', () => {
    const again: Setting = { cell: { repeat: 2, path: 'sweep/150ms/r2' } };
    const [summary] = sweepSummaries([lost(0), lost(150), heard(150, again), heard(600)]) ?? [];
    expect(summary && formatBrackets(summary)).toBe(
      'lost at 0..12 ms and before, heard or lost at 150..162 ms, heard from 600..612 ms on',
    );
  });

  it('goes by the sample that decides', () => {
    const shared: Setting = { cell: { lane: 'shared' } };
    const alone: Setting = { cell: { sample: 2, path: 'twice/s2' } };
    expect(sweepSummaries([twice(10, false, shared), twice(100, true)])).toBeUndefined();
    expect(sweepSummaries([twice(10, false, alone), twice(10, false, shared), twice(100, true)])).toHaveLength(1);
  });
});
