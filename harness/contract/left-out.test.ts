import { describe, expect, it } from 'vitest';
import type { Entry } from '../judge/testing/history-builder.ts';
import {
  EXCEEDED,
  exit,
  GRACEFUL,
  line,
  logComplete,
  ready,
  RECEIVED,
  SIGNAL_AT,
  signal,
} from '../judge/testing/history-builder.ts';
import { judgeClause } from '../judge/testing/judge-clause.ts';
import type { Outcome } from '../model/verdict.ts';
import { toNs } from './evidence/queries.ts';

/** Output that came around `afterMs` and is not on record. */
function leftOut(afterMs: number, stream: 'stdout' | 'stderr' = 'stdout'): Entry {
  const t = toNs(SIGNAL_AT + afterMs);
  return { kind: 'log.left-out', begin: t, t, stream, lines: 7, bytes: 70 };
}

const cutLine: Entry = { kind: 'log', t: toNs(SIGNAL_AT + 3), stream: 'stdout', text: 'x', leftOut: 9 };
const ofEnd: Entry = { ...logComplete(), comparedLast: { stdout: 2, stderr: 0 } } as Entry;
const stop = (...entries: readonly Entry[]): readonly Entry[] => [ready(), ...signal(), ...entries, ...exit(50, 0)];
const seenAll = [line(1, RECEIVED), line(45, GRACEFUL)];

type Row = readonly [promise: string, clause: string, outcome: Outcome, entries: readonly Entry[], seen: RegExp];

const rows: readonly Row[] = [
  [
    'one receipt is not once where lines are missing',
    'SIG-4',
    'inconclusive',
    stop(...seenAll, leftOut(3), ofEnd),
    /7 lines \(70 bytes\) of stdout/,
  ],
  [
    'no receipt is not none where lines are missing',
    'SIG-4',
    'inconclusive',
    stop(line(45, GRACEFUL), leftOut(3), ofEnd),
    /7 lines/,
  ],
  [
    'a line that is cut may have been the receipt',
    'SIG-4',
    'inconclusive',
    stop(line(45, GRACEFUL), cutLine, ofEnd),
    /longer than the 16384 bytes/,
  ],
  [
    'two receipts are two, whatever is missing',
    'SIG-4',
    'fail',
    stop(line(1, RECEIVED), ...seenAll, leftOut(3), ofEnd),
    /2 lines of receipt/,
  ],
  [
    'what was left out before the signal does not matter',
    'SIG-4',
    'pass',
    stop(...seenAll, leftOut(-9), ofEnd),
    /one receipt/,
  ],
  [
    'no outcome is not none where lines are missing',
    'OBS-3',
    'inconclusive',
    stop(line(1, RECEIVED), leftOut(3), ofEnd),
    /no attached line has an outcome, but 7 lines/,
  ],
  [
    'another outcome may be missing',
    'OBS-3',
    'inconclusive',
    stop(...seenAll, leftOut(3), ofEnd),
    /outcome graceful, exit 0, but 7 lines/,
  ],
  [
    'a contradiction stays one',
    'OBS-3',
    'fail',
    [ready(), ...signal(), ...seenAll, leftOut(3), ...exit(50, 1), ofEnd],
    /contradict/,
  ],
  [
    'a last line among those compared with the stored log passes',
    'OBS-4',
    'pass',
    stop(...seenAll, leftOut(3), ofEnd),
    /last line/,
  ],
  [
    'a last line before those compared does not',
    'OBS-4',
    'inconclusive',
    stop(line(40, GRACEFUL), line(41, 'a'), line(42, 'b'), leftOut(3), ofEnd),
    /only later lines/,
  ],
  [
    'a last line on a stream that was not compared does not',
    'OBS-4',
    'inconclusive',
    stop(line(40, GRACEFUL, { stream: 'stderr' }), leftOut(3), ofEnd),
    /only later lines/,
  ],
  [
    'no last line is not none where lines are missing',
    'OBS-4',
    'inconclusive',
    stop(line(1, RECEIVED), leftOut(3), ofEnd),
    /7 lines/,
  ],
];

describe('what is not on record', () => {
  it.each(rows)('%s: %s is %s', (_, clause, outcome, entries, seen) => {
    expect(judgeClause(clause, {}, entries)).toMatchObject({ outcome, seen: expect.stringMatching(seen) });
  });

  it('on one stream says nothing of a line that must come on the other', () => {
    const contradicted = stop(...seenAll, line(46, EXCEEDED, { stream: 'stderr' }), leftOut(3), ofEnd);
    expect(judgeClause('OBS-3', {}, contradicted)).toMatchObject({ outcome: 'fail' });
  });

  it('is quoted no longer than a reader can bear, and as JSON', () => {
    const last = stop(line(45, `${GRACEFUL} ${'x'.repeat(5000)}\u001b[2J`), logComplete());
    const { seen } = judgeClause('OBS-4', {}, last);
    expect(seen.length).toBeLessThan(400);
    expect(seen).toMatch(/and \d+ more characters$/);
  });

  it('a pattern never sees more of a line than its first 16 KiB, in which even a slow one ends', () => {
    const slow = stop(line(40, 'shutdown completed '.repeat(50_000)), logComplete());
    expect(judgeClause('OBS-3', {}, slow)).toMatchObject({ outcome: 'inconclusive' });
  });
});
