import { afterAll, beforeAll } from 'vitest';
import { askedForAt } from './asked-for.suite.ts';
import { dockerDriver } from './docker.ts';
import { driverContract } from './driver-contract.suite.ts';
import type { RemoteEngine } from './remote-engine.suite.ts';
import { engineOverTcp } from './remote-engine.suite.ts';

const SOCKET = '/var/run/docker.sock';

let remote: RemoteEngine;
beforeAll(async () => {
  remote = await engineOverTcp(SOCKET);
});
afterAll(() => remote?.close());

driverContract({
  title: 'docker over tcp',
  open: () => dockerDriver(remote.address),
  askedFor: (id) => askedForAt(SOCKET, id),
  tellsOom: true,
  tellsSignal: true,
});
