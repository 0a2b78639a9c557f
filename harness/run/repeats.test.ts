import { describe, expect, it } from 'vitest';
import { exit, history, ready, signal } from '../judge/testing/history-builder.ts';
import { cellsToRepeat } from './repeats.ts';

/** A stop that took so long, against the limit of 1000 ms. */
const sample = (n: number, afterMs: number, scenario = 'stop/idle') =>
  history(
    { cell: { scenario, sample: n, lane: n === 1 ? 'shared' : 'alone', path: `${scenario}/s${n}` } },
    ready(),
    ...signal(),
    ...exit(afterMs, 0),
  );
const numbers = (...histories: readonly ReturnType<typeof sample>[]) =>
  cellsToRepeat(histories).map(({ scenario, sample: n, lane }) => [scenario, n, lane]);

describe('what is repeated', () => {
  it.each([
    ['an undecided limit, alone', [sample(1, 1000)], [['stop/idle', 2, 'alone']]],
    ['it again, until it is decided', [sample(2, 1000), sample(1, 1000)], [['stop/idle', 3, 'alone']]],
    ['nothing that is decided', [sample(1, 1000), sample(2, 50)], []],
    ['nothing that was decided at once', [sample(1, 50)], []],
    ['nothing more than three times', [1, 2, 3, 4].map((n) => sample(n, 1000)), []],
    ['only what is undecided', [sample(1, 1000, 'a'), sample(1, 50, 'b')], [['a', 2, 'alone']]],
  ])('is %s', (_, histories, expected) => {
    expect(numbers(...histories)).toEqual(expected);
  });
});
