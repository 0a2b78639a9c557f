import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { podmanConnections } from './podman-connections.ts';

let folder: string;
let env: NodeJS.ProcessEnv;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lfq-connections-'));
  env = { XDG_CONFIG_HOME: folder };
  await mkdir(join(folder, 'containers'));
});
afterEach(() => rm(folder, { recursive: true }));

const uri = 'ssh://core@machine:22/run/user/1000/podman/podman.sock';

const files: Readonly<Record<string, string>> = {
  'containers.conf': `[engine]
active_service = "far" # by podman system connection default
[engine.service_destinations]
  [engine.service_destinations.far]
    uri = "${uri}"
    identity = "/home/me/key"
`,
  'podman-connections.json': JSON.stringify({
    Connection: { Default: 'far', Connections: { far: { URI: uri, Identity: '/home/me/key' } } },
  }),
};

describe.each(Object.keys(files))('podmanConnections of %s', (name) => {
  beforeEach(() => writeFile(join(folder, 'containers', name), files[name] ?? ''));

  it('gives the standard one, which nobody has chosen, with its key', async () => {
    const [place, ...more] = await podmanConnections(env);
    expect(more).toEqual([]);
    expect(place).toMatchObject({ engine: 'podman', address: uri, origin: 'podman connection far' });
    expect(place?.chosen).toBeUndefined();
    expect(await place?.access?.()).toEqual({ identityFile: '/home/me/key' });
  });

  it('gives the one of CONTAINER_CONNECTION as chosen, and a failure where there is none of that name', async () => {
    expect(await podmanConnections({ ...env, CONTAINER_CONNECTION: 'far' })).toMatchObject([
      { address: uri, chosen: true },
    ]);
    const [missing] = await podmanConnections({ ...env, CONTAINER_CONNECTION: 'near' });
    expect(missing).toMatchObject({ chosen: true, failure: expect.stringContaining(join(folder, 'containers', name)) });
  });

  it('gives none where CONTAINER_HOST says it all', async () => {
    expect(await podmanConnections({ ...env, CONTAINER_HOST: 'unix:///x' })).toEqual([]);
  });
});

it('there are no connections where there are no files, or broken ones', async () => {
  expect(await podmanConnections(env)).toEqual([]);
  for (const name of Object.keys(files)) await writeFile(join(folder, 'containers', name), '{');
  expect(await podmanConnections(env)).toEqual([]);
});
