import { podmanDriver } from './podman.ts';
import { sidecarContract } from './driver-sidecar.suite.ts';

sidecarContract('podman', () => podmanDriver('unix:///run/podman/podman.sock'));
