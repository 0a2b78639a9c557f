import type Docker from 'dockerode';
import type { ContainerSpec } from './driver.ts';
import { ownershipLabels } from './engine-networks.ts';

/** Without a network of the run a container gets none at all. */
export function networkModeOf(spec: ContainerSpec): string {
  return spec.network ?? 'none';
}

/** What is asked of the engine, leaving nothing that matters to its defaults (architecture rule 11). */
export function containerOptions(
  spec: ContainerSpec,
): Docker.ContainerCreateOptions & { HostConfig: Docker.HostConfig } {
  return {
    name: spec.name,
    Image: spec.image,
    ...(spec.command ? { Cmd: [...spec.command] } : {}),
    ...(spec.entrypoint ? { Entrypoint: [...spec.entrypoint] } : {}),
    Env: Object.entries(spec.env).map(([key, value]) => `${key}=${value}`),
    Labels: ownershipLabels(spec.ownership),
    Tty: false,
    OpenStdin: false,
    AttachStdin: false,
    HostConfig: {
      NetworkMode: networkModeOf(spec),
      RestartPolicy: { Name: 'no' },
      AutoRemove: false,
      PublishAllPorts: false,
      PortBindings: {},
      // The engine's default driver may be one whose logs cannot be read back.
      LogConfig: { Type: 'json-file', Config: {} },
      // Swap would turn an out-of-memory kill into a slow container.
      ...(spec.memoryBytes === undefined ? {} : { Memory: spec.memoryBytes, MemorySwap: spec.memoryBytes }),
      ...(spec.init === undefined ? {} : { Init: spec.init }),
    },
  };
}
