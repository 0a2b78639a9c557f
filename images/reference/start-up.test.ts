import { describe, expect, it } from 'vitest';
import type { StartUpPhase } from './start-up.ts';
import { StartUp } from './start-up.ts';
import { settle } from './testing/virtual-clock.ts';

/** Phases that tell what is done with them. */
const told = () => {
  const said: string[] = [];
  const phase = (name: string, parts: Partial<StartUpPhase> = {}): StartUpPhase => ({
    name,
    run: async (cancel) => {
      said.push(name);
      await parts.run?.(cancel);
    },
    undo: async () => {
      said.push(`undo ${name}`);
      await parts.undo?.();
    },
  });
  return { said, phase };
};

/** Runs until it is cancelled. */
const untilCancelled = (cancel: AbortSignal): Promise<void> =>
  new Promise((_resolve, reject) => cancel.addEventListener('abort', () => reject(cancel.reason), { once: true }));

describe('a start-up', () => {
  it('runs its phases one after the other', async () => {
    const { said, phase } = told();
    const first = Promise.withResolvers<void>();
    const started = new StartUp([phase('first', { run: () => first.promise }), phase('second')]).run();
    await settle();
    expect(said).toEqual(['first']);
    first.resolve();
    await started;
    expect(said).toEqual(['first', 'second']);
  });

  it('takes back what was begun when it is aborted, the last first, the cancelled phase too', async () => {
    const { said, phase } = told();
    const startUp = new StartUp([phase('first'), phase('second', { run: untilCancelled }), phase('third')]);
    const started = startUp.run();
    await settle();
    await startUp.abort();
    await expect(started).rejects.toThrow('aborted');
    expect(said).toEqual(['first', 'second', 'undo second', 'undo first']);
  });

  it('begins no other phase where the one under way ends well in spite of the abort', async () => {
    const { said, phase } = told();
    const first = Promise.withResolvers<void>();
    const startUp = new StartUp([phase('first', { run: () => first.promise }), phase('second')]);
    const started = startUp.run();
    await settle();
    const aborted = startUp.abort();
    first.resolve();
    await expect(started).rejects.toThrow('aborted');
    await aborted;
    expect(said).toEqual(['first', 'undo first']);
  });

  it('takes one back before it goes on to the one before it', async () => {
    const { said, phase } = told();
    const undone = Promise.withResolvers<void>();
    const startUp = new StartUp([phase('first'), phase('second', { undo: () => undone.promise })]);
    await startUp.run();
    const aborted = startUp.abort();
    await settle();
    expect(said.slice(2)).toEqual(['undo second']);
    undone.resolve();
    await aborted;
    expect(said.slice(2)).toEqual(['undo second', 'undo first']);
  });

  it('takes back the rest where one cannot be taken back', async () => {
    const { said, phase } = told();
    const startUp = new StartUp([phase('first'), phase('second', { undo: () => Promise.reject(new Error('no')) })]);
    await startUp.run();
    await startUp.abort();
    expect(said.slice(2)).toEqual(['undo second', 'undo first']);
  });

  it('fails with the first phase that fails, and begins none after it', async () => {
    const { said, phase } = told();
    const bad = phase('bad', { run: () => Promise.reject(new Error('port in use')) });
    const startUp = new StartUp([phase('first'), bad, phase('third')]);
    await expect(startUp.run()).rejects.toThrow('port in use');
    await startUp.abort();
    expect(said).toEqual(['first', 'bad', 'undo bad', 'undo first']);
  });

  it('aborted before it was begun begins nothing', async () => {
    const { said, phase } = told();
    const startUp = new StartUp([phase('first')]);
    await startUp.abort();
    await expect(startUp.run()).rejects.toThrow('aborted');
    expect(said).toEqual([]);
  });
});
