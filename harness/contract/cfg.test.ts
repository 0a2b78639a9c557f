import { describe, expect, it } from 'vitest';
import { exit, outerTimeout, ready, signal } from '../judge/testing/history-builder.ts';
import type { Entry, Setting } from '../judge/testing/history-builder.ts';
import { checkRows } from '../judge/testing/clause-rows.suite.ts';
import { heldWork, workEnded, workFailed, workFinished } from '../judge/testing/held-work.ts';
import { cfg3 } from './cfg.ts';

const grace = (graceMs: number, more: Setting = {}): Setting => ({
  values: { grace: graceMs },
  terms: { graceMs },
  ...more,
});
const alone = (graceMs: number): Setting => grace(graceMs, { cell: { lane: 'alone' } });
const normal = { status: 200, bytes: 2 };
const busy = (...entries: readonly Entry[]): readonly Entry[] => [
  ready(),
  heldWork({ normal }),
  ...signal(),
  ...entries,
];
const answered = (afterMs: number, status = 200): Entry => workEnded(afterMs, 'answered', { status });

describe('CFG-3, work that never completes', () => {
  checkRows(cfg3, [
    [
      '700: cut at 700 passes',
      'pass',
      busy(workEnded(703, 'reset'), ...exit(710, 1)),
      /cut 703 ms .*exit 1 after 710 ms/,
      grace(700),
    ],
    ['1500: cut at 1500 passes', 'pass', busy(workEnded(1503, 'reset'), ...exit(1510, 1)), /cut 1503 ms/, grace(1500)],
    [
      '700 rounded down fails',
      'fail',
      busy(workEnded(3, 'reset'), ...exit(9, 1)),
      /697 ms before the grace of 700/,
      grace(700),
    ],
    [
      '700 rounded up fails',
      'fail',
      busy(workEnded(1003, 'reset'), ...exit(1010, 1)),
      /cut \(reset\) 1003 ms/,
      alone(700),
    ],
    [
      '700 rounded up beside others is measured again',
      'inconclusive',
      busy(workEnded(1003, 'reset'), ...exit(1010, 1)),
      /beside others/,
      grace(700),
      'timing',
    ],
    [
      '1500 rounded down fails',
      'fail',
      busy(workEnded(1003, 'reset'), ...exit(1010, 1)),
      /497 ms before the grace of 1500/,
      grace(1500),
    ],
    [
      '1500 rounded up fails',
      'fail',
      busy(workEnded(2003, 'reset'), ...exit(2010, 1)),
      /cut \(reset\) 2003 ms/,
      alone(1500),
    ],
    [
      'the normal grace instead fails',
      'fail',
      busy(workEnded(2003, 'reset'), ...exit(2010, 1)),
      /2003 ms .*not below 750 ms/,
      grace(700),
    ],
    [
      'a right cut with an exit past the floor fails',
      'fail',
      busy(workEnded(703, 'reset'), ...exit(2010, 1)),
      /not below 1000 ms/,
      grace(700),
    ],
    [
      'a cut at the edge is inconclusive',
      'inconclusive',
      busy(workEnded(748, 'reset'), ...exit(760, 1)),
      /750 ms lies inside/,
      alone(700),
      'timing',
    ],
    ['no end but by the harness fails', 'fail', busy(...outerTimeout()), /SIGKILL/, grace(700)],
    [
      'terms of another grace are inconclusive',
      'inconclusive',
      busy(workEnded(703, 'reset'), ...exit(710, 1)),
      /asks for a grace of 700 ms, but .* 2000/,
      { values: { grace: 700 } },
    ],
    ['no work is inconclusive', 'inconclusive', [ready(), ...signal(), ...exit(9, 0)], /no work/, grace(700)],
    [
      'work that cannot be held is not exercised',
      'not exercised',
      [ready(), workFailed()],
      /could be held/,
      grace(700),
    ],
  ]);
});

describe('CFG-3, work that is completed just before the grace', () => {
  const finished = (...entries: readonly Entry[]): readonly Entry[] => busy(workFinished(550), ...entries);
  checkRows(cfg3, [
    ['answered, exit 0 passes', 'pass', finished(answered(560), ...exit(570, 0)), /answered, exit 0/, grace(700)],
    [
      'without a normal answer on record any but a server error will do',
      'pass',
      [ready(), heldWork(), ...signal(), workFinished(550), answered(560, 404), ...exit(570, 0)],
      /answered, exit 0/,
      grace(700),
    ],
    [
      '1500 rounded down loses it before it is completed',
      'fail',
      busy(workEnded(1003, 'reset'), ...exit(1010, 1)),
      /497 ms before/,
      grace(1500),
    ],
    [
      'one of two lost before it is completed fails',
      'fail',
      [heldWork({ id: 'w2' }), ...finished(answered(560), workEnded(300, 'reset', { id: 'w2' }), ...exit(570, 1))],
      /400 ms before/,
      grace(700),
    ],
    [
      'lost after it was completed, and before the grace, fails',
      'fail',
      finished(workEnded(600, 'reset'), ...exit(710, 1)),
      /100 ms before the grace/,
      grace(700),
    ],
    [
      'not answered until the deadline fails alone',
      'fail',
      finished(workEnded(703, 'reset'), ...exit(710, 1)),
      /completed before the grace of 700 ms was reset/,
      alone(700),
    ],
    [
      'not answered until the deadline beside others is measured again',
      'inconclusive',
      finished(workEnded(703, 'reset'), ...exit(710, 1)),
      /beside others/,
      grace(700),
      'timing',
    ],
    ['never seen to end fails alone', 'fail', finished(...exit(710, 1)), /was never seen to end/, alone(700)],
    [
      'completed too late by the harness is inconclusive',
      'inconclusive',
      busy(workFinished(690), workEnded(703, 'reset'), ...exit(710, 1)),
      /completed it too late/,
      alone(700),
      'timing',
    ],
    [
      'another answer than before the signal fails',
      'fail',
      finished(answered(560, 503), ...exit(570, 0)),
      /answered 503 instead of 200/,
      grace(700),
    ],
    [
      'answered, but exit 1 fails',
      'fail',
      finished(answered(560), ...exit(710, 1)),
      /not an accepted status/,
      grace(700),
    ],
    [
      'answered after the deadline, then exit 1, is inconclusive',
      'inconclusive',
      finished(answered(701), ...exit(710, 1)),
      /after the deadline/,
      grace(700),
      'timing',
    ],
    ['a hang after it fails', 'fail', finished(answered(560), ...outerTimeout()), /SIGKILL/, grace(700)],
    ['an unknown end is inconclusive', 'inconclusive', finished(answered(560)), /never confirmed/, grace(700)],
  ]);

  it('speaks for 700 and 1500 only', () => {
    const cells = [{}, { grace: 'normal' }, { grace: 700 }, { grace: '1500' }, { grace: 0 }];
    expect(cells.map((cell) => cfg3.appliesTo?.(cell, {} as never))).toEqual([false, false, true, true, false]);
  });
});
