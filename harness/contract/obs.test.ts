import { describe, expect, it } from 'vitest';
import { judgeClause } from '../judge/testing/judge-clause.ts';
import type { Row } from '../judge/testing/judge-clause.ts';
import {
  EXCEEDED,
  exit,
  GRACEFUL,
  gracefulStop,
  line,
  logComplete,
  outerTimeout,
  ready,
  signal,
} from '../judge/testing/history-builder.ts';
import type { Entry } from '../judge/testing/history-builder.ts';

const expired = GRACEFUL.replace('graceful', 'deadline-exceeded');
const broken = GRACEFUL.replace('graceful', 'failed');
const ended = (code: number, ...entries: readonly Entry[]): readonly Entry[] => [
  ready(),
  ...signal(),
  ...entries,
  ...exit(50, code),
];
const stderr = line(40, EXCEEDED, { stream: 'stderr' });

function run(id: string, rows: readonly Row[]): void {
  for (const [promise, outcome, entries, seen, setting = {}] of rows) {
    it(promise, () => {
      const finding = judgeClause(id, setting, entries);
      expect(finding).toMatchObject({ outcome, seen: expect.stringMatching(seen) });
      if (setting.preset !== undefined) expect(finding.declare).toContain('logs: { ');
    });
  }
}

describe('OBS-3', () => {
  run('OBS-3', [
    ['graceful with exit 0 passes', 'pass', gracefulStop(), /outcome graceful, exit 0/],
    [
      'deadline-exceeded with exit 1 passes',
      'pass',
      ended(1, stderr, line(45, expired), logComplete()),
      /deadline-exceeded, exit 1/,
    ],
    ['failed with a nonzero exit passes', 'pass', ended(3, line(45, broken), logComplete()), /failed, exit 3/],
    [
      'the same outcome twice is one outcome',
      'pass',
      ended(0, line(44, GRACEFUL), line(45, GRACEFUL), logComplete()),
      /graceful/,
    ],
    [
      'graceful with exit 1 fails',
      'fail',
      ended(1, line(45, GRACEFUL), logComplete()),
      /graceful, exit 1: they contradict/,
    ],
    ['deadline-exceeded with exit 0 fails', 'fail', ended(0, line(45, expired), logComplete()), /contradict/],
    ['failed with exit 0 fails', 'fail', ended(0, line(45, broken), logComplete()), /contradict/],
    [
      'graceful after an expired deadline fails',
      'fail',
      ended(0, stderr, line(45, GRACEFUL), logComplete()),
      /but stderr says/,
    ],
    [
      'two different outcomes fail',
      'fail',
      ended(0, line(44, GRACEFUL), line(45, broken), logComplete()),
      /2 different/,
    ],
    ['no outcome fails', 'fail', ended(0, line(1, 'bye'), logComplete()), /no outcome was logged/],
    [
      'graceful and then SIGKILL fails',
      'fail',
      ended(137, line(45, GRACEFUL), logComplete()),
      /graceful was logged, but 137/,
    ],
    [
      'no outcome until the outer timeout fails',
      'fail',
      [ready(), ...signal(), ...outerTimeout()],
      /no outcome was ever logged/,
    ],
    [
      'an outcome that had to be killed fails',
      'fail',
      [ready(), ...signal(), line(9, GRACEFUL), ...outerTimeout()],
      /graceful was logged, and/,
    ],
    ['no outcome and an incomplete log is inconclusive', 'inconclusive', ended(0), /was not read/],
    ['no signal is inconclusive', 'inconclusive', [ready()], /trigger/],
    ['an unknown end is inconclusive', 'inconclusive', [ready(), ...signal(), line(9, GRACEFUL)], /never confirmed/],
    ['no pattern is not exercised', 'not exercised', gracefulStop(), /no log pattern/, { preset: 'openab-cp' }],
    [
      'an unknown outcome fails',
      'fail',
      ended(0, line(9, 'outcome=fine'), logComplete()),
      /fine, exit 0: not one of/,
      { terms: { patterns: { outcome: 'outcome=(?<outcome>\\w+)' } } },
    ],
    [
      'a pattern without the group is inconclusive',
      'inconclusive',
      gracefulStop(),
      /no group/,
      { terms: { patterns: { outcome: 'completed' } } },
    ],
  ]);
});

describe('OBS-4', () => {
  run('OBS-4', [
    ['the whole last line in the stored log passes', 'pass', gracefulStop(), /last line: "light-runtime/],
    ['a missing last line fails', 'fail', ended(0, line(1, 'bye'), logComplete()), /missing; last line: "bye"/],
    ['no line at all fails', 'fail', ended(0, logComplete()), /no line at all/],
    [
      'a last line cut in the middle fails',
      'fail',
      ended(0, line(45, 'light-runtime: shutdown comp', { partial: true }), logComplete()),
      /without its end/,
    ],
    [
      'a last line without a newline is whole',
      'pass',
      ended(0, line(45, GRACEFUL, { partial: true }), logComplete()),
      /last line: "light-runtime/,
    ],
    [
      'a last line without a newline and a log that was not read is inconclusive',
      'inconclusive',
      ended(0, line(45, GRACEFUL, { partial: true })),
      /was delivered, but the stored log was not read/,
    ],
    ['a line from before the signal does not count', 'fail', ended(0, line(-9, GRACEFUL), logComplete()), /missing/],
    [
      'a log that could not be read is inconclusive',
      'inconclusive',
      ended(0, line(45, GRACEFUL), logComplete([], 'EPIPE')),
      /EPIPE/,
    ],
    [
      'a log that was never completed is inconclusive',
      'inconclusive',
      ended(0),
      /not seen, but the stored log was not read/,
    ],
    [
      'a last line that the stored log lacks is inconclusive',
      'inconclusive',
      ended(0, line(45, GRACEFUL), logComplete([GRACEFUL])),
      /lacks 1 delivered/,
    ],
    ['a last line without which the stored log is whole is missing', 'fail', ended(0, logComplete()), /is missing/],
    [
      'after our SIGKILL no last line is expected',
      'not exercised',
      [ready(), ...signal(), ...outerTimeout()],
      /did not end by itself/,
    ],
    ['no pattern is not exercised', 'not exercised', gracefulStop(), /no log pattern/, { preset: 'baseline' }],
    ['no signal is inconclusive', 'inconclusive', [ready()], /trigger/],
    ['an unknown end is inconclusive', 'inconclusive', [ready(), ...signal()], /never confirmed/],
  ]);
});
