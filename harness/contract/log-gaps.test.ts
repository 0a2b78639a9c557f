import { describe, expect, it } from 'vitest';
import type { Entry } from '../judge/testing/history-builder.ts';
import {
  EXCEEDED,
  exit,
  GRACEFUL,
  line,
  logComplete,
  outerTimeout,
  ready,
  RECEIVED,
  signal,
  SIGNAL_AT,
} from '../judge/testing/history-builder.ts';
import { judgeClause } from '../judge/testing/judge-clause.ts';
import type { Outcome } from '../model/verdict.ts';
import { toNs } from './evidence/queries.ts';

const stop = (...entries: readonly Entry[]): readonly Entry[] => [ready(), ...signal(), ...entries, ...exit(50, 0)];
const open = (missing: readonly string[] = [], error?: string): Entry =>
  ({ ...logComplete(missing, error), attachedOpen: true }) as Entry;
const ends = (stdout: number, stderr: number, more = {}): Entry =>
  ({ ...logComplete(), comparedLast: { stdout, stderr }, ...more }) as Entry;

/** More was written to stdout than is kept. */
function flooded(afterMs: number): Entry {
  const t = toNs(SIGNAL_AT + afterMs);
  return { kind: 'log.left-out', begin: t, t, stream: 'stdout', lines: 7, bytes: 70 };
}

const both = [line(1, RECEIVED), line(3000, GRACEFUL)];

type Row = readonly [promise: string, clause: string, outcome: Outcome, entries: readonly Entry[], seen: RegExp];

const stillOpen: readonly Row[] = [
  ['one receipt is one', 'SIG-4', 'pass', stop(...both, open()), /one receipt/],
  ['two receipts are two', 'SIG-4', 'fail', stop(line(3, RECEIVED), ...both, open()), /2 lines of receipt/],
  [
    'one receipt is not once where the stored log lacks lines',
    'SIG-4',
    'inconclusive',
    stop(...both, open(['x'])),
    /open/,
  ],
  ['one receipt is not once where no log was read', 'SIG-4', 'inconclusive', stop(...both, open([], 'EPIPE')), /EPIPE/],
  [
    'one receipt is not once where only the end was compared',
    'SIG-4',
    'inconclusive',
    stop(...both, ends(2, 0, { attachedOpen: true })),
    /open/,
  ],
  ['no receipt is not none', 'SIG-4', 'inconclusive', stop(line(3000, GRACEFUL), open()), /still open/],
  [
    'no receipt until the outer timeout is not none',
    'SIG-4',
    'inconclusive',
    [ready(), ...signal(), ...outerTimeout(), open()],
    /still open/,
  ],
  ['a last line in the stored log is there', 'OBS-4', 'pass', stop(...both, open()), /last line/],
  ['a last line that the stored log lacks is not', 'OBS-4', 'inconclusive', stop(...both, open([GRACEFUL])), /lacks 1/],
  ['no last line is not a lost one', 'OBS-4', 'inconclusive', stop(line(1, RECEIVED), open()), /still open/],
  ['an outcome in the stored log is the outcome', 'OBS-3', 'pass', stop(...both, open()), /outcome graceful/],
  ['no outcome is not none', 'OBS-3', 'inconclusive', stop(line(1, RECEIVED), open()), /still open/],
  ['another outcome may come where no log was read', 'OBS-3', 'inconclusive', stop(...both, open([], 'EPIPE')), /open/],
];

const endOnly: readonly Row[] = [
  [
    'a last line on the quiet stream was compared',
    'OBS-4',
    'pass',
    stop(line(45, GRACEFUL, { stream: 'stderr' }), flooded(3), ends(0, 1)),
    /last line/,
  ],
  [
    'no last line is not none where the end does not reach back to the signal',
    'OBS-4',
    'inconclusive',
    stop(line(-3, 'noise'), line(45, 'bye'), flooded(-9), ends(1, 0)),
    /only the end/,
  ],
  [
    'no last line is none where the end reaches back to before the signal',
    'OBS-4',
    'fail',
    stop(line(-3, 'noise'), line(45, 'bye'), flooded(-9), ends(2, 0)),
    /is missing/,
  ],
  [
    'one receipt is one where nothing is left out after the signal',
    'SIG-4',
    'pass',
    stop(...both, flooded(-9), ends(2, 0)),
    /one receipt/,
  ],
];

describe('where the attached output was still open when the stored log was read', () => {
  it.each(stillOpen)('%s: %s is %s', (_, clause, outcome, entries, seen) => {
    expect(judgeClause(clause, {}, entries)).toMatchObject({ outcome, seen: expect.stringMatching(seen) });
  });
});

describe('where only the end of the stored log was read', () => {
  it.each(endOnly)('%s: %s is %s', (_, clause, outcome, entries, seen) => {
    expect(judgeClause(clause, {}, entries)).toMatchObject({ outcome, seen: expect.stringMatching(seen) });
  });

  it.each([
    ['on stderr it may be in what was not read', 'inconclusive', [flooded(3), ends(1, 0)], /only the end/],
    [
      'one on stderr is seen',
      'pass',
      [flooded(3), line(2100, EXCEEDED, { stream: 'stderr' }), ends(1, 1)],
      /said on stderr/,
    ],
    [
      'a quiet stderr is quiet where the end reaches back to before the signal',
      'fail',
      [line(-9, 'noise', { stream: 'stderr' }), flooded(3), ends(1, 1)],
      /stderr never says/,
    ],
    ['where the stream was open it may have come late', 'inconclusive', [open()], /still open/],
  ] as const)('that the deadline expired: %s, DLN-2 is %s', (_, outcome, entries, seen) => {
    const held: Entry = { kind: 'work.held', id: 'a', shape: 'slow', how: 'x', begin: toNs(900), t: toNs(950) };
    const cut: Entry = { kind: 'work.ended', id: 'a', shape: 'slow', fate: 'closed', t: toNs(SIGNAL_AT + 2050) };
    const stopped = [ready(), held, ...signal(), line(2000, 'noise'), ...entries, cut, ...exit(2060, 1)];
    const finding = judgeClause('DLN-2', { terms: { graceMs: 2000 } }, stopped);
    expect(finding).toMatchObject({ outcome, seen: expect.stringMatching(seen) });
  });
});
