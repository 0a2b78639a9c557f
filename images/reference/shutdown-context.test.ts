import { describe, expect, it } from 'vitest';
import { ShutdownContext } from './shutdown-context.ts';
import { VirtualClock } from './testing/virtual-clock.ts';

const accepted = async (
  graceMs: number,
  spentMs: number,
): Promise<{ clock: VirtualClock; context: ShutdownContext }> => {
  const clock = new VirtualClock();
  const context = new ShutdownContext('Terminate', graceMs, clock);
  await clock.advance(spentMs);
  return { clock, context };
};

describe('the shutdown context', () => {
  it('shares one deadline: what is spent is gone for everybody', async () => {
    const { context } = await accepted(2000, 700);
    expect([context.elapsed(), context.remaining(), context.remainingHard()]).toEqual([700, 1300, 1550]);
  });

  it('cancels at the graceful deadline, not before', async () => {
    const { clock, context } = await accepted(2000, 1999);
    expect(context.cancellation.aborted).toBe(false);
    await clock.advance(1);
    expect(context.cancellation.aborted).toBe(true);
  });

  it('never has less than nothing left', async () => {
    const { context } = await accepted(100, 5000);
    expect([context.remaining(), context.remainingHard()]).toEqual([0, 0]);
  });

  it.each([
    ['early: only the floor is left', 500, 250],
    ['late: the first hard deadline stands', 2100, 150],
  ])('collapses when it is told to, %s', async (_when, spentMs, leftMs) => {
    const { context } = await accepted(2000, spentMs);
    context.collapse();
    expect(context.cancellation.aborted).toBe(true);
    expect([context.remaining(), context.remainingHard()]).toEqual([0, leftMs]);
  });

  it.each([
    ['when the period ran out', 2000, 2000, false, true],
    ['not before', 2000, 1999, false, false],
    ['not when it was collapsed', 2000, 500, true, false],
    ['not for a period of 0', 0, 10, false, false],
  ])('is expired %s', async (_when, graceMs, spentMs, collapsed, expired) => {
    const { context } = await accepted(graceMs, spentMs);
    if (collapsed) context.collapse();
    expect(context.expired).toBe(expired);
  });

  it('leaves no timer behind when it is closed', async () => {
    const { clock, context } = await accepted(2000, 10);
    context.close();
    expect(clock.pending).toBe(0);
  });
});
