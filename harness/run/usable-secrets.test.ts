import { expect, it } from 'vitest';
import { UsageError } from '../model/errors.ts';
import { usableSecrets } from './usable-secrets.ts';

it('each secret counts once, and an empty one is none', () => {
  expect(usableSecrets(['long enough', '', 'four', 'long enough'])).toEqual(['long enough', 'four']);
});

it.each([
  ['abc', 'a value of 3 characters'],
  ['a', 'a value of 1 character cannot'],
])('one that is too short to be masked is refused, and not shown: %s', (short, said) => {
  expect(() => usableSecrets(['long enough', short])).toThrow(UsageError);
  expect(() => usableSecrets([short])).toThrow(said);
  expect(() => usableSecrets([short])).not.toThrow(`"${short}"`);
});
