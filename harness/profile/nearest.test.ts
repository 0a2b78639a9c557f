import { expect, it } from 'vitest';
import { nearest } from './nearest.ts';

it.each([
  ['grase', 'grace'],
  ['Grace', 'grace'],
  ['gracenv', 'graceEnv'],
  ['outertimeout', 'outerTimeout'],
  ['colour', undefined],
  ['', undefined],
])('%s means %s', (written, expected) => {
  expect(nearest(written, ['grace', 'graceEnv', 'outerTimeout'])).toBe(expected);
});
