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
  const discovery = await discoverEngines({ wellKnown: [], startPodman, ...options });
  open.push({ close: () => discovery.stop() });
  return discovery;
}

const namesOf = ({ found }: Discovery) => found.map(({ driver, facts }) => [driver.name, facts.address]);

describe('discoverEngines', () => {
  it('lists every place with its reason when nothing answers', async () => {
    const { found, candidates } = await discover({
      env: { DOCKER_HOST: 'ssh://far', CONTAINER_HOST: 'tcp://127.0.0.1:1' },
      wellKnown: [{ engine: 'docker', address: 'unix:///nonexistent/d.sock', origin }],
    });
    expect(found).toEqual([]);
    expect(candidates).toEqual([
      {
        engine: 'docker',
        address: 'ssh://far',
        origin: 'DOCKER_HOST',
        failure: expect.stringContaining('not supported yet'),
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
    const addresses = (env: NodeJS.ProcessEnv) => wellKnownSockets(env).map(({ address }) => address);
    const system = ['unix:///var/run/docker.sock', 'unix:///run/podman/podman.sock'];
    expect(addresses({})).toEqual(system);
    expect(addresses({ XDG_RUNTIME_DIR: '/run/user/7' })).toEqual([
      ...system,
      'unix:///run/user/7/podman/podman.sock',
      'unix:///run/user/7/docker.sock',
    ]);
  });
});
