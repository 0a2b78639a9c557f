import { describe, expect, it } from 'vitest';
import { median, spread, unionLength } from './statistics.ts';

describe('bench statistics', () => {
  it.each([
    [[], 0],
    [[3], 3],
    [[4, 1], 2.5],
    [[9, 1, 5], 5],
  ])('the median of %j is %d', (values, expected) => {
    expect(median(values)).toBe(expected);
  });

  it('counts time that intervals share once, and gaps not at all', () => {
    expect(
      unionLength([
        [0, 10],
        [5, 12],
        [20, 21],
        [6, 7],
      ]),
    ).toBe(13);
    expect(unionLength([])).toBe(0);
  });

  it('shows median, range and number', () => {
    expect(spread([1, 2, 9])).toBe('2.0 [1.0..9.0] (3)');
    expect(spread([])).toBe('no samples');
  });
});
