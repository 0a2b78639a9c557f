import { describe, expect, it } from 'vitest';
import type { Finding } from '../model/clause.ts';
import { disturbances, withDisturbances } from './disturbed.ts';
import type { Entry } from './testing/history-builder.ts';
import { at, exit, history, ready, signal, SIGNAL_AT, started } from './testing/history-builder.ts';

const stall = (afterMs: number, lateMs: number): Entry => ({
  kind: 'stall',
  begin: at(SIGNAL_AT + afterMs - lateMs),
  t: at(SIGNAL_AT + afterMs),
  lateMs,
});
const quiet: readonly Entry[] = [started(), ready(), signal(), exit(12, 0)];
const heldUp: Entry = {
  kind: 'signal.delivered',
  begin: at(SIGNAL_AT),
  t: at(SIGNAL_AT + 338),
  n: 1,
  signal: 'TERM',
  purpose: 'script',
};
const probe = (longestGapMs: number): readonly Entry[] => [
  { kind: 'probe.started', t: at(700), everyMs: 5, kept: 4, request: 'GET /', normal: 200, over: 'http' },
  {
    kind: 'probe.ended',
    t: at(1020),
    reason: 'PID 1 ended',
    samples: 9,
    withdrawn: 0,
    unused: 0,
    void: 0,
    longestGapMs,
  },
];

describe('what disturbed a measurement', () => {
  it.each<[string, readonly Entry[], readonly string[]]>([
    ['nothing on record', quiet, []],
    ['a stall between signal and end', [...quiet, stall(8, 42.5)], ['the harness was held up for 42.5 ms']],
    ['several stalls', [...quiet, stall(4, 6), stall(10, 30)], ['the harness was held up 2 times, at most for 30 ms']],
    ['a stall before the signal, or after the end', [...quiet, stall(-100, 50), stall(900, 50)], []],
    ['a stall that is the usual unrest', [...quiet, stall(8, 3.5)], []],
    [
      'pressure on the processors',
      [...quiet, { kind: 'cpu.pressure', begin: at(SIGNAL_AT), t: at(SIGNAL_AT + 9), of: 'machine', waitedMs: 7 }],
      ['the machine waited 7 ms for a processor'],
    ],
    [
      'a kill call that was held up',
      [started(), ready(), heldUp, exit(350, 0)],
      ['the engine took 338 ms to answer the call for SIGTERM'],
    ],
    [
      'clocks that disagree',
      [started(), ready(), signal(), exit(12, 0, { finishedMs: 80 })],
      ['the clocks of host and engine disagree by 68 ms'],
    ],
    ['a probe with a hole', [...quiet, ...probe(61)], ['the probe paused for 61 ms instead of 5 ms']],
    ['a probe without one', [...quiet, ...probe(19)], []],
  ])('%s', (_title, entries, said) => {
    expect(disturbances(history({}, ...entries))).toEqual(said);
  });

  it.each([
    [12.1, ['the control container of 250 ms was measured off by 12.1 ms']],
    [-9, ['the control container of 250 ms was measured off by -9 ms']],
    [1.5, []],
  ])('a control container that is off by %d ms', (errorMs, said) => {
    const control = { expectedMs: 250, measuredMs: 250 + errorMs, errorMs };
    expect(disturbances(history({}, ...quiet), control)).toEqual(said);
  });

  it('is said of what is inconclusive by timing alone, also where nothing is on record', () => {
    const finding = (more: Partial<Finding>): Finding => ({
      outcome: 'inconclusive',
      seen: 'x',
      accepted: [],
      evidence: [],
      ...more,
    });
    const noisy = history({}, ...quiet, stall(8, 42.5));
    expect(withDisturbances(finding({ timing: true }), noisy)).toMatchObject({
      disturbedBy: ['the harness was held up for 42.5 ms'],
    });
    expect(withDisturbances(finding({ timing: true }), history({}, ...quiet))).toMatchObject({ disturbedBy: [] });
    for (const other of [finding({}), finding({ outcome: 'fail', timing: true })]) {
      expect(withDisturbances(other, noisy)).toBe(other);
    }
  });
});
