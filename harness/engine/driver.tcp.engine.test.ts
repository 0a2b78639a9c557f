import { afterAll, beforeAll } from 'vitest';
import { askedForAt, volumesAt } from './asked-for.suite.ts';
import { containerSetup } from './container-setup.suite.ts';
import { dockerDriver } from './docker.ts';
import { driverContract } from './driver-contract.suite.ts';
import { sidecarContract } from './driver-sidecar.suite.ts';
import type { RemoteEngine } from './remote-engine.suite.ts';
import { engineOverTcp } from './remote-engine.suite.ts';

const SOCKET = '/var/run/docker.sock';

let remote: RemoteEngine;
beforeAll(async () => {
  remote = await engineOverTcp(SOCKET);
});
afterAll(() => remote?.close());

const title = 'docker over tcp';
const open = () => dockerDriver(remote.address);

driverContract({
  title,
  open,
  askedFor: (id) => askedForAt(SOCKET, id),
  tellsOom: true,
  tellsSignal: true,
});
sidecarContract(title, open);
containerSetup({ title, open, ...volumesAt(SOCKET) });
