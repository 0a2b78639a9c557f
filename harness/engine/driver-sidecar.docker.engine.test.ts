import { dockerDriver } from './docker.ts';
import { sidecarContract } from './driver-sidecar.suite.ts';

sidecarContract('docker', () => dockerDriver('unix:///var/run/docker.sock'));
