import { describe, expect, it } from 'vitest';
import { formatStartUp } from '../report/wording-startup.ts';
import { startUpSummary } from './startup-summary.ts';
import type { Entry, Setting } from './testing/history-builder.ts';
import { at, exit, history, processFact, ready, SIGNAL_AT, signal } from './testing/history-builder.ts';

const sh = processFact(1, 0, ['/bin/sh', '/start.sh']);
const postgres = processFact(1, 0, ['postgres', '-D', '/data'], { caught: '4000' });

/** A signal so long after a start that took 40 ms. */
function sweep(beforeMs: number, entries: readonly Entry[], setting: Setting = {}) {
  const t = at(SIGNAL_AT - 2 - beforeMs);
  const offset = `${beforeMs}ms`;
  return history(
    {
      values: { offset },
      cell: { scenario: 'startup/sweep', cell: `offset=${offset}`, path: `sweep/${offset}` },
      ...setting,
    },
    { kind: 'container.created', t: t - at(40), id: 'c', name: 'n' },
    { kind: 'engine.call', begin: t - at(40), t, call: 'create and start' },
    ...entries,
  );
}
const sample = (afterMs: number, process: typeof sh, moment: 'before-signal' | 'during-stop'): Entry => ({
  kind: 'processes',
  t: at(SIGNAL_AT + afterMs),
  moment,
  list: [process],
});
const lost = sweep(50, [
  sample(-3, sh, 'before-signal'),
  signal(),
  sample(1, sh, 'during-stop'),
  ready(SIGNAL_AT + 300),
  sample(1290, postgres, 'during-stop'),
  signal('TERM', SIGNAL_AT + 1300, 'script', 2),
  exit(1312, 0),
]);
const heard = sweep(600, [ready(SIGNAL_AT - 10), sample(-3, postgres, 'before-signal'), signal(), exit(12, 0)]);

describe('the signals into a start-up', () => {
  it('are shown by offset, with what PID 1 was, and for how long it was deaf', () => {
    const summary = startUpSummary([heard, lost]);
    expect(summary?.samples).toMatchObject([
      { fate: 'lost', pid1: 'sh (shell)', later: 'postgres', readyBefore: false, offset: { fromMs: 50, toMs: 92 } },
      { fate: 'heard', exitCode: 0, pid1: 'postgres', readyBefore: true, readyAfterMs: 592 },
    ]);
    expect(summary?.deaf).toEqual({ atLeastMs: 50, atMostMs: 642 });
  });

  it('are said in one line', () => {
    const summary = startUpSummary([lost, heard]);
    expect(summary && formatStartUp(summary)).toBe(
      'TERM after 50..92 ms [sh (shell)] lost, later postgres · 600..642 ms [postgres, ready] exit 0 in 12 ms' +
        ' · ready after 352 to 592 ms · deaf for at least 50 ms, at most 642 ms',
    );
  });

  it('say why it is not known what became of one, and bound nothing by it', () => {
    const summary = startUpSummary([sweep(50, [signal(), exit(12, 1)])]);
    expect(summary?.deaf).toEqual({ atLeastMs: 0 });
    expect(summary && formatStartUp(summary)).toMatch(
      /^TERM after 50\.\.92 ms not known: .*by itself · never ready · deaf for how long is not known$/,
    );
  });

  it('are not bounded by one that was heard earlier than another was lost', () => {
    const early = sweep(10, [signal(), exit(12, 0)]);
    expect(startUpSummary([early, lost])?.deaf).toEqual({ atLeastMs: 50 });
  });

  it('are those of the sweep alone, of whole records', () => {
    const other = sweep(600, [signal(), exit(12, 0)], { cell: { scenario: 'signal/no-load' } });
    expect(startUpSummary([other, sweep(600, [signal()], { complete: false })])).toBeUndefined();
  });
});
