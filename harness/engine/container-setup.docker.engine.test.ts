import { volumesAt } from './asked-for.suite.ts';
import { containerSetup } from './container-setup.suite.ts';
import { dockerDriver } from './docker.ts';

const SOCKET = '/var/run/docker.sock';

containerSetup({ title: 'docker', open: () => dockerDriver(`unix://${SOCKET}`), ...volumesAt(SOCKET) });
