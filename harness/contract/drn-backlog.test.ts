import { describe } from 'vitest';
import { checkRows } from '../judge/testing/clause-rows.suite.ts';
import type { Entry } from '../judge/testing/history-builder.ts';
import { at, exit, ready, signal, SIGNAL_AT } from '../judge/testing/history-builder.ts';
import { probeStarted, sample } from '../judge/testing/window-builder.ts';
import { completed, held, lost } from '../judge/testing/work-builder.ts';
import { drn9 } from './drn-exit.ts';
import { drn1 } from './drn-work.ts';

const busy = (...entries: readonly Entry[]): readonly Entry[] => [ready(), ...signal(), ...entries];
type Rows = Parameters<typeof checkRows>[1];

describe('DRN-1, of a request that may never have been accepted', () => {
  const rows: Rows = [
    [
      'a reset of a request behind which another was answered before the signal fails: it had been accepted',
      'fail',
      busy(probeStarted(), held('slow-body-1'), sample('new', -100), lost('slow-body-1', 20, 'reset'), ...exit(40, 0)),
      /slow-body-1 was reset 20 ms after the signal/,
    ],
    ...(
      [
        ['no later request', []],
        ['a later request on an old connection', [sample('kept', -100)]],
        ['a later request answered after the signal', [sample('new', -1, { t: at(SIGNAL_AT + 30) })]],
        ['a later request that hung', [sample('new', -100, { outcome: 'hung' })]],
        ['a request at the same time', [sample('new', -490)]],
      ] as const
    ).map(([what, seen]): Rows[number] => [
      `a reset with ${what} may come from the backlog: inconclusive, to be measured again`,
      'inconclusive',
      busy(probeStarted(), held('slow-body-1'), ...seen, lost('slow-body-1', 20, 'reset'), ...exit(40, 0)),
      /not known to have been accepted/,
      {},
      'timing',
    ]),
    [
      'one such reset beside work that completed is as open: it may have been accepted',
      'inconclusive',
      busy(
        probeStarted(),
        held('slow-body-2'),
        completed('slow-body-1'),
        lost('slow-body-2', 2, 'reset'),
        ...exit(510, 0),
      ),
      /1 of 2 .*slow-body-2 was reset .*not known to have been accepted/,
      {},
      'timing',
    ],
    ...(
      [
        ['beside others is measured again: a starved service may not have read it', 'inconclusive', {}, ['timing']],
        ['alone fails', 'fail', { cell: { lane: 'alone' } }, []],
      ] as const
    ).map(
      ([what, outcome, setting, timing]) =>
        [
          `a reset of accepted work beside work that completed ${what}`,
          outcome,
          busy(
            probeStarted(),
            held('slow-body-2'),
            sample('new', -100),
            completed('slow-body-1'),
            lost('slow-body-2', 2, 'reset'),
            ...exit(510, 0),
          ),
          /1 of 2 .*slow-body-2 was reset 2 ms after the signal/,
          setting,
          ...timing,
        ] as unknown as Rows[number],
    ),
    [
      'a reset after a part of the answer, over TLS, or on a connection that had an answer needs no such proof',
      'fail',
      busy(
        probeStarted(),
        held('slow-body-1'),
        held('slow-body-2', { over: 'https' }),
        held('warm-slow-body-1'),
        lost('slow-body-1', 20, 'reset', { bytes: 12 }),
        lost('slow-body-2', 20, 'reset'),
        lost('warm-slow-body-1', 20, 'reset'),
        ...exit(40, 0),
      ),
      /3 of 3 pieces/,
    ],
  ];
  checkRows(drn1, rows);
});

describe('DRN-9, of work that was reset without a byte', () => {
  const reset = (...others: readonly Entry[]) =>
    busy(held('slow-body-2'), ...others, lost('slow-body-2', 2, 'reset'), ...exit(510, 0));
  checkRows(drn9, [
    [
      'beside others and beside work that was answered is measured again',
      'inconclusive',
      reset(completed('slow-body-1')),
      /work was cut, not answered \(slow-body-2: reset\)/,
      {},
      'timing',
    ],
    ['alone is not', 'inconclusive', reset(completed('slow-body-1')), /work was cut/, { cell: { lane: 'alone' } }],
    ['where nothing was answered is not: such a service cuts whatever it has', 'inconclusive', reset(), /work was cut/],
    [
      'after a part of the answer is not',
      'inconclusive',
      busy(
        held('slow-body-2'),
        completed('slow-body-1'),
        lost('slow-body-2', 2, 'reset', { bytes: 3 }),
        ...exit(510, 0),
      ),
      /work was cut/,
    ],
  ]);
});
