import { describe, expect, it } from 'vitest';
import { checkRows } from '../judge/testing/clause-rows.suite.ts';
import type { Entry, Setting } from '../judge/testing/history-builder.ts';
import { exit, history, ready, signal, SIGNAL_AT } from '../judge/testing/history-builder.ts';
import { probeStarted } from '../judge/testing/window-builder.ts';
import { answered, completed, finished, held, lost, workFailed } from '../judge/testing/work-builder.ts';
import { sig8 } from './sig-repeated.ts';

const bl: Setting = { preset: 'baseline' };
const once = (...entries: readonly Entry[]): readonly Entry[] => [ready(), ...signal(), ...entries];

describe('SIG-8', () => {
  checkRows(sig8, [
    [
      'one signal and work that completes passes',
      'pass',
      once(completed('slow-body-1'), completed('slow-body-2'), ...exit(520, 0)),
      /one SIGTERM: all 2 pieces of admitted work completed/,
    ],
    [
      'work that one signal cuts fails, with the status as a hint',
      'fail',
      once(held('slow-body-1'), completed('slow-body-2'), lost('slow-body-1', 4, 'closed'), ...exit(520, 143)),
      /1 of 2 .*slow-body-1 was closed 4 ms after the signal; exit 143, which is that of SIGTERM itself/,
    ],
    [
      'in openab-cp too',
      'fail',
      once(held('slow-body-1'), lost('slow-body-1', 4, 'closed'), ...exit(9, 0)),
      /1 of 1 .*exit 0$/,
      { preset: 'openab-cp' },
    ],
    [
      'where no drain is promised one signal may cut work',
      'not exercised',
      once(held('slow-body-1'), lost('slow-body-1', 4, 'closed'), ...exit(9, 0)),
      /one signal may do so where no drain is promised \(DRN-1\)/,
      bl,
    ],
    [
      'without a grace work that completes passes all the same',
      'pass',
      once(completed('slow-body-1'), ...exit(520, 0)),
      /all 1/,
      bl,
    ],
    [
      'without a grace a reset that may never have been accepted is no more than a cut',
      'not exercised',
      [ready(), held('slow-body-1'), probeStarted(), ...signal(), lost('slow-body-1', 4, 'reset'), ...exit(9, 0)],
      /not known to have been accepted.*DRN-1/,
      bl,
    ],
    [
      'without a grace work that was all answered otherwise than usual was not cut: there is nothing to blame on a signal',
      'not exercised',
      once(held('slow-body-1'), answered('slow-body-1', 190, { status: 503 }), ...exit(200, 0)),
      /none of 1 .*answered 503/,
      bl,
    ],
    [
      'without a grace work that the service keeps waiting beyond the bound is its own affair',
      'not exercised',
      once(held('slow-body-1'), lost('slow-body-1', 10_004, 'reset'), ...exit(10_010, 0)),
      /none of 1 /,
      bl,
    ],
    [
      'a request that was answered 503 was not cut: the service may not have read it by the signal',
      'pass',
      once(
        held('slow-body-1'),
        answered('slow-body-1', 190, { status: 503 }),
        completed('slow-body-2'),
        ...exit(520, 0),
      ),
      /all 1 pieces/,
    ],
    [
      'work that outlasts the grace was not cut by the signal',
      'inconclusive',
      once(held('slow-body-1'), lost('slow-body-1', 2004, 'reset'), ...exit(2010, 1)),
      /none of 1 .*the harness did not complete its part/,
    ],
    [
      'a reset beside work that completed may be a starved service: measured again',
      'inconclusive',
      once(held('slow-body-1'), completed('slow-body-2'), lost('slow-body-1', 4, 'reset'), ...exit(520, 0)),
      /1 of 2/,
      {},
      'timing',
    ],
    [
      'two signals say nothing about one',
      'inconclusive',
      [
        ready(),
        held('slow-body-1'),
        ...signal(),
        ...signal('TERM', SIGNAL_AT + 100, 'script', 2),
        lost('slow-body-1', 102),
        ...exit(105, 1),
      ],
      /2 signals were sent, not one/,
    ],
    [
      'work without an end of its own says nothing',
      'inconclusive',
      once(held('stream-1', { ends: 'never' }), lost('stream-1', 4), ...exit(9, 0)),
      /none had an end of its own/,
    ],
    [
      'work that the harness completed too late is measured again',
      'inconclusive',
      once(held('slow-body-1'), finished('slow-body-1', 1950), lost('slow-body-1', 2003), ...exit(2010, 1)),
      /completed its part only/,
      {},
      'timing',
    ],
    ['nothing held is not exercised', 'not exercised', once(workFailed('slow-body', '404'), ...exit(9, 0)), /404/],
  ]);

  it('is asked of the rows that suit the grace', () => {
    const { terms } = history({}).header.basis;
    expect([sig8.appliesTo?.({ at: 'grace/2' }, terms), sig8.appliesTo?.({ at: '500ms' }, terms)]).toEqual([
      true,
      false,
    ]);
  });
});
