import { expect, it } from 'vitest';
import { parseDuration } from './duration.ts';

it.each([
  ['2s', 2000],
  ['1500ms', 1500],
  ['1.1s', 1100],
  ['1.001s', 1001],
  ['2 s', 2000],
  ['1m', 60_000],
  ['0', 0],
  [250, 250],
])('%s is %i ms', (text, ms) => {
  expect(parseDuration(text, '--grace')).toBe(ms);
});

it.each([
  ['two', '--grace: "two" is not a duration; '],
  ['', '--grace: "" is not a duration; '],
  ['-1s', '--grace: "-1s" is not a duration; '],
  [-1, '--grace: -1 is not a duration; '],
  ['2h', '--grace: "2h" is not a duration; '],
  ['1e3', '--grace: "1e3" is not a duration; '],
  [Number.NaN, '--grace: null is not a duration; '],
  [0.5, '--grace: 0.5 is not a whole number of milliseconds; '],
  ['0.0001s', '--grace: "0.0001s" is not a whole number of milliseconds; '],
])('%s is refused, naming option, value and remedy', (text, message) => {
  const remedy = 'write whole milliseconds (1500), or a number with a unit: 1500ms, 2s, 1m';
  expect(() => parseDuration(text, '--grace')).toThrow(message + remedy);
});
