import { describe } from 'vitest';
import { checkRows } from '../judge/testing/clause-rows.suite.ts';
import type { Entry, Setting } from '../judge/testing/history-builder.ts';
import { at, exit, line, logComplete, ready, RECEIVED, signal, SIGNAL_AT } from '../judge/testing/history-builder.ts';
import { completed, held, lost } from '../judge/testing/work-builder.ts';
import { sig8 } from './sig-repeated.ts';
import { sig6 } from './sig-second.ts';
import { sig4 } from './sig.ts';

const SECOND = 'light-runtime: second shutdown signal received; cancelling graceful drain';
const received = line(1, RECEIVED);

/** TERM, and another signal so long after it, with a request held that the second one cuts. */
const twice = (second: string, apartMs: number, ...entries: readonly Entry[]): readonly Entry[] => [
  ready(),
  held('slow-body-1'),
  ...signal('TERM'),
  received,
  ...signal(second, SIGNAL_AT + apartMs, 'script', 2),
  lost('slow-body-1', apartMs + 4, 'reset'),
  ...entries,
  ...exit(apartMs + 8, 1),
];
const apart = (planned: string): Setting => ({ values: { first: 'primary', second: 'INT', apart: planned } });
const undeclared: Setting = { ...apart('100ms'), terms: { patterns: { secondSignal: 'never (?!)' } } };

describe('signals that are said, against those that were sent', () => {
  checkRows(sig4, [
    [
      'a second signal that is said where one was sent fails',
      'fail',
      [ready(), ...signal(), received, line(2, SECOND), ...exit(12, 0), logComplete()],
      /one SIGTERM was sent, and the log says 2: .*second shutdown/,
    ],
    [
      'a second signal that is said once for each fails',
      'fail',
      twice('INT', 100, line(101, SECOND), line(102, SECOND), logComplete()),
      /2 signals were sent, and the log says 3/,
    ],
    [
      'two that were sent and said pass',
      'pass',
      twice('INT', 100, line(101, SECOND), logComplete()),
      /one receipt, reason Terminate; the second signal was SIGINT/,
    ],
    [
      'fewer than were sent pass: equal ones merge',
      'pass',
      [...twice('TERM', 100), ...signal('TERM', SIGNAL_AT + 107, 'script', 3), line(101, SECOND), logComplete()],
      /one receipt/,
    ],
    [
      'one that failed may have arrived',
      'pass',
      [
        ready(),
        ...signal(),
        received,
        {
          kind: 'signal.failed',
          t: at(SIGNAL_AT + 9),
          n: 2,
          signal: 'TERM',
          purpose: 'script',
          message: 'timed out',
          ended: false,
        },
        line(8, SECOND),
        ...exit(12, 0),
        logComplete(),
      ],
      /one receipt/,
    ],
    [
      'lines before the first signal are none of it',
      'pass',
      [ready(), line(-100, SECOND), ...signal(), received, ...exit(12, 0), logComplete()],
      /one receipt/,
    ],
  ]);

  checkRows(sig6, [
    [
      'a second, different signal that is said passes',
      'pass',
      twice('INT', 100, line(101, SECOND), logComplete()),
      /SIGINT 100 ms after SIGTERM: exit 1/,
      apart('100ms'),
    ],
    [
      'one that is never said fails, although the stop was shortened',
      'fail',
      twice('INT', 100, logComplete()),
      /SIGINT 100 ms after SIGTERM: no line says that a second signal was received; last line: /,
      apart('100ms'),
    ],
    [
      'one that is not on record may have been said',
      'inconclusive',
      twice('INT', 100),
      /no line says .*, but the stored log was not read/,
      apart('100ms'),
    ],
    [
      'equal signals are not counted',
      'pass',
      twice('TERM', 100, logComplete()),
      /SIGTERM 100 ms after SIGTERM: exit 1/,
      { values: { signal: 'TERM', apart: '100ms' } },
    ],
    [
      'signals that may have come together need not be told apart',
      'pass',
      twice('INT', 11, logComplete()),
      /SIGINT 11 ms after SIGTERM: exit 1/,
      apart('10ms'),
    ],
    [
      'more than were sent fail here too',
      'fail',
      twice('TERM', 100, line(101, SECOND), line(102, SECOND), logComplete()),
      /2 signals were sent, and the log says 3/,
      { values: { signal: 'TERM', apart: '100ms' } },
    ],
    [
      'a pattern that nothing matches asks for its line',
      'fail',
      twice('INT', 100, line(101, SECOND), logComplete()),
      /no line says/,
      undeclared,
    ],
    [
      'without a pattern nothing is asked for',
      'pass',
      twice('INT', 100, logComplete()).map((entry) => entry),
      /SIGINT 100 ms after SIGTERM/,
      { ...apart('100ms'), preset: 'openab-cp', terms: { secondInt: 'collapses', expiredStatus: 1 } },
    ],
  ]);

  checkRows(sig8, [
    [
      'one signal that is said as two fails, although all work completes',
      'fail',
      [ready(), ...signal(), received, line(2, SECOND), completed('slow-body-1'), ...exit(520, 0), logComplete()],
      /one SIGTERM, and the log says a second one: .*second shutdown/,
    ],
    [
      'one that is said once passes',
      'pass',
      [ready(), ...signal(), received, completed('slow-body-1'), ...exit(520, 0), logComplete()],
      /all 1/,
    ],
  ]);
});
