import { expect, it } from 'vitest';
import { fakeEngine, fakeImageFacts } from '../engine/fake.ts';
import type { FakeBehaviour } from '../engine/fake-behaviour.ts';
import { EngineError } from '../model/errors.ts';
import type { Target } from '../model/target.ts';
import { discoverImage } from './discover.ts';
import { resolveTarget } from './resolve-target.ts';

const image = fakeImageFacts('app:1', { exposedPorts: [8080] });
const everything = { clause: () => true, scenario: () => true, cell: () => true };

function looked(behaviour: FakeBehaviour, more: { secrets?: readonly string[]; interrupt?: AbortSignal } = {}) {
  const fake = fakeEngine({ images: { 'app:1': { facts: image, program: () => behaviour } } });
  const flags = { env: { MODE: 'loud' }, require: [] };
  const { target } = resolveTarget({ facts: image, flags, selection: everything, judgedOn: '2030-01-01' });
  const secret: Target = { ...target, secrets: more.secrets ?? [] };
  const discovery = async () =>
    await discoverImage({
      driver: fake,
      engine: await fake.facts(),
      image,
      target: secret,
      name: 'lfq-r-look-1',
      network: 'n',
      ownership: { run: 'r', owner: 'o' },
      interrupt: more.interrupt ?? new AbortController().signal,
    });
  return { fake, discovery };
}

it('a container that ends by itself is told with its exit code and its last lines, secrets masked, and removed', async () => {
  const { fake, discovery } = looked(
    {
      onStart: {
        output: [
          { text: '\u001b[31mstarting\u001b[0m\n' },
          { stream: 'stderr', text: 'no database at hunter2-secret' },
        ],
        exit: { code: 3 },
      },
    },
    { secrets: ['hunter2-secret'] },
  );
  expect(await discovery()).toMatchObject({
    engine: 'fake',
    processes: [],
    ports: [],
    ended: { exitCode: 3, lastLines: ['starting', 'no database at ***'] },
  });
  expect(fake.containers()).toEqual([]);
});

it('what cannot be seen into or reached is a gap', async () => {
  const { fake, discovery } = looked({});
  const { gaps, ports, ended } = await discovery();
  expect(ended).toBeUndefined();
  expect(gaps).toEqual([
    'its processes and what they listen on are not seen: there is no helper for a sidecar',
    'its ports are not reached: there is no helper for a sidecar',
  ]);
  expect(ports).toEqual([{ port: 8080, exposed: true, listening: 'not', told: 'nothing listens there' }]);
  expect(fake.containers()).toEqual([]);
});

it('an interruption leaves nothing behind', async () => {
  const { fake, discovery } = looked({}, { interrupt: AbortSignal.abort() });
  await expect(discovery()).rejects.toThrow(EngineError);
  expect(fake.containers()).toEqual([]);
});
