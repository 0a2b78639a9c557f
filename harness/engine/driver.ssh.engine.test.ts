import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askedForAt } from './asked-for.suite.ts';
import type { Discovery } from './discover.ts';
import { discoverEngines } from './discover.ts';
import { dockerDriver } from './docker.ts';
import { driverContract } from './driver-contract.suite.ts';
import { sidecarContract } from './driver-sidecar.suite.ts';
import type { PrivateSshd } from './private-sshd.suite.ts';
import { privateSshd } from './private-sshd.suite.ts';

const SOCKET = '/var/run/docker.sock';

let sshd: PrivateSshd;
let env: NodeJS.ProcessEnv;
let discovery: Discovery;
beforeAll(async () => {
  sshd = await privateSshd();
  env = { ...process.env, PATH: `${sshd.bin}:${process.env['PATH']}`, DOCKER_HOST: sshd.address };
  discovery = await discoverEngines({ env, wanted: ['docker'] });
});
afterAll(async () => {
  await discovery?.stop();
  await sshd?.close();
});

async function failureOf(address: string, path = env['PATH']): Promise<string> {
  const { found, candidates, stop } = await discoverEngines({
    env: { ...env, PATH: path, DOCKER_HOST: address },
    wanted: ['docker'],
    wellKnown: [],
  });
  await stop();
  expect(found).toEqual([]);
  return candidates[0]?.failure ?? '';
}

describe('an engine behind ssh', () => {
  it('is found at its address, is remote, and is the one of the socket', () => {
    const [found] = discovery.found;
    expect(found?.facts).toMatchObject({ name: 'docker', address: sshd.address, local: false });
    expect(found?.facts.endpoint).toMatch(/^unix:/);
    const socket = discovery.candidates.find(({ address }) => address === `unix://${SOCKET}`);
    expect(socket?.failure).toBe(`the same engine as ${sshd.address}`);
  });

  it('is a Podman at the socket that the address names', async () => {
    const address = `${sshd.address}/run/podman/podman.sock`;
    const named = { ...env, DOCKER_HOST: undefined, CONTAINER_HOST: address };
    const { found, candidates, stop } = await discoverEngines({ env: named, wanted: ['podman'] });
    expect(found.map(({ facts }) => facts)).toMatchObject([{ name: 'podman', address, local: false }]);
    expect(candidates.map(({ failure }) => failure)).toContain(`the same engine as ${address}`);
    await stop();
  });

  it.each([
    ['no key', /lets nobody in without a question.*ssh says: .*Permission denied/],
    ['unknown host', /host key is not known here: connect once with `ssh/],
    ['changed host', /host key has changed/],
  ] as const)('that does not let us in (%s) says why and what to do', async (login, reason) => {
    await sshd.use(login);
    try {
      expect(await failureOf(sshd.address)).toMatch(reason);
    } finally {
      await sshd.use('key');
    }
  });

  it('whose socket is not there, or that nothing answers for, is named', async () => {
    expect(await failureOf(`${sshd.address}/nonexistent.sock`)).toMatch(/^no engine at ssh:.*open failed/);
    expect(await failureOf('ssh://127.0.0.1:1')).toMatch(/^no way to ssh:.*Connection refused/);
    expect(await failureOf(sshd.address, '/nonexistent')).toMatch(/there is no ssh command/);
  });

  it('leaves no ssh behind, neither after the end nor when the process that uses it is killed', async () => {
    const before = await sshd.carriers();
    const module = new URL('./engine-reach.ts', import.meta.url).href;
    const program = `const { reachEngine } = await import(${JSON.stringify(module)});
      await reachEngine(${JSON.stringify(sshd.address)});
      console.log('reached');
      setInterval(() => {}, 1000);`;
    const user = execa(process.execPath, ['--input-type=module', '-e', program], { env, reject: false, buffer: false });
    await new Promise<void>((resolve) => user.stdout.once('data', () => resolve()));
    const during = await sshd.carriers();
    expect(during.length).toBeGreaterThan(before.length);
    user.kill('SIGKILL');
    await user;
    while ((await sshd.carriers()).length > before.length) await new Promise((resolve) => setTimeout(resolve, 20));
  });
});

const title = 'docker over ssh';
const open = () => dockerDriver(sshd.address, discovery.found[0]?.facts.endpoint);

driverContract({
  title,
  open,
  askedFor: (id) => askedForAt(SOCKET, id),
  tellsOom: true,
  tellsSignal: true,
});
sidecarContract(title, open);
