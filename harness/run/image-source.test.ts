import { describe, expect, it } from 'vitest';
import type { EngineDriver, RegistryCredentials } from '../engine/driver.ts';
import type { FakeImage } from '../engine/fake.ts';
import { fakeEngine, fakeImageFacts } from '../engine/fake.ts';
import type { ImageFacts } from '../model/engine.ts';
import { EngineError, UsageError } from '../model/errors.ts';
import { prepareImage } from './carry.ts';
import type { ImageChoice } from './image-source.ts';

const CANARY = 'canary-hunter2';
const old = `sha256:${'a'.repeat(64)}`;
const fresh = `sha256:${'b'.repeat(64)}`;
const program = () => ({ onSignal: () => undefined }) as never;
const image = (digest: string, more: Partial<ImageFacts> = {}): FakeImage => ({
  facts: fakeImageFacts('shop:1', { digest, os: 'linux', architecture: 'amd64', ...more }),
  program,
});

/** An engine that pulls `fresh` of the platform asked for, and what it was asked. */
function engine(
  name: 'docker' | 'podman',
  has?: FakeImage,
  registry: (platform?: string) => FakeImage | Error = ofPlatform,
) {
  const asked: { platform?: string; credentials?: RegistryCredentials }[] = [];
  const fake = fakeEngine({
    images: has === undefined ? {} : { 'shop:1': has },
    registry: (_, options) => {
      asked.push(options);
      const found = registry(options.platform);
      if (found instanceof Error) throw found;
      return found;
    },
  });
  return { driver: { ...fake, name } as EngineDriver, asked };
}

const ofPlatform = (platform = 'linux/amd64'): FakeImage =>
  image(fresh, { architecture: platform.split('/')[1] ?? '' });
const refuses = (): Error => new EngineError('docker at unix:///x: pull image shop:1 failed: denied');

async function prepare(
  engines: readonly { readonly driver: EngineDriver }[],
  choice: ImageChoice = {},
  name = 'shop:1',
) {
  const said: string[] = [];
  const drivers = engines.map(({ driver }) => driver);
  const owner = { run: 'r1', owner: 'boot:1:2' };
  const { facts } = await prepareImage(name, drivers, owner, (line) => said.push(line), choice);
  return { digests: [...facts.values()].map(({ digest }) => digest), said: said.join('\n') };
}

async function refusal(...args: Parameters<typeof prepare>): Promise<string> {
  const error: unknown = await prepare(...args).then(
    () => 'it went through',
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(UsageError);
  return (error as UsageError).message;
}

describe('--pull', () => {
  it('always: pulled once, by the first engine, and carried to the other though it has the name', async () => {
    const [docker, podman] = [engine('docker', image(old)), engine('podman', image(old))];
    const { digests, said } = await prepare([docker, podman], { pull: 'always' });
    expect(digests).toEqual([fresh, fresh]);
    expect([docker.asked.length, podman.asked.length]).toEqual([1, 0]);
    expect(said).toMatch(/^shop:1: --pull always; docker pulls it\n.*podman has other bytes.*carrying bbbbbbbbbbbb/s);
    expect((await podman.driver.inspectImage('shop:1'))?.digest).toBe(old);
  });

  it('always: what cannot be pulled is an error, though it is there', async () => {
    const message = await refusal([engine('docker', image(old), refuses)], { pull: 'always' });
    expect(message).toMatch(/^image "shop:1": it could not be pulled \(docker at [^)]*: denied\); check the name/);
  });

  it.each([old, old.slice(7), old.slice(7, 19)])('always: the id %s cannot be pulled', async (id) => {
    const docker = engine('docker', image(old));
    const known: EngineDriver = {
      ...docker.driver,
      inspectImage: async (name) => await docker.driver.inspectImage(name === id ? old : name),
    };
    expect(await refusal([{ driver: known }], { pull: 'always' }, id)).toMatch(/--pull always: image "[^"]+" is an id/);
    expect((await prepare([{ driver: known }], {}, id)).digests).toEqual([old]);
    expect(docker.asked).toEqual([]);
  });

  it('never: what no engine has is an error that names the option and the remedy', async () => {
    const docker = engine('docker');
    expect(await refusal([docker], { pull: 'never' })).toMatch(
      /^image "shop:1": no engine has it, and --pull never forbids to pull it; build, load or pull it first, or use --pull missing$/,
    );
    expect(docker.asked).toEqual([]);
  });

  it('never: what one engine has is carried', async () => {
    const podman = engine('podman');
    expect((await prepare([engine('docker', image(old)), podman], { pull: 'never' })).digests).toEqual([old, old]);
    expect(podman.asked).toEqual([]);
  });

  it('missing: what one engine has is not pulled; an id that none has cannot be', async () => {
    const docker = engine('docker', image(old));
    expect((await prepare([docker], { pull: 'missing' })).digests).toEqual([old]);
    expect(await refusal([docker], {}, fresh)).toMatch(
      /no engine has it, and an id cannot be pulled; build or load it/,
    );
    expect(docker.asked).toEqual([]);
  });
});

