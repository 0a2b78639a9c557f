import { describe, expect, it } from 'vitest';
import { CleanUp } from './clean-up.ts';
import { ShutdownContext } from './shutdown-context.ts';
import { settle, VirtualClock } from './testing/virtual-clock.ts';

const context = (): ShutdownContext => new ShutdownContext('Terminate', 2000, new VirtualClock());

const named = (name: string, said: string[], shutdown: () => Promise<void> = async () => undefined) => ({
  name,
  shutdown: async () => {
    said.push(name);
    await shutdown();
  },
});

describe('clean-up', () => {
  it('runs in reverse order of registration, one after the other', async () => {
    const said: string[] = [];
    const cleanUp = new CleanUp();
    const second = Promise.withResolvers<void>();
    cleanUp.register(named('pool', said));
    cleanUp.register(named('buffer', said, () => second.promise));
    const done = cleanUp.run(context());
    await settle();
    expect(said).toEqual(['buffer']);
    second.resolve();
    await expect(done).resolves.toEqual([]);
    expect(said).toEqual(['buffer', 'pool']);
  });

  it('goes on after an error and says all of them', async () => {
    const said: string[] = [];
    const cleanUp = new CleanUp();
    for (const name of ['first', 'second']) {
      cleanUp.register(named(name, said, () => Promise.reject(new Error('no'))));
    }
    const errors = await cleanUp.run(context());
    expect(errors.map((error) => error.message)).toEqual([
      'clean-up second failed: Error: no',
      'clean-up first failed: Error: no',
    ]);
  });

  it('gives everybody the same context', async () => {
    const seen: unknown[] = [];
    const cleanUp = new CleanUp();
    for (const name of ['first', 'second']) {
      cleanUp.register({ name, shutdown: async (given) => void seen.push(given) });
    }
    const given = context();
    await cleanUp.run(given);
    expect(seen).toEqual([given, given]);
  });

  it('refuses a name twice, and everything once it is sealed', () => {
    const cleanUp = new CleanUp();
    cleanUp.register(named('pool', []));
    expect(() => cleanUp.register(named('pool', []))).toThrow('clean-up pool is registered already');
    cleanUp.seal();
    expect(() => cleanUp.register(named('late', []))).toThrow('clean-up late comes too late');
  });
});
