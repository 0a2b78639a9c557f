import { describe, expect, it } from 'vitest';
import { EngineError } from '../model/errors.ts';
import type { ContainerSpec } from './driver.ts';
import { fakeEngine, fakeImageFacts } from './fake.ts';
import type { FakeBehaviour } from './fake-behaviour.ts';
import { virtualClock } from './virtual-clock.ts';

const never = new AbortController().signal;

function engineWith(behaviour: FakeBehaviour, more: Partial<Parameters<typeof fakeEngine>[0]> = {}) {
  const facts = fakeImageFacts('app:1', { stopSignal: { value: 'INT', origin: 'image' } });
  const engine = fakeEngine({ images: { 'app:1': { facts, program: () => behaviour } }, ...more });
  const spec: ContainerSpec = { name: 'app', image: facts.digest, env: {}, ownership: { run: 'r', owner: 'o' } };
  return { engine, spec };
}

describe('fakeEngine', () => {
  it('ends a container as many virtual milliseconds after the signal as the script says', async () => {
    const { engine, spec } = engineWith({ onSignal: () => ({ exit: { code: 4, afterMs: 950 } }) });
    const container = await engine.start(spec);
    const killedNs = engine.clock.now();
    await container.kill('TERM');
    const state = await container.ended(never);
    expect(state).toMatchObject({ exitCode: 4, finishedAtNs: killedNs + 950_000_000n });
    expect((await container.events()).map(({ action }) => action)).toEqual(['create', 'start', 'kill', 'die']);
  });

  it('moves only by hand with a clock that does not jump', async () => {
    const clock = virtualClock();
    const { engine, spec } = engineWith({ onStart: { exit: { code: 0, afterMs: 10 } } }, { clock });
    const container = await engine.start(spec);
    await clock.advance(9);
    expect(await container.inspect()).toMatchObject({ running: true });
    await clock.advance(1);
    expect(await container.inspect()).toMatchObject({ running: false, exitCode: 0 });
  });

  it('tells where it has no init to put in front', async () => {
    const { engine, spec } = engineWith({}, { noInit: true });
    await expect(engine.start({ ...spec, init: true })).rejects.toMatchObject({ lost: false, missing: 'init' });
    expect(await engine.start(spec)).not.toHaveProperty('missing');
  });

  it('lets a signal without a reaction have no effect', async () => {
    const { engine, spec } = engineWith({});
    const container = await engine.start(spec);
    expect(await container.kill('TERM')).toBe('delivered');
    expect(await container.inspect()).toMatchObject({ running: true });
  });

  it("stops with the image's stop signal, then kills", async () => {
    const got: string[] = [];
    const { engine, spec } = engineWith({ onSignal: (signal) => void got.push(signal) as undefined });
    const container = await engine.start(spec);
    const startNs = engine.clock.now();
    await container.stop(3);
    expect(got).toEqual(['INT']);
    expect(await container.ended(never)).toMatchObject({ exitCode: 137, finishedAtNs: startNs + 3_000_000_000n });
  });

  it('fails the calls that a test wants to fail', async () => {
    const lost = new EngineError('fake engine lost', { lost: true });
    const { engine, spec } = engineWith({}, { fail: (call) => (call.startsWith('kill TERM') ? lost : undefined) });
    const container = await engine.start(spec);
    await expect(container.kill('TERM')).rejects.toBe(lost);
    expect(await container.kill('KILL')).toBe('delivered');
  });

  it('takes virtual time for its calls', async () => {
    const { engine, spec } = engineWith({}, { latencyMs: 5 });
    const beforeNs = engine.clock.now();
    await (await engine.start(spec)).kill('TERM');
    expect(engine.clock.now() - beforeNs).toBe(10_000_000n);
  });
});
