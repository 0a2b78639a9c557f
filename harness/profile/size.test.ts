import { expect, it } from 'vitest';
import { parseSize } from './size.ts';

it.each([
  ['256MiB', 268_435_456],
  ['1.5GiB', 1_610_612_736],
  ['64MB', 64_000_000],
  ['512 KiB', 524_288],
  ['2kB', 2000],
  ['10B', 10],
  ['0', 0],
  [4096, 4096],
])('%s is %i bytes', (text, bytes) => {
  expect(parseSize(text, 'memory')).toBe(bytes);
});

it.each([
  ['much', 'memory: "much" is not a size; '],
  ['256m', 'memory: "256m" is not a size; '],
  ['256mib', 'memory: "256mib" is not a size; '],
  ['-1MiB', 'memory: "-1MiB" is not a size; '],
  ['', 'memory: "" is not a size; '],
  ['0.3kB5', 'memory: "0.3kB5" is not a size; '],
  ['0.0001KiB', 'memory: "0.0001KiB" is not a whole number of bytes; '],
  [0.5, 'memory: 0.5 is not a whole number of bytes; '],
])('%s is refused, naming option, value and remedy', (text, message) => {
  const remedy = 'write whole bytes (67108864), or a number with a unit: 256MiB, 1GiB, 64MB';
  expect(() => parseSize(text, 'memory')).toThrow(message + remedy);
});
