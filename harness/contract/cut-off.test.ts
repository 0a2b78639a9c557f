import { describe, expect, it } from 'vitest';
import { judgeClause } from '../judge/testing/judge-clause.ts';
import type { Row } from '../judge/testing/judge-clause.ts';
import {
  at,
  exit,
  outerTimeout,
  processFact as p,
  ready,
  signal,
  SIGNAL_AT,
  started,
  tree,
} from '../judge/testing/history-builder.ts';
import type { Entry } from '../judge/testing/history-builder.ts';

const attached: Entry = { kind: 'process.events', t: at(100), state: 'attached' };
const lost: Entry = { kind: 'process.events', t: at(1001), state: 'lost', reason: 'buffer' };
const unavailable: Entry = { kind: 'process.events', t: at(100), state: 'unavailable', reason: 'no root' };
const ended = (pid: number, afterMs: number, how: { code?: number; signal?: number }): Entry => ({
  kind: 'process.exit',
  t: at(SIGNAL_AT + afterMs),
  pid,
  comm: pid === 100 ? 'node' : 'worker',
  ...how,
});
const kernel = (...entries: readonly Entry[]): readonly Entry[] => [
  ...[started(), attached, ready(), ...signal()],
  ...entries,
  ended(100, 50, { code: 0 }),
  ...exit(51, 0),
];
const sampled = (...entries: readonly Entry[]): readonly Entry[] => [
  ...[started(), unavailable, ready(), ...signal()],
  ...entries,
  ...exit(51, 0),
];
const during = (beforeMs: number, ...children: readonly number[]): Entry =>
  tree([p(1, 0, ['node']), ...children.map((n) => p(n, 1, ['worker']))], 'during-stop', SIGNAL_AT + 51 - beforeMs);

describe('IMG-6', () => {
  const rows: readonly Row[] = [
    ['nothing else running passes', 'pass', kernel(), /no other process/],
    ['workers that leave 5 ms before PID 1 pass', 'pass', kernel(ended(101, 45, { code: 0 })), /1 other process/],
    ['workers that end by TERM pass', 'pass', kernel(ended(101, 45, { signal: 15 })), /none of them cut off/],
    ['a worker that its supervisor killed earlier passes', 'pass', kernel(ended(101, 10, { signal: 9 })), /none/],
    [
      'a worker cut off just before PID 1 fails',
      'fail',
      kernel(ended(101, 48, { signal: 9 })),
      /worker \(pid 101, 2 ms before it\)/,
    ],
    ['a worker cut off after PID 1 fails', 'fail', kernel(ended(101, 56, { signal: 9 })), /pid 101, 6 ms after it/],
    [
      'every one of several is named',
      'fail',
      kernel(ended(101, 49, { signal: 9 }), ended(102, 56, { signal: 9 })),
      /101.*102/,
    ],
    ['a cut on record counts although events were lost', 'fail', kernel(lost, ended(101, 49, { signal: 9 })), /101/],
    ['lost events and no sample are inconclusive', 'inconclusive', kernel(lost), /not seen during the stop .*buffer/],
    ['without events only PID 1 in the last sample passes', 'pass', sampled(during(9)), /only PID 1 was left.*no root/],
    [
      'without events the last sample counts, not the one before',
      'pass',
      sampled(during(30, 2), during(9)),
      /only PID 1/,
    ],
    [
      'without events a worker seen close to the end is inconclusive',
      'inconclusive',
      sampled(during(9, 2)),
      /less than 20 ms/,
    ],
    [
      'without events an old sample with workers is inconclusive',
      'inconclusive',
      sampled(during(40, 2)),
      /40 ms before the end/,
    ],
    [
      'without events a zombie is not running',
      'pass',
      sampled(tree([p(1, 0, ['x']), p(2, 1, ['y'], { state: 'Z' })], 'during-stop', 1040)),
      /only/,
    ],
    ['without events and samples it is inconclusive', 'inconclusive', sampled(), /not seen/],
    [
      'a stop that was not graceful is not judged',
      'not exercised',
      [ready(), ...signal(), ...exit(51, 1)],
      /not graceful \(exit 1\)/,
    ],
    [
      'a SIGKILL of ours cuts everything off',
      'not exercised',
      [ready(), ...signal(), ...outerTimeout()],
      /did not end by itself/,
    ],
    ['no signal is inconclusive', 'inconclusive', [ready()], /trigger/],
    ['an unknown end is inconclusive', 'inconclusive', [ready(), ...signal()], /never confirmed/],
  ];
  for (const [promise, outcome, entries, seen, setting = {}] of rows) {
    it(promise, () => {
      const finding = judgeClause('IMG-6', setting, entries);
      expect(finding).toMatchObject({ outcome, seen: expect.stringMatching(seen) });
      expect(finding.timing).toBeUndefined();
    });
  }
});
