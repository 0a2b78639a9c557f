import { describe, expect, it } from 'vitest';
import { at, exit, history, signal } from '../../judge/testing/history-builder.ts';
import type { Entry } from '../../judge/testing/history-builder.ts';
import { answered, finished, held, lost, workFailed } from '../../judge/testing/work-builder.ts';
import { triggerOf } from './queries.ts';
import { declareFor, endedAt, inFlightAt, lastWorkEnd, piecesOf, unheld } from './work.ts';

// the usual signal is called at 998 ms and answered at 1000 ms
const ids = (...entries: readonly Entry[]): readonly string[] => {
  const literal = history({}, ...entries);
  const trigger = triggerOf(literal);
  return trigger ? inFlightAt(literal, trigger).map(({ held: { id } }) => id) : [];
};

describe('work in flight at the signal', () => {
  const rows: readonly (readonly [promise: string, entries: readonly Entry[], inFlight: readonly string[]])[] = [
    ['work that ended after it', [held('a-1'), lost('a-1', 5)], ['a-1']],
    ['work without an end on record', [held('a-1')], ['a-1']],
    ['work that was still held when the record stopped', [held('a-1'), lost('a-1', -50, 'held')], ['a-1']],
    ['not work that ended before the call', [held('a-1'), lost('a-1', -3)], []],
    ['not work that was proven only after the call', [held('a-1', {}, 999), lost('a-1', 5)], []],
    ['not work that was answered between call and answer', [held('a-1'), answered('a-1', -1)], []],
    [
      'work that was turned away between call and answer, with others',
      [
        held('a-1'),
        held('a-2'),
        answered('a-1', -1, { status: 503 }),
        answered('a-2', -1, { status: 503 }),
        exit(50, 0),
      ],
      ['a-1', 'a-2'],
    ],
    ['not a single connection that was lost between call and answer', [held('a-1'), lost('a-1', -1), exit(50, 0)], []],
    ['one that was lost when PID 1 may have been gone', [held('a-1'), lost('a-1', -1), exit(-1, 0)], ['a-1']],
    ['several that were lost at once', [held('a-1'), held('a-2'), lost('a-1', -1), lost('a-2', -1)], ['a-1', 'a-2']],
    ['not an end of work that was never held', [answered('a-1', 5)], []],
  ];
  it.each(rows)('counts %s', (_, entries, inFlight) => {
    expect(ids(...signal(), ...entries)).toEqual(inFlight);
  });
});

describe('the line to declare for what could not be held', () => {
  const failed = workFailed('slow-body', 'no connection: reset (the CA)');
  const missing = (reason: string): Entry => ({
    kind: 'capability.missing',
    t: at(700),
    capability: 'tls',
    reason,
    declare: 'tls: { ca }',
  });
  const declared = (...entries: readonly Entry[]): string => {
    const literal = history({}, ...entries);
    return declareFor(literal, unheld(literal)[0], 'endpoints');
  };
  it.each([
    ['is that of the load which said so', [failed, missing('no connection: reset (the CA)')], 'tls: { ca }'],
    ['is not that of another load', [failed, missing('no TLS port is declared')], 'endpoints'],
    ['is that of the clause where no load said one', [failed], 'endpoints'],
  ] as const)('%s', (_, entries, line) => expect(declared(...entries)).toBe(line));
});

describe('the pieces of a history', () => {
  it('carry completion and end, the first of each', () => {
    const [piece] = piecesOf(history({}, held('a-1'), finished('a-1', 5), lost('a-1', 9), answered('a-1', 10)));
    expect(piece).toMatchObject({ finished: { t: at(1005) }, ended: { fate: 'closed' } });
  });

  it('that are still held when the record stops have no end', () => {
    expect(piecesOf(history({}, held('a-1'), lost('a-1', 9, 'held'))).map(endedAt)).toEqual([undefined]);
  });

  it('end for the last time with the last byte of a whole answer', () => {
    const literal = history(
      {},
      held('a-1'),
      held('a-2'),
      held('a-3'),
      answered('a-1', 9),
      answered('a-2', 7),
      lost('a-3', 20),
    );
    expect(lastWorkEnd(literal)).toMatchObject({ at: at(1009), piece: { held: { id: 'a-1' } } });
    expect(lastWorkEnd(history({}, held('a-3'), lost('a-3', 20)))).toBeUndefined();
  });
});
