import type Docker from 'dockerode';
import type { Volume } from '../model/target.ts';
import type { ContainerSpec } from './driver.ts';
import { ownershipLabels } from './engine-networks.ts';

/** An address on which no name server answers, in the container itself: a lookup fails at once. */
const NO_NAME_SERVER = '127.0.0.1';

/** Without a network of the run a container gets none at all. */
export function networkModeOf(spec: ContainerSpec): string {
  return spec.network ?? 'none';
}

/** What is asked of the engine, leaving nothing that matters to its defaults (architecture rule 11). */
export function containerOptions(
  spec: ContainerSpec,
  tmpfsOptions: readonly string[] = [],
): Docker.ContainerCreateOptions & { HostConfig: Docker.HostConfig } {
  return {
    name: spec.name,
    Image: spec.image,
    ...(spec.command ? { Cmd: [...spec.command] } : {}),
    ...(spec.entrypoint ? { Entrypoint: [...spec.entrypoint] } : {}),
    ...(spec.user === undefined ? {} : { User: spec.user }),
    ...(spec.stopSignal === undefined ? {} : { StopSignal: `SIG${spec.stopSignal}` }),
    ...(spec.platform === undefined ? {} : { platform: spec.platform }),
    ...anonymousVolumes(spec.volumes ?? []),
    ...aliasesOf(spec),
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
      ...memoryVolumes(spec.volumes ?? [], tmpfsOptions),
      ...(spec.hosts === undefined
        ? {}
        : { ExtraHosts: Object.entries(spec.hosts).map(([name, address]) => `${name}:${address}`) }),
      // The engines' own name servers ask the host's, also for a container of a network without a way out.
      ...(spec.network === undefined || spec.outbound
        ? {}
        : { Dns: [NO_NAME_SERVER], DnsOptions: ['timeout:1', 'attempts:1'] }),
    },
  };
}

/** The call that creates a container. Left alone, dockerode would put everything into its URL too, values of env among it. */
export function createCall(spec: ContainerSpec, tmpfsOptions: readonly string[] = []): Docker.ContainerCreateOptions {
  const { name, platform, ...body } = containerOptions(spec, tmpfsOptions);
  return { _query: { name, ...(platform === undefined ? {} : { platform }) }, _body: body } as never;
}

/** A volume without a name goes with its container, as long as it is asked to (`v: true`). */
function anonymousVolumes(volumes: readonly Volume[]): { Volumes?: Record<string, object> } {
  const onDisk = volumes.filter(({ tmpfs }) => tmpfs === undefined);
  return onDisk.length === 0 ? {} : { Volumes: Object.fromEntries(onDisk.map(({ path }) => [path, {}])) };
}

/** Anybody may write there, as on any `/tmp`: the engines differ in what they take from the image. */
function memoryVolumes(volumes: readonly Volume[], more: readonly string[]): { Tmpfs?: Record<string, string> } {
  const entries = volumes.flatMap(({ path, tmpfs }) => {
    if (tmpfs === undefined) return [];
    const size = tmpfs.sizeBytes === undefined ? [] : [`size=${tmpfs.sizeBytes}`];
    return [[path, ['mode=1777', ...size, ...more].join(',')] as const];
  });
  return entries.length === 0 ? {} : { Tmpfs: Object.fromEntries(entries) };
}

function aliasesOf({ network, aliases = [] }: ContainerSpec): Pick<Docker.ContainerCreateOptions, 'NetworkingConfig'> {
  if (network === undefined || aliases.length === 0) return {};
  return { NetworkingConfig: { EndpointsConfig: { [network]: { Aliases: [...aliases] } } } };
}
