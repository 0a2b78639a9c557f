import { askedForAt } from './asked-for.suite.ts';
import { driverContract } from './driver-contract.suite.ts';
import { podmanDriver } from './podman.ts';

const SOCKET = '/run/podman/podman.sock';

driverContract({
  title: 'podman',
  open: () => podmanDriver(`unix://${SOCKET}`),
  askedFor: (id) => askedForAt(SOCKET, id),
  // Podman 4.3 never sets OOMKilled (engines.md section 5).
  tellsOom: false,
  tellsSignal: false,
});
