import { afterEach, describe, expect, it } from 'vitest';
import { EngineError } from '../model/errors.ts';
import type { Discovery, DiscoverOptions } from './discover.ts';
import { discoverEngines, wellKnownSockets } from './discover.ts';
import type { Answers, EngineServer } from './engine-server.suite.ts';
import { dockerAnswers, engineServer, podmanAnswers } from './engine-server.suite.ts';

const origin = 'well-known socket';
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

async function serve(answers: Answers): Promise<EngineServer> {
  const server = await engineServer(answers);
  open.push(server);
  return server;
}

async function discover(options: DiscoverOptions): Promise<Discovery> {
  const startPodman = (): Promise<never> => Promise.reject(new EngineError('no podman command'));
  // Not the configuration of whoever runs the tests.
  const env = { DOCKER_CONFIG: '/nonexistent', XDG_CONFIG_HOME: '/nonexistent', ...options.env };
  const discovery = await discoverEngines({ wellKnown: [], startPodman, ...options, env });
  open.push({ close: () => discovery.stop() });
  return discovery;
}

const namesOf = ({ found }: Discovery) => found.map(({ driver, facts }) => [driver.name, facts.address]);

describe('discoverEngines', () => {
  it('lists every place with its reason when nothing answers', async () => {
    const { found, candidates } = await discover({
      env: { DOCKER_HOST: 'npipe://far', CONTAINER_HOST: 'tcp://127.0.0.1:1' },
      wellKnown: [{ engine: 'docker', address: 'unix:///nonexistent/d.sock', origin }],
    });
    expect(found).toEqual([]);
    expect(candidates).toEqual([
      {
        engine: 'docker',
        address: 'npipe://far',
        origin: 'DOCKER_HOST',
        failure: expect.stringContaining('not supported'),
      },
      {
        engine: 'podman',
        address: 'tcp://127.0.0.1:1',
        origin: 'CONTAINER_HOST',
        failure: expect.stringContaining('nothing listens'),
      },
      {
        engine: 'docker',
        address: 'unix:///nonexistent/d.sock',
        origin,
        failure: expect.stringContaining('no such socket'),
      },
    ]);
  });

  it('tries the podman command last, and says why it failed', async () => {
    const { candidates } = await discover({ env: {} });
    expect(candidates).toEqual([
      { engine: 'podman', address: 'podman', origin: 'podman command', failure: 'no podman command' },
    ]);
  });

  it('uses a service that it started, and ends it', async () => {
    const server = await serve(podmanAnswers());
    let stopped = 0;
    const service = { address: server.address, pid: 1, stop: async () => void stopped++ };
    const discovery = await discover({ env: {}, startPodman: async () => service });
    expect(namesOf(discovery)).toEqual([['podman', server.address]]);
    await discovery.stop();
    expect(stopped).toBe(1);
  });

  it('starts no service where Podman answers, is not wanted, or is named by CONTAINER_HOST', async () => {
    const { address } = await serve(podmanAnswers());
    const startPodman = (): Promise<never> => Promise.reject(new Error('started a service'));
    const wellKnown = [{ engine: 'podman' as const, address, origin }];
    for (const options of [
      { env: {}, wellKnown },
      { env: {}, wanted: ['docker' as const] },
      { env: { CONTAINER_HOST: 'unix:///no' } },
    ]) {
      const { candidates } = await discover({ startPodman, ...options });
      expect(candidates.filter(({ failure }) => failure?.includes('started'))).toEqual([]);
    }
  });

  it('believes what answers, not the variable: DOCKER_HOST on a Podman socket is Podman', async () => {
    const { address } = await serve(podmanAnswers());
    const discovery = await discover({ env: { DOCKER_HOST: address } });
    expect(namesOf(discovery)).toEqual([['podman', address]]);
    expect(discovery.candidates).toEqual([{ engine: 'podman', address, origin: 'DOCKER_HOST' }]);
  });

  it('finds both engines', async () => {
    const docker = await serve(dockerAnswers());
    const podman = await serve(podmanAnswers());
    const discovery = await discover({ env: { DOCKER_HOST: docker.address, CONTAINER_HOST: podman.address } });
    expect(namesOf(discovery)).toEqual([
      ['docker', docker.address],
      ['podman', podman.address],
    ]);
  });

  it.each([
    ['D1', (first: string) => `the same engine as ${first}`],
    ['D2', (first: string) => `${first} is used for docker`],
  ])('counts a second Docker with id %s not as one more', async (id, failure) => {
    const first = await serve(dockerAnswers('D1'));
    const second = await serve(dockerAnswers(id));
    const wellKnown = [first, second].map(({ address }) => ({ engine: 'docker' as const, address, origin }));
    const discovery = await discover({ env: {}, wanted: ['docker'], wellKnown });
    expect(namesOf(discovery)).toEqual([['docker', first.address]]);
    expect(discovery.candidates[1]?.failure).toBe(failure(first.address));
  });

  it('takes a rootful and a rootless Podman of one host for two engines', async () => {
    const first = await serve(podmanAnswers());
    const second = await serve(podmanAnswers('/home/me/.local/share/containers/storage'));
    const wellKnown = [first, second].map(({ address }) => ({ engine: 'podman' as const, address, origin }));
    const { candidates } = await discover({ env: {}, wanted: ['podman'], wellKnown });
    expect(candidates[1]?.failure).toBe(`${first.address} is used for podman`);
    const chosen = await discover({ env: { CONTAINER_HOST: second.address }, wanted: ['podman'], wellKnown });
    expect(namesOf(chosen)).toEqual([['podman', second.address]]);
  });

  it('puts nothing in the place of an engine that was chosen and does not answer', async () => {
    const { address } = await serve(dockerAnswers());
    const wellKnown = [{ engine: 'docker' as const, address, origin }];
    const { found, candidates } = await discover({
      env: { DOCKER_HOST: 'tcp://127.0.0.1:1' },
      wanted: ['docker'],
      wellKnown,
    });
    expect(found).toEqual([]);
    expect(candidates[1]).toEqual({
      engine: 'docker',
      address,
      origin,
      failure: 'not used: DOCKER_HOST asks for tcp://127.0.0.1:1, which does not answer',
    });
  });

  it('tells of a broken Docker context, and uses no other Docker', async () => {
    const { address } = await serve(dockerAnswers());
    const wellKnown = [{ engine: 'docker' as const, address, origin }];
    const env = { DOCKER_CONFIG: '/nonexistent', DOCKER_CONTEXT: 'prod' };
    const { found, candidates } = await discover({ env, wanted: ['docker'], wellKnown });
    expect(found).toEqual([]);
    expect(candidates[0]).toMatchObject({
      origin: 'docker context prod',
      failure: expect.stringContaining('meta.json'),
    });
    expect(candidates[1]?.failure).toMatch(/^not used: docker context prod asks for/);
  });

  it('tries an address that is named twice only once', async () => {
    const { address } = await serve(dockerAnswers());
    const wellKnown = [{ engine: 'docker' as const, address, origin }];
    const { candidates } = await discover({ env: { DOCKER_HOST: address }, wanted: ['docker'], wellKnown });
    expect(candidates).toEqual([{ engine: 'docker', address, origin: 'DOCKER_HOST' }]);
  });

  it('does not use an engine that was not asked for', async () => {
    const { address } = await serve(dockerAnswers());
    const { found, candidates } = await discover({ env: { DOCKER_HOST: address }, wanted: ['podman'] });
    expect(found).toEqual([]);
    expect(candidates[0]?.failure).toBe('docker answers, but was not asked for');
  });

  it('does not take just any HTTP server for an engine', async () => {
    const { address } = await serve({ '/version': { Components: [{ Name: 'Other' }] } });
    const { candidates } = await discover({ env: { DOCKER_HOST: address }, wanted: ['docker'] });
    expect(candidates[0]?.failure).toContain('it calls itself "Other"');
  });
});

describe('wellKnownSockets', () => {
  it('looks in the runtime folder of the user too', () => {
    const addresses = (env: NodeJS.ProcessEnv, uid: number) => wellKnownSockets(env, uid).map(({ address }) => address);
    const system = ['unix:///var/run/docker.sock', 'unix:///run/podman/podman.sock'];
    const own = (folder: string) => [...system, `unix://${folder}/podman/podman.sock`, `unix://${folder}/docker.sock`];
    expect(addresses({}, 0)).toEqual(system);
    expect(addresses({}, 7)).toEqual(own('/run/user/7'));
    expect(addresses({ XDG_RUNTIME_DIR: '/tmp/runtime' }, 7)).toEqual(own('/tmp/runtime'));
    expect(addresses({ XDG_RUNTIME_DIR: '/tmp/runtime' }, 0)).toEqual(own('/tmp/runtime'));
  });
});
