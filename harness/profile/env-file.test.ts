import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readEnvFile, UnusableEnvFile } from './env-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'lf-qualify-env-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, 'x.env');

it.each([
  ['A=1\nB=two words # not this\n', { A: '1', B: 'two words' }],
  ['# a comment\n\nexport A="x=y"\r\n', { A: 'x=y' }],
  ['A=\'one\ntwo\'\nB="three\n\nfour"\n', { A: 'one\ntwo', B: 'three\n\nfour' }],
  ["A=\nA.B=it's\n", { A: '', 'A.B': "it's" }],
  ['', {}],
])('%j', (text, expected) => {
  writeFileSync(path, text);
  expect({ ...readEnvFile(path) }).toEqual(expected);
});

it.each([
  ['A=1\nhush\n', 2],
  ['A="x\ny"\nB: hush', 3],
  ['=hush', 1],
  ['1A=hush', 1],
])('a line without a name is refused and not shown: %j', (text, line) => {
  writeFileSync(path, text);
  expect(() => readEnvFile(path)).toThrow(
    new UnusableEnvFile(`expected NAME=value on each line, found something else on line ${line}: ${path}`),
  );
});

it('a file that is not there is named', () => {
  const missing = join(folder, 'missing.env');
  expect(() => readEnvFile(missing)).toThrow(
    new UnusableEnvFile(`expected a file with NAME=value lines, found no such file: ${missing}`),
  );
});
