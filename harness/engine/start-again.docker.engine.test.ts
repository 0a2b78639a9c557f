import { dockerDriver } from './docker.ts';
import { startAgain } from './start-again.suite.ts';

startAgain({ title: 'docker', open: () => dockerDriver('unix:///var/run/docker.sock') });
