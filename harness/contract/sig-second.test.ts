import { describe } from 'vitest';
import { checkRows } from '../judge/testing/clause-rows.suite.ts';
import type { Entry, Setting } from '../judge/testing/history-builder.ts';
import { at, exit, outerTimeout, ready, signal, SIGNAL_AT } from '../judge/testing/history-builder.ts';
import { answered, finished, held, lost, workFailed } from '../judge/testing/work-builder.ts';
import { sig5 } from './sig-second.ts';

type Rows = Parameters<typeof checkRows>[1];

const same = (apart: string, more: Setting = {}): Setting => ({ values: { signal: 'TERM', apart }, ...more });
const alone = (setting: Setting): Setting => ({ ...setting, cell: { lane: 'alone' } });
const cp: Setting = { preset: 'openab-cp', ...same('100ms') };
const bl: Setting = { preset: 'baseline', ...same('100ms') };

/** TERM with a request in flight, and a second signal so long after it. */
const twice = (second: string, apartMs: number, ...entries: readonly Entry[]): readonly Entry[] => [
  ready(),
  held('slow-body-1'),
  ...signal('TERM'),
  ...signal(second, SIGNAL_AT + apartMs, 'script', 2),
  ...entries,
];
const cutAt = (afterMs: number): Entry => lost('slow-body-1', afterMs, 'reset');
/** A second signal that was sent so long after the first, and found the process gone. */
const missed = (afterMs: number): readonly Entry[] => [
  { kind: 'signal.sent', t: at(SIGNAL_AT + afterMs), n: 2, signal: 'TERM', purpose: 'script' },
  {
    kind: 'signal.failed',
    t: at(SIGNAL_AT + afterMs + 14),
    n: 2,
    signal: 'TERM',
    purpose: 'script',
    message: 'gone',
    ended: true,
  },
];
/** The harness's part done and answered, both so long after the first signal. */
const done = (afterMs: number): readonly Entry[] => [
  finished('slow-body-1', afterMs),
  answered('slow-body-1', afterMs + 3),
];

