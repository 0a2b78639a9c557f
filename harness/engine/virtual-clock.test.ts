import { describe, expect, it } from 'vitest';
import { virtualClock } from './virtual-clock.ts';

describe('virtualClock', () => {
  it('stands still until it is told to go on', async () => {
    const clock = virtualClock({ startNs: 100n });
    const done: string[] = [];
    void clock.sleep(10).then(() => done.push('10'));
    await clock.advance(9.5);
    expect([clock.now(), done]).toEqual([9_500_100n, []]);
    await clock.advance(0.5);
    expect([clock.now(), done]).toEqual([10_000_100n, ['10']]);
  });

  it('wakes sleepers in the order of their times, at their times, also those who come on the way', async () => {
    const clock = virtualClock({ startNs: 0n });
    const woken: [string, bigint][] = [];
    const nap = (name: string, ms: number) => clock.sleep(ms).then(() => void woken.push([name, clock.now()]));
    void nap('late', 30);
    void nap('early', 10).then(() => nap('nested', 5));
    await clock.advance(100);
    expect(woken).toEqual([
      ['early', 10_000_000n],
      ['nested', 15_000_000n],
      ['late', 30_000_000n],
    ]);
  });

  it('lets a sleeper be called off', async () => {
    const clock = virtualClock();
    const abort = new AbortController();
    const nap = clock.sleep(10, abort.signal);
    abort.abort(new Error('up'));
    await expect(nap).rejects.toThrow('up');
    await expect(clock.sleep(10, abort.signal)).rejects.toThrow('up');
    await clock.advance(20);
  });

  it('jumps by itself when asked to, without a real wait', async () => {
    const clock = virtualClock({ startNs: 0n, auto: true });
    const order: string[] = [];
    await Promise.all([
      clock.sleep(3_600_000).then(() => order.push('hour')),
      clock.sleep(1_000).then(() => order.push('second')),
    ]);
    expect([order, clock.now()]).toEqual([['second', 'hour'], 3_600_000_000_000n]);
  });
});
