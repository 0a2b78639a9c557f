import { describe, expect, it } from 'vitest';
import { checkClause } from '../judge/testing/judge-clause.ts';
import { exit, outerTimeout, ready, signal } from '../judge/testing/history-builder.ts';
import type { Entry, Setting } from '../judge/testing/history-builder.ts';
import { checkRows } from '../judge/testing/clause-rows.suite.ts';
import { heldWork, workEnded, workFailed } from '../judge/testing/held-work.ts';
import { dln1 } from './dln-cut.ts';

const busy = (...entries: readonly Entry[]): readonly Entry[] => [ready(), heldWork(), ...signal(), ...entries];
const two = (...entries: readonly Entry[]): readonly Entry[] => [heldWork({ id: 'w2' }), ...busy(...entries)];
const alone: Setting = { cell: { lane: 'alone' } };
const stall = (fromMs: number, lateMs: number): Entry => ({
  kind: 'stall',
  begin: (1000 + fromMs) * 1e6,
  t: (1000 + fromMs + lateMs) * 1e6,
  lateMs,
});

describe('DLN-1', () => {
  checkRows(dln1, [
    [
      'a cut at the deadline and an exit by the hard one pass',
      'pass',
      busy(workEnded(2003, 'reset'), ...exit(2010, 1)),
      /cut 2003 ms .*\(reset\), exit 1 after 2010 ms/,
    ],
    [
      'a service that cuts by its exit passes',
      'pass',
      busy(workEnded(2006, 'held'), ...exit(2005, 1)),
      /by the exit.*exit 1/,
    ],
    [
      'an end that was seen long after the exit was no later than the exit',
      'pass',
      busy(workEnded(2400, 'closed'), ...exit(2005, 1)),
      /cut 2005 ms/,
    ],
    [
      'a server error at the deadline is a cut',
      'pass',
      busy(workEnded(2003, 'answered', { status: 503 }), ...exit(2010, 1)),
      /answered 503/,
    ],
    [
      'a server error that is the normal answer is none',
      'inconclusive',
      [
        ready(),
        heldWork({ normal: { status: 501 } }),
        ...signal(),
        workEnded(20, 'answered', { status: 501 }),
        ...exit(30, 0),
      ],
      /all work was answered/,
    ],
    ['clean-up until the floor passes', 'pass', busy(workEnded(2003, 'closed'), ...exit(2240, 1)), /2240 ms/],
    [
      'work cut at the signal by a fast exit fails',
      'fail',
      busy(workEnded(9, 'reset'), ...exit(10, 0)),
      /\(reset\) 1991 ms before the grace of 2000 ms ran out/,
    ],
    [
      'an early exit without the fate of the work fails',
      'fail',
      busy(...exit(10, 0)),
      /\(by the exit\) 1990 ms before/,
    ],
    [
      'work cut early while the process stays until the deadline fails',
      'fail',
      busy(workEnded(1000, 'closed'), ...exit(2010, 1)),
      /1000 ms before the grace/,
    ],
    [
      'work refused early by a 503 fails',
      'fail',
      busy(workEnded(20, 'answered', { status: 503 }), ...exit(2010, 1)),
      /\(answered 503\) 1980 ms before/,
    ],
    [
      'one of two cut early fails',
      'fail',
      two(workEnded(2003, 'reset'), workEnded(300, 'reset', { id: 'w2' }), ...exit(2010, 1)),
      /1700 ms before/,
    ],
    [
      'an early cut fails however the process ended',
      'fail',
      busy(workEnded(300, 'reset'), ...outerTimeout()),
      /1700 ms before/,
    ],
    ['an early cut fails without a known end', 'fail', busy(workEnded(300, 'reset')), /1700 ms before/],
    [
      'less early than a stamp is worth is inconclusive',
      'inconclusive',
      busy(workEnded(1997, 'reset'), ...exit(2010, 1)),
      /too near to the grace of 2000 ms/,
      {},
      'timing',
    ],
    [
      'the signal may have been received at its call',
      'pass',
      busy(workEnded(1998, 'reset'), ...exit(2010, 1)),
      /cut 1998 ms/,
    ],
    [
      'alone a cut in the floor fails',
      'fail',
      busy(workEnded(2200, 'reset'), ...exit(2210, 1)),
      /cut \(reset\) 2200 ms .*not below 2050 ms/,
      alone,
    ],
    [
      'beside others a cut in the floor is measured again',
      'inconclusive',
      busy(workEnded(2200, 'reset'), ...exit(2210, 1)),
      /measured beside others/,
      {},
      'timing',
    ],
    [
      'a cut long after the deadline fails in company too',
      'fail',
      busy(workEnded(3100, 'reset'), ...exit(3110, 1)),
      /cut \(reset\) 3100 ms .*not below 2050 ms/,
    ],
    [
      'a cut at the edge of the tolerance is inconclusive',
      'inconclusive',
      busy(workEnded(2048, 'reset'), ...exit(2060, 1)),
      /2050 ms lies inside/,
      alone,
      'timing',
    ],
    [
      'a cut that a stall may have made late is inconclusive',
      'inconclusive',
      busy(stall(1990, 120), workEnded(2110, 'reset'), ...exit(2115, 1)),
      /2050 ms lies inside/,
      alone,
      'timing',
    ],
    [
      'a right cut and an exit past the hard deadline fail',
      'fail',
      busy(workEnded(2003, 'reset'), ...exit(3600, 1)),
      /exit 1 after 3600 ms .*not below 2300 ms/,
    ],
    [
      'a failure is not hidden by an undecided cut',
      'fail',
      busy(workEnded(2048, 'reset'), ...exit(3600, 1)),
      /not below 2300 ms/,
    ],
    [
      'an exit at the hard deadline is inconclusive',
      'inconclusive',
      busy(workEnded(2003, 'reset'), ...exit(2298, 1)),
      /2300 ms lies inside/,
      {},
      'timing',
    ],
    [
      'a drain without a deadline fails',
      'fail',
      busy(workEnded(10_003, 'closed'), ...outerTimeout()),
      /still running 9998 ms .*work in flight.*SIGKILL/,
    ],
    ['an outside kill fails', 'fail', busy(workEnded(2003, 'reset'), ...exit(2010, 137)), /137/],
    ['an unknown end is inconclusive', 'inconclusive', busy(workEnded(2003, 'reset')), /never confirmed/],
    [
      'work that was answered is no trigger',
      'inconclusive',
      busy(workEnded(300, 'answered', { status: 200 }), ...exit(310, 0)),
      /all work was answered/,
    ],
    [
      'work that ended before the signal is no trigger',
      'inconclusive',
      busy(workEnded(-50, 'reset'), ...exit(10, 0)),
      /no work was in flight/,
    ],
    [
      'work held only after the signal is no trigger',
      'inconclusive',
      [ready(), ...signal(), heldWork({ atMs: 1001 }), ...exit(2010, 1)],
      /no work was in flight/,
    ],
    [
      'work that was never admitted is no trigger',
      'inconclusive',
      [heldWork({ admitted: false }), ready(), ...signal(), ...exit(10, 0)],
      /no work was in flight/,
    ],
    [
      'an idle connection that is closed at the signal is no cut',
      'pass',
      [
        heldWork({ id: 'idle', admitted: false }),
        ...busy(workEnded(3, 'closed', { id: 'idle' }), workEnded(2003, 'reset'), ...exit(2010, 1)),
      ],
      /cut 2003 ms/,
    ],
    ['no signal is inconclusive', 'inconclusive', [ready(), heldWork()], /nothing was sent/],
    [
      'work that cannot be held is not exercised',
      'not exercised',
      [ready(), workFailed(), ...signal(), ...exit(10, 0)],
      /could be held.*404/,
    ],
    ['without a grace it is not exercised', 'not exercised', busy(...exit(10, 0)), /no grace/, { preset: 'baseline' }],
    [
      'with a grace of 0 work may be cut until the floor',
      'pass',
      busy(workEnded(240, 'reset'), ...exit(245, 1)),
      /cut 240 ms/,
      { terms: { graceMs: 0 } },
    ],
    [
      'with a grace of 0 it may not be cut after it',
      'fail',
      busy(workEnded(600, 'reset'), ...exit(605, 1)),
      /600 ms .*not below 300 ms/,
      { terms: { graceMs: 0 } },
    ],
    [
      'cp: the drain is the grace',
      'pass',
      busy(workEnded(5003, 'closed'), ...exit(5900, 0)),
      /exit 0 after 5900/,
      { preset: 'openab-cp' },
    ],
  ]);

  it('speaks for the normal grace only', () => {
    const { terms } = { terms: {} as never };
    expect(
      [{}, { grace: 'normal' }, { grace: 700 }, { grace: 0 }].map((cell) => dln1.appliesTo?.(cell, terms)),
    ).toEqual([true, true, false, false]);
  });

  it('gives what was seen as evidence', () => {
    const finding = checkClause(dln1, {}, busy(workEnded(300, 'reset'), ...exit(2010, 1)));
    expect(finding.evidence).toEqual(expect.arrayContaining([2, 4, 6]));
    expect(finding).toMatchObject({ limitMs: 2000, measured: { valueMs: 300 } });
  });
});
