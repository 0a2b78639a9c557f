import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { cpuPressureMs } from './cpu-pressure.ts';

const root = mkdtempSync(join(tmpdir(), 'lf-qualify-pressure-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

it.each([
  [
    'some avg10=97.81 avg60=93.62 avg300=78.21 total=15655395\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=7\n',
    15_655.395,
  ],
  ['', undefined],
])('reads %j as %s ms', async (text, expected) => {
  const file = join(root, 'cpu');
  writeFileSync(file, text);
  expect(await cpuPressureMs(file)).toBe(expected);
});

it('tells nothing where the kernel has no such file', async () => {
  expect(await cpuPressureMs(join(root, 'none'))).toBeUndefined();
});
