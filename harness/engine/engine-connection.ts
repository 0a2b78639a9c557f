import { Agent } from 'node:http';
import type Docker from 'dockerode';
import { EngineError } from '../model/errors.ts';
import type { Dialect } from './dialect.ts';
import type { EngineEndpoint } from './engine-address.ts';
import { parseEndpoint } from './engine-address.ts';
import type { EngineCaller } from './engine-call.ts';
import { engineCaller, LIMITS_MS } from './engine-call.ts';

/** One engine, reached lazily. */
export interface EngineConnection {
  readonly dialect: Dialect;
  /** As its user knows it. */
  readonly address: string;
  /** Where it is spoken to: the address itself, or what carries to it. */
  readonly endpoint: string;
  readonly target: EngineEndpoint;
  readonly caller: EngineCaller;
  /** The client, after `/version` has said that this is the engine the driver is for. */
  client(): Promise<Docker>;
  /** A GET that dockerode has no method for. */
  get(path: string): Promise<unknown>;
  /** The engine's clock minus ours, ms; 0 until the facts were read. */
  clockOffsetMs: number;
  close(): void;
}

/** What dockerode reads of the environment when it is made: it may be meant for another engine, or be broken. */
const READ_BY_DOCKERODE = [
  'DOCKER_HOST',
  'DOCKER_TLS_VERIFY',
  'DOCKER_CERT_PATH',
  'DOCKER_PATH_PREFIX',
  'DOCKER_CLIENT_TIMEOUT',
] as const;

function withoutItsVariables<T>(action: () => T): T {
  const kept = READ_BY_DOCKERODE.map((name) => [name, process.env[name]] as const);
  for (const [name] of kept) delete process.env[name];
  try {
    return action();
  } finally {
    for (const [name, value] of kept) if (value !== undefined) process.env[name] = value;
  }
}

async function createClient(target: EngineEndpoint, agent: Agent): Promise<Docker> {
  const { default: Client } = await import('dockerode');
  const where = target.kind === 'unix' ? { socketPath: target.socketPath } : { host: target.host, port: target.port };
  return withoutItsVariables(() => new Client({ ...where, protocol: 'http', agent } as never));
}

/** Opens nothing yet; throws EngineError for an endpoint that cannot be used. */
export function engineConnection(dialect: Dialect, address: string, endpoint: string = address): EngineConnection {
  const target = parseEndpoint(endpoint);
  const agent = new Agent({ keepAlive: true });
  let created: Promise<Docker> | undefined;
  let checked: Promise<Docker> | undefined;

  const bare = (): Promise<Docker> => {
    created ??= createClient(target, agent);
    return created;
  };
  const caller = engineCaller(dialect.name, address, async () => (await bare()).ping());

  async function check(): Promise<Docker> {
    const client = await bare();
    const version = await caller.run('version', () => client.version(), LIMITS_MS.quick);
    const component = (version as { Components?: { Name?: string }[] }).Components?.[0]?.Name;
    if (component !== undefined && component !== dialect.component) {
      throw new EngineError(
        `${address} is not ${dialect.title}: it calls itself "${component}"; point ${dialect.envName} at a ${dialect.title} engine`,
      );
    }
    return client;
  }

  return {
    dialect,
    address,
    endpoint,
    target,
    caller,
    clockOffsetMs: 0,
    client: () => {
      checked ??= check().catch((error: unknown) => {
        checked = undefined;
        throw error;
      });
      return checked;
    },
    get: async (path) => {
      const client = await bare();
      const options = { path, method: 'GET', statusCodes: { 200: true, 404: 'no such object', 500: 'server error' } };
      return new Promise((resolve, reject) => {
        client.modem.dial(options as never, (error: unknown, data: unknown) => (error ? reject(error) : resolve(data)));
      });
    },
    close: () => agent.destroy(),
  };
}