describe('SIG-5, where a second signal collapses the drain', () => {
  checkRows(
    sig5,
    [
      [
        'work cut at once with exit 1 passes',
        'pass',
        twice('INT', 100, cutAt(104), ...exit(110, 1)),
        /SIGINT 100 ms after SIGTERM: exit 1 10 ms .*work was cut/,
      ],
      ['the floor may be used up', 'pass', twice('TERM', 100, cutAt(340), ...exit(380, 1)), /exit 1 280 ms/],
      [
        'past the floor and the tolerance fails',
        'fail',
        twice('TERM', 100, cutAt(401), ...exit(420, 1)),
        /not below 300 ms/,
        alone(same('100ms')),
      ],
      [
        'narrowly past them beside others is measured again',
        'inconclusive',
        twice('TERM', 100, cutAt(401), ...exit(420, 1)),
        /beside others/,
        same('100ms'),
        'timing',
      ],
      [
        'a limit inside the uncertainty is measured again',
        'inconclusive',
        twice('TERM', 100, cutAt(399), ...exit(400, 1)),
        /lies inside/,
        same('100ms'),
        'timing',
      ],
      [
        'a second signal that changes nothing fails',
        'fail',
        twice('TERM', 100, ...done(1300), ...exit(1310, 0)),
        /exit 0 1210 ms .*no work was cut: not below 300/,
        alone(same('100ms')),
      ],
      [
        'far past them beside others is measured again too: a starved process acts late on a signal',
        'inconclusive',
        twice('TERM', 100, cutAt(860), ...exit(864, 1)),
        /exit 1 764 ms .*not below 300 ms, measured beside others/,
        same('100ms'),
        'timing',
      ],
      [
        'exit 0 although work was cut fails, however fast',
        'fail',
        twice('TERM', 100, cutAt(104), ...exit(110, 0)),
        /exit 0, although work was cut/,
      ],
      [
        'exit 1 although all had completed fails',
        'fail',
        twice('TERM', 100, answered('slow-body-1', 108), ...exit(110, 1)),
        /exit 1, although all work had completed/,
      ],
      [
        'exit 0 where all had completed passes',
        'pass',
        twice('TERM', 100, answered('slow-body-1', 108), ...exit(110, 0)),
        /no work was cut/,
      ],
      [
        '128 + n is not the status of a collapse',
        'fail',
        twice('TERM', 100, cutAt(104), ...exit(110, 143)),
        /exit 143, although work was cut/,
      ],
      [
        'the outer timeout fails',
        'fail',
        twice('TERM', 100, ...outerTimeout()),
        /still running 9898 ms later; the harness sent SIGKILL/,
      ],
      ['137 fails', 'fail', twice('TERM', 100, cutAt(104), ...exit(110, 137)), /137 without a SIGKILL of ours/],
      ['OOM fails', 'fail', twice('TERM', 100, cutAt(104), ...exit(110, 1, { oom: true })), /OOMKilled/],
      [
        'an end inside the call of the second signal is its doing',
        'pass',
        twice('TERM', 100, cutAt(99), ...exit(99.5, 1)),
        /exit 1 0 ms/,
      ],
      [
        'work let go before the second signal shows nothing',
        'not exercised',
        twice('TERM', 100, cutAt(20), ...exit(110, 1)),
        /nothing was held open .*slow-body-1 was reset 20 ms after/,
      ],
      [
        'an end before the second signal shows nothing',
        'not exercised',
        [ready(), held('slow-body-1'), ...signal(), cutAt(4), ...exit(5, 1)],
        /had ended 5 ms after SIGTERM, before the second/,
      ],
      [
        'an end in the moment of a second signal that was sent in time is its own',
        'not exercised',
        [ready(), held('slow-body-1'), ...signal(), cutAt(104), ...missed(93), ...exit(105, 1)],
        /had ended 105 ms after SIGTERM, before the second/,
      ],
      [
        'an end before a second signal that was late is measured again',
        'inconclusive',
        [ready(), held('slow-body-1'), ...signal(), cutAt(900), ...exit(905, 1)],
        /which was sent late/,
        same('100ms'),
        'timing',
      ],
      [
        'a grace that ran out before the second signal is measured again',
        'inconclusive',
        twice('TERM', 2100, cutAt(2000), ...exit(2150, 1)),
        /the harness was late/,
        same('100ms'),
        'timing',
      ],
      [
        'nothing that could be held is not exercised',
        'not exercised',
        [ready(), workFailed('slow-body', '404'), ...signal(), ...exit(5, 0)],
        /no request could be held in flight: 404/,
      ],
      [
        'no work in flight at the first signal is inconclusive',
        'inconclusive',
        [ready(), ...signal(), ...exit(5, 0)],
        /no work was in flight/,
      ],
      [
        'an end that nobody confirmed is inconclusive',
        'inconclusive',
        twice('TERM', 100, cutAt(104)),
        /never confirmed/,
      ],
    ].map((row) => (row[4] === undefined ? [...row, same('100ms')] : row)) as unknown as Rows,
  );
});

describe('SIG-5, where a second signal ends the stop at once', () => {
  checkRows(sig5, [
    ['143 after TERM passes', 'pass', twice('TERM', 100, cutAt(104), ...exit(110, 143)), /exit 143 10 ms/, cp],
    ['130 after INT passes', 'pass', twice('INT', 100, cutAt(104), ...exit(110, 130)), /exit 130/, cp],
    [
      'the status of the first signal fails',
      'fail',
      twice('INT', 100, cutAt(104), ...exit(110, 143)),
      /exit 143 instead of 130/,
      cp,
    ],
    [
      'the status of a graceful stop fails',
      'fail',
      twice('TERM', 100, ...done(1300), ...exit(1310, 0)),
      /exit 0 instead of 143/,
      cp,
    ],
    [
      'later than at once fails',
      'fail',
      twice('TERM', 100, cutAt(104), ...exit(900, 143)),
      /not below 300 ms/,
      alone(cp),
    ],
  ]);
});

