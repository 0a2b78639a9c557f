import type { Dialect } from './dialect.ts';
import type { EngineDriver } from './driver.ts';
import { engineApiDriver } from './engine-api.ts';

const PODMAN: Dialect = {
  name: 'podman',
  title: 'Podman',
  component: 'Podman Engine',
  envName: 'CONTAINER_HOST',
  // A container made through the compatible API without a StopTimeout has 0: it would be killed at once.
  defaultStopS: 10,
  // Podman answers 500. The second and third appear when the exit is found while the signal is being sent.
  killOnEnded:
    /can only kill running containers|container state improper|not running|already finished|no such process/i,
  // A past `until` and a fractional `since` return nothing.
  pastEvents: (createdS) => ({ since: Math.floor(createdS) - 1, stream: false }) as never,
  cheapWait: false,
  // The compatible image inspect leaves Healthcheck out.
  imagePath: (id) => `/v4.0.0/libpod/images/${encodeURIComponent(id)}/json`,
  healthPath: (id) => `/v4.0.0/libpod/containers/${encodeURIComponent(id)}/healthcheck`,
  // Else it gets a copy of what the image has there.
  tmpfsOptions: ['notmpcopyup'],
  // `/info` makes up a new ID with every call; the storage on a host is what makes two services one engine.
  identity: (info) => `podman:${String(info['Name'])}:${String(info['DockerRootDir'])}`,
  rootless: (info) => info['Rootless'] === true,
};

/** The driver for a Podman service at `endpoint` (`unix://…` or `tcp://…`), shown as `address`. Connects at the first call; throws EngineError. */
export function podmanDriver(address: string, endpoint?: string): EngineDriver {
  return engineApiDriver(PODMAN, address, endpoint);
}
