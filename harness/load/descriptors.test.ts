import { describe, expect, it } from 'vitest';
import { assureDescriptors } from './descriptors.ts';

const limits = (soft: string) => async (): Promise<string> =>
  `Limit                     Soft Limit           Hard Limit           Units\nMax open files            ${soft}                 4096                 files\n`;

describe('descriptors for many connections', () => {
  it('too few of them are named with the limit and the remedy', async () => {
    await expect(assureDescriptors(2000, limits('1024'))).rejects.toThrow(
      '2000 connections at once need 2200 open files, and the limit is 1024: raise it with ulimit -n 2200',
    );
  });

  it.each([
    ['enough of them', 100, limits('1024')],
    ['no limit at all', 2000, limits('unlimited')],
    ['a host that does not tell', 2000, () => Promise.reject(new Error('ENOENT'))],
  ] as const)('%s: nothing is said', async (_title, connections, read) => {
    await expect(assureDescriptors(connections, read)).resolves.toBeUndefined();
  });
});
