import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dockerDriver } from './docker.ts';
import type { ContainerSpec, EngineDriver, HeldContainer } from './driver.ts';
import { requireImage } from './driver-contract.suite.ts';
import { processIdentity } from '../run/owner.ts';
import { podmanDriver } from './podman.ts';

/** Has Node, which looks names up and connects. */
const IMAGE = 'lf-qualify/reference:dev';
const LIMIT_MS = 60_000;
const PORT = 4242;

/**
 * The world outside: a network namespace of this host behind a link of its own, whose addresses belong to nobody (RFC
 * 5737). A container gets there over the host, or not.
 */
const outside = {
  name: `lfq-out-${process.pid}`,
  link: `lfq${process.pid}`,
  host: '198.51.100.1',
  address: '198.51.100.2',
};
const server = `require('net').createServer((s) => s.on('error', () => {}).end('outside')).listen(${PORT}, () => console.log('listening'))`;

describe.each([
  { name: 'docker', open: () => dockerDriver('unix:///var/run/docker.sock') },
  { name: 'podman', open: () => podmanDriver('unix:///run/podman/podman.sock') },
])('the way out of a network on $name', ({ open }) => {
  const run = `way-out-${randomUUID().slice(0, 8)}`;
  const ownership = { run, owner: processIdentity() };
  let driver: EngineDriver;
  let image: string;
  let closed: string;
  let opened: string;
  let count = 0;
  let listening: ReturnType<typeof spawn>;

  beforeAll(async () => {
    await execa('ip', ['netns', 'add', outside.name]);
    await execa('ip', ['link', 'add', outside.link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', outside.name]);
    await execa('ip', ['addr', 'add', `${outside.host}/30`, 'dev', outside.link]);
    await execa('ip', ['link', 'set', outside.link, 'up']);
    await execa('ip', ['-n', outside.name, 'addr', 'add', `${outside.address}/30`, 'dev', 'eth0']);
    await execa('ip', ['-n', outside.name, 'link', 'set', 'eth0', 'up']);
    await execa('ip', ['-n', outside.name, 'route', 'add', 'default', 'via', outside.host]);
    listening = spawn('ip', ['netns', 'exec', outside.name, process.execPath, '-e', server], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (listening.stdout) await once(listening.stdout, 'data');
    driver = open();
    image = await requireImage(driver, IMAGE);
    closed = await driver.createNetwork(`lfq-${run}-closed`, { internal: true, ownership });
    opened = await driver.createNetwork(`lfq-${run}-opened`, { internal: false, ownership });
  });
  afterAll(async () => {
    listening?.kill('SIGKILL');
    const rank = { container: 0, network: 1, image: 2 };
    const mine = (await driver.owned()).filter((object) => object.run === run);
    for (const object of mine.sort((a, b) => rank[a.type] - rank[b.type])) await driver.removeOwned(object);
    driver.close();
    await execa('ip', ['netns', 'del', outside.name]);
  });

  const hold = (network: string, more: Partial<ContainerSpec> = {}): Promise<HeldContainer> =>
    driver.hold({ name: `lfq-${run}-${++count}`, image, env: {}, ownership, network, ...more });
  const program = async ({ id }: HeldContainer, script: string): Promise<string> =>
    (await driver.runIn(id, ['/bin/node', '-e', script], LIMIT_MS)).output;
  const lookUp = (container: HeldContainer, name: string): Promise<string> =>
    program(container, `require('dns').lookup('${name}', (error, address) => console.log(error?.code ?? address))`);
  const connect = (container: HeldContainer, address: string, port: number): Promise<string> =>
    program(
      container,
      `const s = require('net').connect({ host: '${address}', port: ${port}, timeout: 2000 });
       const say = (what) => { console.log(what); process.exit(); };
       s.on('connect', () => say('connected')).on('timeout', () => say('timeout')).on('error', (e) => say(e.code));`,
    );

  it('is closed where none is asked for: no connection leads out, and none of the neighbours is out of reach', async () => {
    const neighbour = await hold(closed);
    const container = await hold(closed);
    expect(await connect(container, outside.address, PORT)).toMatch(/^(timeout|ENETUNREACH|EHOSTUNREACH)$/);
    expect(await connect(container, String(neighbour.address), 8080)).toBe('connected');
  });

  it('is open where one is asked for', async () => {
    expect(await connect(await hold(opened, { outbound: true }), outside.address, PORT)).toBe('connected');
  });

  it('leads to no name server where none is asked for, and the names that are given are known all the same', async () => {
    const neighbour = await hold(closed, { aliases: ['neighbour'] });
    const container = await hold(closed, { hosts: { db: String(neighbour.address) } });
    expect(await lookUp(container, 'db')).toBe(neighbour.address);
    const servers = await program(container, `console.log(require('dns').getServers().join())`);
    expect(servers).toMatch(/^127\.0\.0\.\d+$/);
    expect(await lookUp(container, 'outside.invalid')).toMatch(/^(EAI_AGAIN|ENOTFOUND)$/);
  });

  it('knows a neighbour by its alias where names are looked up', async () => {
    const neighbour = await hold(opened, { aliases: ['neighbour', 'other-name'] });
    const container = await hold(opened, { outbound: true });
    expect(await lookUp(container, 'neighbour')).toBe(neighbour.address);
    expect(await lookUp(container, 'other-name')).toBe(neighbour.address);
  });
});
