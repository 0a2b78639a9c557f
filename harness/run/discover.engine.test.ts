import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dockerDriver } from '../engine/docker.ts';
import type { EngineDriver } from '../engine/driver.ts';
import { podmanDriver } from '../engine/podman.ts';
import type { Discovery } from '../model/discovery.ts';
import type { Target } from '../model/target.ts';
import { discoverImage } from './discover.ts';
import type { Helper } from './helper-image.ts';
import { ensureHelperImage, findHelper } from './helper-image.ts';
import { processIdentity } from './owner.ts';
import { resolveTarget } from './resolve-target.ts';
import type { Vantage } from './vantage.ts';

const everything = { clause: () => true, scenario: () => true, cell: () => true };
const engines: readonly [string, () => EngineDriver][] = [
  ['docker', () => dockerDriver('unix:///var/run/docker.sock')],
  ['podman', () => podmanDriver('unix:///run/podman/podman.sock')],
];

describe.each(engines)('a look on %s', (_, open) => {
  const ownership = { run: `discover-${randomUUID().slice(0, 8)}`, owner: processIdentity() };
  let driver: EngineDriver;
  let helper: Helper;
  let network: string;
  let count = 0;

  beforeAll(async () => {
    driver = open();
    const found = await findHelper(join(import.meta.dirname, '../..'));
    if (found === undefined) throw new Error('there is no helper: npm run images builds it');
    helper = found;
    network = await driver.createNetwork(`lfq-${ownership.run}`, { internal: true, ownership });
  });
  afterAll(async () => {
    await driver.removeNetwork(network);
    driver.close();
  });

  /** As if nothing were declared in the image either. */
  async function look(
    reference: string,
    more: Partial<Pick<Target, 'command' | 'env'>> = {},
    vantage?: Vantage,
  ): Promise<Discovery> {
    const inspected = await driver.inspectImage(reference);
    if (inspected === undefined) throw new Error(`${reference} is not there: npm run images builds it`);
    const image = { ...inspected, labels: {} };
    const flags = { env: {}, require: [] };
    const { target } = resolveTarget({ facts: image, flags, selection: everything, judgedOn: '2030-01-01' });
    return await discoverImage({
      driver,
      engine: await driver.facts(),
      image,
      target: { ...target, ...more },
      name: `lfq-${ownership.run}-${++count}`,
      network,
      ownership,
      helper: helper.path,
      helperImage: await ensureHelperImage(driver, helper),
      interrupt: new AbortController().signal,
      ...(vantage === undefined ? {} : { vantage }),
    });
  }
  it.each<[string, Vantage | undefined]>([
    ['from this host', undefined],
    ['through a sidecar', 'sidecar'],
  ])('finds the ports of an HTTP service and what they speak, %s', async (_, vantage) => {
    const { ports, processes, gaps, ended } = await look('lf-qualify/reference:dev', {}, vantage);
    expect(ports).toMatchObject([
      { port: 8080, exposed: true, listening: 'reachable', speaks: 'http', answers: { '/': expect.any(Number) } },
      { port: 8443, exposed: false, listening: 'reachable', speaks: 'https', http2: true },
    ]);
    expect(processes[0]).toMatchObject({ nsPid: 1, args: ['/bin/node', '/images/reference/main.ts'] });
    expect([gaps, ended]).toEqual([[], undefined]);
  });

  it('finds a database by its processes and its port', async () => {
    const found = await look('lf-qualify/postgres:dev', { env: { POSTGRES_PASSWORD: 'not-secret' } });
    expect(found).toMatchObject({
      server: 'postgres',
      ports: [{ port: 5432, exposed: true, listening: 'reachable', speaks: 'tcp' }],
    });
  });

  it('finds a port that nobody exposed, and one on loopback only', async () => {
    const script = 'httpd -p 127.0.0.1:7001 -h / && exec nc -ll -p 7000 -e cat';
    const { ports } = await look('lf-qualify/box:dev', { command: ['/bin/sh', '-c', script] });
    expect(ports).toMatchObject([
      { port: 7000, exposed: false, listening: 'reachable', speaks: 'tcp' },
      { port: 7001, exposed: false, listening: 'loopback' },
    ]);
  });

  it('finds no port where there is none, without what a HEALTHCHECK runs', async () => {
    const { ports, processes } = await look('lf-qualify/box:dev');
    expect([ports, processes.map(({ nsPid }) => nsPid)]).toEqual([[], [1]]);
  });

  it('tells how one that ends at once has ended', async () => {
    const command = ['/bin/sh', '-c', 'echo no configuration >&2; exit 3'];
    expect(await look('lf-qualify/box:dev', { command })).toMatchObject({
      ports: [],
      ended: { exitCode: 3, lastLines: ['no configuration'] },
    });
  });

  it('leaves nothing behind', async () => {
    const mine = (await driver.owned()).filter(({ run }) => run === ownership.run);
    expect([count > 0, mine.map(({ type }) => type)]).toEqual([true, ['network']]);
  });
});
