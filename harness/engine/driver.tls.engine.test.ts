import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { askedForAt } from './asked-for.suite.ts';
import type { Discovery } from './discover.ts';
import { discoverEngines } from './discover.ts';
import { dockerDriver } from './docker.ts';
import { driverContract } from './driver-contract.suite.ts';
import { sidecarContract } from './driver-sidecar.suite.ts';
import type { RemoteEngine } from './remote-engine.suite.ts';
import { engineOverTls, writeCertificates } from './remote-engine.suite.ts';

const SOCKET = '/var/run/docker.sock';

let folder: string;
let remote: RemoteEngine;
let discovery: Discovery;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lfq-tls-'));
  await writeCertificates(folder);
  remote = await engineOverTls(SOCKET);
  const env = { DOCKER_HOST: remote.address, DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: folder };
  // testcontainers and dockerode read these too, and must not take them for the socket that they are given.
  Object.assign(process.env, env, { DOCKER_CERT_PATH: '/nonexistent' });
  discovery = await discoverEngines({ env, wanted: ['docker'] });
});
afterAll(async () => {
  await discovery?.stop();
  await remote?.close();
  await rm(folder, { recursive: true });
});

it('a Docker behind TLS is found by what Docker’s own command line is told, is remote, and is the one of the socket', () => {
  const [found] = discovery.found;
  expect(found?.facts).toMatchObject({ name: 'docker', address: remote.address, local: false });
  expect(found?.facts.endpoint).toMatch(/^unix:/);
  expect(Math.abs(found?.facts.clockOffsetMs ?? Infinity)).toBeLessThanOrEqual(found?.facts.clockErrorMs ?? 0);
  const socket = discovery.candidates.find(({ address }) => address === `unix://${SOCKET}`);
  expect(socket?.failure).toBe(`the same engine as ${remote.address}`);
});

const title = 'docker over TLS';
const open = () => dockerDriver(remote.address, discovery.found[0]?.facts.endpoint);

driverContract({
  title,
  open,
  askedFor: (id) => askedForAt(SOCKET, id),
  tellsOom: true,
  tellsSignal: true,
});
sidecarContract(title, open);
