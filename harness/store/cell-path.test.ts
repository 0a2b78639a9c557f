import { join, sep } from 'node:path';
import { expect, it } from 'vitest';
import { cellPath, slug } from './cell-path.ts';

const parts = {
  engine: 'docker',
  image: 'a/b:1',
  scenario: 'signal/idle',
  cell: 'signal=TERM',
  repeat: 1,
  sample: 2,
} as const;

it('names engine, image, scenario, cell, repeat and sample', () => {
  expect(cellPath(parts)).toBe('cells/docker/a__b+1/signal__idle/signal=TERM/r1-s2');
  expect(cellPath({ ...parts, cell: '-' })).toBe('cells/docker/a__b+1/signal__idle/-/r1-s2');
});

const hostile = [
  '',
  '.',
  '..',
  '../..',
  '../../etc/passwd',
  '/etc',
  'a/../b',
  'a\\..\\b',
  'a\0b',
  'a\nb',
  'é',
  'CON',
  ' ',
  '~',
  '-',
  '-rf',
  'a/b',
  'a__b',
  'a:b',
  'a+b',
  'a//b',
  'a/_b',
  'a_/b',
  'a___b',
  'a b',
  'a_b',
  'x'.repeat(99),
  'x'.repeat(300),
  'x'.repeat(301),
];

it.each(hostile.map((text) => [text]))('%j stays inside the run directory, as one name', (text) => {
  const path = join('/run', cellPath({ ...parts, image: text, scenario: text, cell: text }));
  expect(path.split(sep)).toHaveLength(8);
  expect(path.startsWith('/run/cells/docker/')).toBe(true);
  expect(slug(text)).toMatch(/^[A-Za-z0-9_=,@+-][A-Za-z0-9_.=,@+~-]{0,99}$/);
});

it('different texts get different names', () => {
  expect(new Set(hostile.map(slug)).size).toBe(hostile.length);
});

it.each([0, -1, 1.5, Number.NaN])('a repeat or sample of %d is refused', (n) => {
  expect(() => cellPath({ ...parts, repeat: n })).toThrow(RangeError);
  expect(() => cellPath({ ...parts, sample: n })).toThrow(RangeError);
});
