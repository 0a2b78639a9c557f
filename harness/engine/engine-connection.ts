import { Agent } from 'node:http';
import type Docker from 'dockerode';
import { EngineError } from '../model/errors.ts';
import type { Dialect } from './dialect.ts';
import type { EngineAddress } from './engine-address.ts';
import { parseAddress } from './engine-address.ts';
import type { EngineCaller } from './engine-call.ts';
import { engineCaller, LIMITS_MS } from './engine-call.ts';

/** One engine, reached lazily. */
export interface EngineConnection {
  readonly dialect: Dialect;
  readonly address: string;
  readonly target: EngineAddress;
  readonly caller: EngineCaller;
  /** The client, after `/version` has said that this is the engine the driver is for. */
  client(): Promise<Docker>;
  /** A GET that dockerode has no method for. */
  get(path: string): Promise<unknown>;
  /** The engine's clock minus ours, ms; 0 until the facts were read. */
  clockOffsetMs: number;
  close(): void;
}

async function createClient(target: EngineAddress, address: string, agent: Agent): Promise<Docker> {
  const { default: Client } = await import('dockerode');
  if (target.kind === 'unix') {
    // `host` and `protocol` are named because dockerode would take them from DOCKER_HOST, which may be another engine.
    return new Client({ socketPath: target.socketPath, host: undefined, protocol: 'http', agent } as never);
  }
  const { host, port } = target;
  // With DOCKER_TLS_VERIFY and DOCKER_CERT_PATH dockerode reads the certificates of DOCKER_HOST itself.
  if (process.env['DOCKER_HOST'] === address && process.env['DOCKER_TLS_VERIFY'] === '1')
    return new Client({ host, port });
  return new Client({ host, port, protocol: 'http', ca: undefined, cert: undefined, key: undefined, agent } as never);
}

/** Opens nothing yet; throws EngineError for an address that cannot be used. */
export function engineConnection(dialect: Dialect, address: string): EngineConnection {
  const target = parseAddress(address);
  const agent = new Agent({ keepAlive: true });
  let created: Promise<Docker> | undefined;
  let checked: Promise<Docker> | undefined;

  const bare = (): Promise<Docker> => {
    created ??= createClient(target, address, agent);
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
