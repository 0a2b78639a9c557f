import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { UsageError } from '../model/errors.ts';
import { checkOutFolder } from './out-folder.ts';

const folder = mkdtempSync(join(tmpdir(), 'lf-qualify-out-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, 'file'), '');
symlinkSync('nowhere', join(folder, 'link'));
symlinkSync('circle', join(folder, 'circle'));
symlinkSync('.', join(folder, 'good-link'));

describe('a folder for reports', () => {
  it.each(['.', 'new', 'new/deep/er', 'good-link/new'])('%s will do, and nothing is made', (out) => {
    const before = readdirSync(folder);
    checkOutFolder(join(folder, out));
    expect(readdirSync(folder)).toEqual(before);
  });

  it.each([
    ['file', /--out ".*file": .*file is no folder; name another folder/],
    ['file/below/it', /--out ".*file\/below\/it": .*file is no folder; /],
    ['link/below', /link cannot be written to \(ENOENT\); /],
    ['circle', /circle cannot be written to \(ELOOP\); /],
    ['x'.repeat(300), /cannot be written to \(ENAMETOOLONG\); /],
    ['/proc/1/reports', /\/proc\/1 (cannot be written to|is no folder)/],
  ])('%s is refused', (out, message) => {
    const act = (): void => checkOutFolder(out.startsWith('/') ? out : join(folder, out));
    expect(act).toThrow(UsageError);
    expect(act).toThrow(message);
  });
});
