import { volumesAt } from './asked-for.suite.ts';
import { containerSetup } from './container-setup.suite.ts';
import { podmanDriver } from './podman.ts';

const SOCKET = '/run/podman/podman.sock';

containerSetup({ title: 'podman', open: () => podmanDriver(`unix://${SOCKET}`), ...volumesAt(SOCKET) });
