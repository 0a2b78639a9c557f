import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { UsageError } from '../model/errors.ts';
import { parseRunOptions } from './options.ts';

const folder = mkdtempSync(join(tmpdir(), 'lf-qualify-options-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const [first, second] = [join(folder, '1.env'), join(folder, '2.env')];
writeFileSync(first, 'A=first\nB=first\nC=first\n');
writeFileSync(second, 'B=second\nC=second\n');

it('--env goes before --env-file, and a later file before an earlier one', () => {
  const raw = { envFile: [first, second], env: ['C=flag', 'D'] };
  const { flags, fileEnv } = parseRunOptions(['x:1'], raw, { D: 'here', A: 'not this' });
  expect(flags.env).toEqual({ A: 'first', B: 'second', C: 'flag', D: 'here' });
  expect(fileEnv).toEqual({ A: 'first', B: 'second', C: 'second' });
});

it('an env file that is not there is named', () => {
  const missing = join(folder, 'none.env');
  expect(() => parseRunOptions(['x:1'], { envFile: [missing] }, {})).toThrow(
    new UsageError(`--env-file: expected a file with NAME=value lines, found no such file: ${missing}`),
  );
});

it.each([
  [{}, undefined],
  [{ labelProfile: true }, undefined],
  [{ labelProfile: false }, false],
])('the profile in the label is read unless it is ruled out: %j', (raw, expected) => {
  expect(parseRunOptions(['x:1'], raw, {}).flags.labelProfile).toBe(expected);
});

it('readiness may be the HEALTHCHECK', () => {
  expect(parseRunOptions(['x:1'], { ready: 'health' }, {}).flags.ready).toEqual({ kind: 'health', origin: '--ready' });
});