describe('SIG-5, where a second signal may not make a stop slower', () => {
  const rest = (afterMs: number, code = 0): readonly Entry[] => [...done(1300), ...exit(afterMs, code)];
  checkRows(sig5, [
    [
      'an exit that follows the work passes',
      'pass',
      twice('TERM', 100, ...rest(1320)),
      /exit 0 17 ms .*after the last work \(slow-body-1: answered\)/,
      bl,
    ],
    [
      'an exit that follows cut work passes, with any status',
      'pass',
      twice('TERM', 100, cutAt(104), ...exit(120, 143)),
      /exit 143 16 ms .*slow-body-1: reset/,
      bl,
    ],
    [
      'work that only the exit cut passes',
      'pass',
      twice('INT', 100, ...exit(120, 1)),
      /exit 1 0 ms .*cut by the exit/,
      bl,
    ],
    [
      'work that the service let go of before the first signal shows nothing',
      'not exercised',
      [ready(), held('slow-body-1'), lost('slow-body-1', -50), ...signal(), ...exit(5, 0)],
      /no work was in flight .*slow-body-1 was closed before/,
      bl,
    ],
    [
      'a stop that is stuck fails',
      'fail',
      twice('TERM', 100, ...done(1300), ...outerTimeout(11_000)),
      /still running 10898 ms later/,
      bl,
    ],
    [
      'work that was still open when the harness sent SIGKILL may be what it waited for, after one signal too',
      'not exercised',
      twice('TERM', 100, ...outerTimeout(11_000), lost('slow-body-1', 11_002)),
      /still running 10898 ms later.*slow-body-1 was not answered/,
      bl,
    ],
    [
      'work that was complete and is usually answered is stuck with the rest: that fails',
      'fail',
      twice('TERM', 100, finished('slow-body-1', 1300), ...outerTimeout(11_000), lost('slow-body-1', 11_002)),
      /still running 10898 ms later/,
      bl,
    ],
    ['an end past every bound fails', 'fail', twice('TERM', 100, ...rest(10_500)), /not below 1000 ms/, bl],
    [
      'an end that one signal may have come to as late is not exercised, with what to declare',
      'not exercised',
      twice('TERM', 100, ...rest(6000)),
      /whether it is faster after one signal is not known$/,
      bl,
    ],
    [
      'one that is declared to come sooner fails',
      'fail',
      twice('TERM', 100, ...rest(6000)),
      /not below 2000 ms/,
      { ...bl, terms: { afterWorkMs: 2000 }, basis: { origins: { afterWorkMs: 'profile' } } },
    ],
    [
      'one that is declared to take so long passes',
      'pass',
      twice('TERM', 100, ...rest(6000)),
      /exit 0 4697 ms/,
      { ...bl, terms: { afterWorkMs: 8000 } },
    ],
    [
      'with a declared grace the end after the work is promised',
      'fail',
      twice('TERM', 100, ...rest(2900)),
      /not below 1000 ms/,
      same('100ms', { terms: { secondTerm: 'never-slower' } }),
    ],
    ['137 is no end of its own', 'fail', twice('TERM', 100, cutAt(104), ...exit(120, 137)), /137/, bl],
  ]);
});

describe('SIG-5, where a second signal must not or must shorten a stop', () => {
  const kept: Setting = { ...bl, terms: { secondTerm: 'must-not-shorten' } };
  const shortened: Setting = { ...bl, terms: { secondInt: 'must-shorten' } };
  checkRows(sig5, [
    ['work that completes passes', 'pass', twice('TERM', 100, ...done(1300), ...exit(1310, 0)), /exit 0 7 ms/, kept],
    [
      'work that the second signal cut fails',
      'fail',
      twice('TERM', 100, cutAt(104), ...exit(110, 0)),
      /1 of 1 pieces .*slow-body-1: reset 104 ms after/,
      kept,
    ],
    [
      'work that completes with a status that is not accepted fails',
      'fail',
      twice('TERM', 100, ...done(1300), ...exit(1310, 143)),
      /exit 143: not an accepted/,
      kept,
    ],
    [
      'work that the harness did not complete before the end of the grace proves nothing',
      'inconclusive',
      twice('TERM', 100, cutAt(10_100), ...exit(10_110, 0)),
      /did not complete/,
      kept,
    ],
    [
      'work that is cut soon passes',
      'pass',
      twice('INT', 100, cutAt(600), ...exit(610, 130)),
      /exit 130 510 ms/,
      shortened,
    ],
    [
      'work that goes on fails',
      'fail',
      twice('INT', 100, ...done(2300), ...exit(2310, 0)),
      /not below 1000 ms/,
      alone(shortened),
    ],
    [
      'work that the harness completed too soon proves nothing',
      'inconclusive',
      twice('INT', 100, ...done(500), ...exit(510, 0)),
      /the harness completed slow-body-1/,
      shortened,
    ],
  ]);
});
