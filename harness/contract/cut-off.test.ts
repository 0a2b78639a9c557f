import { describe, expect, it } from 'vitest';
import { judgeClause } from '../judge/testing/judge-clause.ts';
import type { Row } from '../judge/testing/judge-clause.ts';
import {
  at,
  exit,
  line,
  outerTimeout,
  processFact as p,
  ready,
  signal,
  SIGNAL_AT,
  started,
  tree,
} from '../judge/testing/history-builder.ts';
import { basisOf } from '../judge/testing/history-builder.ts';
import type { Entry } from '../judge/testing/history-builder.ts';
import { clauseById } from './index.ts';

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
const kernel = (...entries: readonly Entry[]): readonly Entry[] => kernelUntil(50, ...entries);
const kernelUntil = (endMs: number, ...entries: readonly Entry[]): readonly Entry[] => [
  ...[started(), attached, ready(), ...signal()],
  ...entries,
  ended(100, endMs, { code: 0 }),
  ...exit(endMs + 1, 0),
];
const forked = (afterMs: number): Entry => ({
  kind: 'process.fork',
  t: at(SIGNAL_AT + afterMs),
  pid: 103,
  parent: 100,
});
const executed = (afterMs: number): Entry => ({
  kind: 'process.exec',
  t: at(SIGNAL_AT + afterMs),
  pid: 103,
  comm: 'x',
});
const sampledUntil = (endMs: number, ...entries: readonly Entry[]): readonly Entry[] => [
  ...[started(), unavailable, ready(), ...signal()],
  ...entries,
  ...exit(endMs, 0),
];
const sampled = (...entries: readonly Entry[]): readonly Entry[] => sampledUntil(51, ...entries);
const during = (beforeMs: number, ...children: readonly number[]): Entry =>
  tree([p(1, 0, ['node']), ...children.map((n) => p(n, 1, ['worker']))], 'during-stop', SIGNAL_AT + 51 - beforeMs);

describe('IMG-6', () => {
  const rows: readonly Row[] = [
    ['nothing else running passes', 'pass', kernel(), /no other process/],
    ['workers that leave 5 ms before PID 1 pass', 'pass', kernel(ended(101, 45, { code: 0 })), /1 other process/],
    [
      'a sleep that is cut off is no loss: it only let a script wait',
      'pass',
      kernel({ ...ended(101, 50, { signal: 9 }), comm: 'sleep' } as Entry),
      /none of them cut off/,
    ],
    ['workers that end by TERM pass', 'pass', kernel(ended(101, 45, { signal: 15 })), /none of them cut off/],
    ['a worker killed long before PID 1 ended passes', 'pass', kernelUntil(300, ended(101, 10, { signal: 9 })), /none/],
    [
      'a worker killed between 30 and 250 ms before PID 1 is measured again',
      'inconclusive',
      kernelUntil(300, ended(101, 80, { signal: 9 })),
      /worker \(pid 101, 220 ms before it\)/,
    ],
    ['a worker killed before the signal passes', 'pass', kernel(ended(101, -20, { signal: 9 })), /no other process/],
    [
      'a worker that was killed before another one was started passes',
      'pass',
      kernel(ended(101, 10, { signal: 9 }), forked(12)),
      /none of them cut off/,
    ],
    [
      'a worker that was killed before another program was started passes, however late',
      'pass',
      kernel(ended(101, 45, { signal: 9 }), executed(47)),
      /none of them cut off/,
    ],
    [
      'a worker that was killed before the service logged passes',
      'pass',
      kernel(ended(101, 30, { signal: 9 }), line(42, 'one of my workers was stuck')),
      /none of them cut off/,
    ],
    [
      'a line that was under way already says nothing',
      'fail',
      kernel(ended(101, 40, { signal: 9 }), line(49, 'stopping')),
      /pid 101/,
    ],
    ['a fork in the same millisecond says nothing', 'fail', kernel(ended(101, 45, { signal: 9 }), forked(45.5)), /101/],
    ['a fork after the end of PID 1 says nothing', 'fail', kernel(ended(101, 45, { signal: 9 }), forked(52)), /101/],
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
    [
      'without events a sample older than 50 ms decides nothing: measured again',
      'inconclusive',
      sampledUntil(100, tree([p(1, 0, ['node'])], 'during-stop', SIGNAL_AT + 40)),
      /60 ms before the end: too old/,
    ],
    [
      'without events a sample is as old as the look that it came of: one that took long decides nothing: measured again',
      'inconclusive',
      sampledUntil(100, { ...tree([p(1, 0, ['node'])], 'during-stop', SIGNAL_AT + 95), begin: at(SIGNAL_AT + 40) }),
      /60 ms before the end: too old/,
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
      expect(finding.timing ?? false).toBe(/measured again/.test(promise));
    });
  }
});

describe.each(['IMG-6', 'OBS-3', 'OBS-4'])('%s speaks about graceful signals only', (id) => {
  it.each([
    ['light-fabric', { signal: 'TERM' }, true],
    ['light-fabric', { signal: 'HUP' }, false],
    ['openab-cp', { signal: 'HUP' }, true],
    ['baseline', { signal: 'INT' }, false],
    ['light-fabric', {}, true],
    ['light-fabric', { first: 'TERM', second: 'INT' }, true],
  ] as const)('%s, %o: %s', (preset, values, expected) => {
    expect(clauseById(id)?.appliesTo?.(values, basisOf({ preset }).terms)).toBe(expected);
  });
});
