import { podmanDriver } from './podman.ts';
import { startAgain } from './start-again.suite.ts';

startAgain({ title: 'podman', open: () => podmanDriver('unix:///run/podman/podman.sock') });
