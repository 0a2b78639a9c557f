import { describe, expect, it } from 'vitest';
import { CleanUp } from './clean-up.ts';
import type { GoodbyeOutcome } from './registry-session.ts';
import { ShutdownContext } from './shutdown-context.ts';
import type { StopParts } from './stop-sequence.ts';
import { stopInOrder } from './stop-sequence.ts';
import { collectedLog } from './testing/collected-log.ts';
import { settle, VirtualClock } from './testing/virtual-clock.ts';

const begin = (graceMs = 2000) => {
  const clock = new VirtualClock();
  const context = new ShutdownContext('Terminate', graceMs, clock);
  const events: string[] = [];
  const log = collectedLog();
  const goodbye = Promise.withResolvers<GoodbyeOutcome>();
  const work = Promise.withResolvers<'drained' | 'cut'>();
  const hook = Promise.withResolvers<void>();
  const cleanUp = new CleanUp();
  const say = <T>(event: string, result: Promise<T>): Promise<T> => {
    events.push(event);
    return result;
  };
  cleanUp.register({ name: 'pool', shutdown: () => say('clean-up', hook.promise) });
  const parts: StopParts = {
    log,
    cleanUp,
    transport: {
      bind: async () => undefined,
      stop: () => say('transport', work.promise),
      abort: async () => undefined,
    },
    registry: { start: async () => undefined, shutdown: () => say('goodbye', goodbye.promise), abort: () => undefined },
  };
  const outcome = stopInOrder(parts, context);
  return { clock, context, events, log, goodbye, work, hook, outcome };
};

describe('the stop sequence', () => {
  it('goes from goodbye to transport to clean-up, each after the one before', async () => {
    const { events, goodbye, work, hook, outcome, log } = begin();
    await settle();
    expect(events).toEqual(['goodbye']);
    goodbye.resolve('Acknowledged');
    await settle();
    expect(events).toEqual(['goodbye', 'transport']);
    work.resolve('drained');
    await settle();
    expect(events).toEqual(['goodbye', 'transport', 'clean-up']);
    hook.resolve();
    await expect(outcome).resolves.toBe('graceful');
    expect(log.lines).toEqual(['info portal-registry terminal shutdown completed outcome=Acknowledged']);
  });

  it('does not keep the transport waiting past the deadline for an unanswered goodbye', async () => {
    const { events, clock } = begin();
    await clock.advance(1999);
    expect(events).toEqual(['goodbye']);
    await clock.advance(1);
    expect(events).toEqual(['goodbye', 'transport']);
  });

  it('stops the transport at once with a grace of 0, beside the goodbye', async () => {
    const { events, clock } = begin(0);
    await clock.advance(0);
    expect(events).toEqual(['goodbye', 'transport']);
  });

  it.each([
    ['work was cut', 'cut', 0, 'deadline-exceeded'],
    ['nothing was cut, but the deadline has passed', 'drained', 2000, 'deadline-exceeded'],
    ['everything ended in time', 'drained', 1999, 'graceful'],
  ] as const)('when %s, with work %s after %i ms, is %s', async (_when, result, spentMs, expected) => {
    const { clock, goodbye, work, hook, outcome } = begin();
    goodbye.resolve('TimedOut');
    work.resolve(result);
    await clock.advance(spentMs);
    hook.resolve();
    await expect(outcome).resolves.toBe(expected);
  });

  it('is graceful when a drain without work was collapsed', async () => {
    const { context, goodbye, work, hook, outcome } = begin();
    context.collapse();
    goodbye.resolve('TimedOut');
    work.resolve('drained');
    hook.resolve();
    await expect(outcome).resolves.toBe('graceful');
  });

  it('goes on after every error, says each and is failed', async () => {
    const { events, goodbye, work, hook, outcome, log } = begin();
    goodbye.reject(new Error('one'));
    work.reject(new Error('two'));
    hook.reject(new Error('three'));
    await expect(outcome).resolves.toBe('failed');
    expect(events).toEqual(['goodbye', 'transport', 'clean-up']);
    expect(log.lines).toEqual([
      'err light-runtime: shutdown failed: Error: one',
      'err light-runtime: shutdown failed: Error: two',
      'err light-runtime: shutdown failed: Error: clean-up pool failed: Error: three',
    ]);
  });
});