describe('--platform', () => {
  const arm = { platform: 'linux/arm64' };

  it.each([
    ['the same', { architecture: 'arm64' }],
    ['another spelling of it', { architecture: 'aarch64' }],
    ['one with a variant that was not asked for', { architecture: 'arm64', variant: 'v8' }],
  ])('an image of %s is taken as it is', async (_, more) => {
    const docker = engine('docker', image(old, more));
    expect((await prepare([docker], arm)).digests).toEqual([old]);
    expect(docker.asked).toEqual([]);
  });

  it('one of another platform is pulled', async () => {
    const docker = engine('docker', image(old));
    const { digests, said } = await prepare([docker], arm);
    expect(digests).toEqual([fresh]);
    expect(docker.asked).toEqual([arm]);
    expect(said).toMatch(/^shop:1: here only as linux\/amd64; docker pulls it/);
  });

  it('the engine that has the right one is the source', async () => {
    const engines = [engine('docker', image(old)), engine('podman', image(fresh, { architecture: 'arm64' }))];
    expect((await prepare(engines, arm)).digests).toEqual([fresh, fresh]);
  });

  it.each([
    [
      'never pulled',
      image(old),
      { pull: 'never' },
      /image "shop:1" is linux\/amd64 on docker, linux\/arm64 is expected; pull it with --pull missing/,
    ],
    [
      'pulled, but of another one',
      undefined,
      {},
      /is linux\/amd64 on docker, linux\/arm64 is expected; its registry has none/,
    ],
    [
      'another variant',
      image(old, { architecture: 'arm', variant: 'v6' }),
      { pull: 'never', platform: 'linux/arm/v7' },
      /is linux\/arm\/v6 on docker, linux\/arm\/v7 is expected/,
    ],
  ] as const)('%s is an error with found and expected', async (_, has, choice, message) => {
    const docker = engine('docker', has, () => image(fresh));
    expect(await refusal([docker], { ...arm, ...choice })).toMatch(message);
  });

  it('where there is none the error says what was found', async () => {
    expect(await refusal([engine('docker', image(old), refuses)], arm)).toMatch(
      /no engine has it for linux\/arm64 \(found: linux\/amd64\) and it could not be pulled \(/,
    );
  });
});

describe('--from', () => {
  it('names the source where both have the name', async () => {
    const [docker, podman] = [engine('docker', image(old)), engine('podman', image(fresh))];
    expect((await prepare([docker, podman], { from: podman.driver })).digests).toEqual([fresh, fresh]);
    expect((await prepare([docker, podman])).digests).toEqual([old, old]);
  });

  it('may be an engine that is not judged on', async () => {
    const docker = engine('docker', image(old));
    const { digests, said } = await prepare([engine('podman')], { from: docker.driver });
    expect(digests).toEqual([old]);
    expect(said).toMatch(/^shop:1: podman does not have it; carrying aaaaaaaaaaaa over from docker$/m);
  });

  it('pulls where it lacks the image, though another has it', async () => {
    const [docker, podman] = [engine('docker', image(old)), engine('podman')];
    expect((await prepare([docker, podman], { from: podman.driver })).digests).toEqual([fresh, fresh]);
    expect([docker.asked.length, podman.asked.length]).toEqual([0, 1]);
  });

  it.each([
    ['never pulled', { pull: 'never' }, /podman, named by --from, does not have it \(docker has\), and --pull never/],
    ['refused', {}, /podman, named by --from, does not have it and it could not be pulled \(/],
  ] as const)('one that lacks it is an error where it is %s', async (_, choice, message) => {
    const [docker, podman] = [engine('docker', image(old)), engine('podman', undefined, refuses)];
    expect(await refusal([docker, podman], { ...choice, from: podman.driver })).toMatch(message);
  });
});

describe('credentials', () => {
  const given: RegistryCredentials = { serveraddress: 'registry.example', username: 'u', password: CANARY };

  it('are looked up for the engine that pulls, once, and only for a pull', async () => {
    const looked: string[] = [];
    const credentials: ImageChoice['credentials'] = async (name, reference) => {
      looked.push(`${name} ${reference}`);
      return given;
    };
    const docker = engine('docker');
    const { said } = await prepare([docker, engine('podman')], { credentials });
    expect(docker.asked).toEqual([{ credentials: given }]);
    expect(said).not.toContain(CANARY);
    await prepare([engine('docker', image(old))], { credentials });
    expect(looked).toEqual(['docker shop:1']);
  });

  it.each([
    ['sent', given, /denied; credentials were sent\)/],
    ['not found', undefined, /denied; no credentials for its registry were found\)/],
  ])('that were %s are spoken of in a refusal, never told', async (_, found, message) => {
    const refused = await refusal([engine('docker', undefined, refuses)], { credentials: async () => found });
    expect(refused).toMatch(message);
    expect(refused).not.toContain(CANARY);
  });
});
