import { EngineError } from '../model/errors.ts';
import { parseEndpoint } from './engine-address.ts';

type Testcontainers = typeof import('testcontainers');

let bound: string | undefined;
let loaded: Promise<Testcontainers> | undefined;

/**
 * Points testcontainers, which has one client per process, at `address`, an endpoint without TLS. Must come before its first import: it reads
 * the environment once. Throws EngineError when this process is bound to another engine already.
 */
export function bindTestcontainers(address: string): void {
  if (bound === address) return;
  if (bound !== undefined) {
    throw new EngineError(
      `this process starts containers at ${bound} and cannot start them at ${address} too: use one process per engine, or hold()`,
    );
  }
  parseEndpoint(address);
  bound = address;
  process.env['DOCKER_HOST'] = address;
  // They may be meant for another engine: ours is behind an endpoint that needs none of them.
  for (const name of ['DOCKER_TLS_VERIFY', 'DOCKER_CERT_PATH', 'DOCKER_PATH_PREFIX', 'DOCKER_CLIENT_TIMEOUT'])
    delete process.env[name];
  // Else it asks the engine for gateways, or runs an alpine image, when it finds itself in a container.
  process.env['TESTCONTAINERS_HOST_OVERRIDE'] = '127.0.0.1';
  // Its reaper is an image that it would pull; we sweep by label ourselves.
  process.env['TESTCONTAINERS_RYUK_DISABLED'] = 'true';
  // Would be put before image ids.
  delete process.env['TESTCONTAINERS_HUB_IMAGE_NAME_PREFIX'];
}

type ContainerClient = Awaited<ReturnType<Testcontainers['getContainerRuntimeClient']>>['container'];

/**
 * No container of ours publishes a port, but Podman lists exposed ports under PortBindings too, and testcontainers then
 * waits 10 s for them to be bound.
 */
function forgetPortBindings(client: ContainerClient): void {
  const inspect = client.inspect.bind(client);
  client.inspect = async (container) => {
    const info = await inspect(container);
    return { ...info, HostConfig: { ...info.HostConfig, PortBindings: undefined } };
  };
}

async function load(address: string): Promise<Testcontainers> {
  const testcontainers = await import('testcontainers');
  const client = await testcontainers.getContainerRuntimeClient();
  const { modem } = client.container.dockerode as unknown as {
    modem: { socketPath?: string; host?: string; port?: string | number };
  };
  // It falls back to the default sockets when DOCKER_HOST does not answer, and ~/.testcontainers.properties goes first.
  const target = parseEndpoint(address);
  const right =
    target.kind === 'unix'
      ? modem.socketPath === target.socketPath
      : modem.host === target.host && Number(modem.port) === target.port;
  if (right) {
    forgetPortBindings(client.container);
    return testcontainers;
  }
  const instead = modem.socketPath ?? `${modem.host}:${modem.port}`;
  throw new EngineError(
    `testcontainers took ${instead} instead of ${address}: the engine did not answer, or tc.host is set in ~/.testcontainers.properties`,
  );
}

/** testcontainers, bound to `address` and verified to talk to it. */
export async function testcontainersAt(address: string): Promise<Testcontainers> {
  bindTestcontainers(address);
  loaded ??= load(address).catch((error: unknown) => {
    loaded = undefined;
    throw error;
  });
  return loaded;
}
