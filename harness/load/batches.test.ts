import { describe, expect, it } from 'vitest';
import { BATCH, inBatches } from './batches.ts';

describe('many connections', () => {
  it('are begun some at a time: the next batch waits for those before it, and for the service', async () => {
    const open: (() => void)[] = [];
    const asked: number[] = [];
    const done = inBatches(
      BATCH + 2,
      async (index, connected) => {
        open.push(() => connected(true));
        return index;
      },
      async () => {
        asked.push(open.length);
      },
    );
    await Promise.resolve();
    expect(open).toHaveLength(BATCH);
    for (const connect of open) connect();
    const tried = await done;
    expect(asked).toEqual([BATCH]);
    expect(tried.map((one) => (one.status === 'fulfilled' ? one.value : one.status))).toEqual(
      Array.from({ length: BATCH + 2 }, (_, index) => index),
    );
  });

  it.each([
    [
      'nobody answers',
      async (index: number, connected: (answered: boolean) => void) => {
        connected(index !== 3);
        return 'x';
      },
    ],
    [
      'this host is at fault',
      (index: number) => (index === 3 ? Promise.reject(new Error('EMFILE')) : Promise.resolve('x')),
    ],
  ])('are no longer begun where %s: the rest is counted, not tried', async (_title, one) => {
    const tried = await inBatches<string>(BATCH * 3, one);
    expect(tried).toHaveLength(BATCH * 3);
    expect(tried.filter(({ status }) => status === 'not tried')).toHaveLength(BATCH * 2);
  });
});
