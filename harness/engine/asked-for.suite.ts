import type { IncomingMessage } from 'node:http';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';

/** What the engine says it was asked for; `undefined` and `null` of the engines' shapes removed. */
export interface AskedFor {
  readonly env: readonly string[];
  readonly command: readonly string[];
  readonly entrypoint: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  /** Names of the networks. */
  readonly networks: readonly string[];
  readonly restart: string;
  readonly tty: boolean;
  readonly autoRemove: boolean;
  readonly publishedPorts: readonly string[];
  readonly memoryBytes: number;
  /** With the engine's init in front. */
  readonly init: boolean;
}

interface Raw {
  /** Podman puts its init here; Docker leaves the user's own and says it under HostConfig (engines.md section 4). */
  readonly Path: string;
  readonly Config: {
    readonly Env: readonly string[] | null;
    readonly Cmd: readonly string[] | null;
    readonly Entrypoint: readonly string[] | null;
    readonly Labels: Readonly<Record<string, string>>;
    readonly Tty: boolean;
  };
  readonly HostConfig: {
    readonly RestartPolicy: { readonly Name: string };
    readonly AutoRemove: boolean;
    readonly Memory: number;
    readonly Init?: boolean | null;
  };
  readonly NetworkSettings: {
    readonly Ports: Readonly<Record<string, unknown>> | null;
    readonly Networks: Readonly<Record<string, unknown>> | null;
  };
}

async function getAt(socketPath: string, path: string): Promise<{ readonly status: number; readonly body: unknown }> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ socketPath, path, agent: false }, resolve).on('error', reject).end();
  });
  return { status: response.statusCode ?? 0, body: await json(response) };
}

/** The volumes of a container, and whether a volume is still there, as the engine at a unix socket shows them. */
export function volumesAt(socketPath: string): {
  volumesOf(id: string): Promise<readonly string[]>;
  hasVolume(name: string): Promise<boolean>;
} {
  return {
    async volumesOf(id) {
      const { body } = await getAt(socketPath, `/containers/${id}/json`);
      const { Mounts: mounts } = body as { Mounts: readonly { Type: string; Name?: string }[] };
      return mounts.filter(({ Type }) => Type === 'volume').map(({ Name = '' }) => Name);
    },
    hasVolume: async (name) => (await getAt(socketPath, `/volumes/${name}`)).status === 200,
  };
}

/** The container as the engine at a unix socket shows it, past the driver: for tests of the driver. */
export async function askedForAt(socketPath: string, id: string): Promise<AskedFor> {
  const raw = (await getAt(socketPath, `/containers/${id}/json`)).body as Raw;
  const ports = Object.entries(raw.NetworkSettings.Ports ?? {});
  return {
    env: raw.Config.Env ?? [],
    command: raw.Config.Cmd ?? [],
    entrypoint: raw.Config.Entrypoint ?? [],
    labels: raw.Config.Labels,
    networks: Object.keys(raw.NetworkSettings.Networks ?? {}).filter((name) => name !== 'none'),
    restart: raw.HostConfig.RestartPolicy.Name,
    tty: raw.Config.Tty,
    autoRemove: raw.HostConfig.AutoRemove,
    publishedPorts: ports.filter(([, bindings]) => bindings !== null).map(([port]) => port),
    memoryBytes: raw.HostConfig.Memory,
    init: raw.HostConfig.Init === true || raw.Path === '/run/podman-init',
  };
}
