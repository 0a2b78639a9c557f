import { askedForAt } from './asked-for.suite.ts';
import { dockerDriver } from './docker.ts';
import { driverContract } from './driver-contract.suite.ts';

const SOCKET = '/var/run/docker.sock';

driverContract({
  title: 'docker',
  open: () => dockerDriver(`unix://${SOCKET}`),
  askedFor: (id) => askedForAt(SOCKET, id),
  tellsOom: true,
  tellsSignal: true,
});
