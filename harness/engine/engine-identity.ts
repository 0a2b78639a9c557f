import type { IncomingMessage } from 'node:http';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { EngineName } from '../model/engine.ts';
import { EngineError } from '../model/errors.ts';
import { parseEndpoint } from './engine-address.ts';

const LIMIT_MS = 5_000;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such socket',
  EACCES: 'this user may not use the socket',
  ECONNREFUSED: 'nothing listens there',
  ENOTSOCK: 'it is not a socket',
  ABORT_ERR: `no answer within ${LIMIT_MS} ms`,
  TIMEOUT: `no answer within ${LIMIT_MS} ms`,
};

function reasonOf(error: unknown): string {
  const { code, name, message } = error as { code?: string; name?: string; message?: string };
  return (name === 'TimeoutError' ? REASONS['TIMEOUT'] : REASONS[code ?? '']) ?? message ?? String(error);
}

interface Version {
  readonly Components?: readonly { readonly Name?: string }[];
  readonly ApiVersion?: string;
}

async function get(endpoint: string, path: string): Promise<IncomingMessage> {
  const target = parseEndpoint(endpoint);
  const where = target.kind === 'unix' ? { socketPath: target.socketPath } : { host: target.host, port: target.port };
  const signal = AbortSignal.timeout(LIMIT_MS);
  return await new Promise((resolve, reject) => {
    request({ ...where, path, agent: false, signal }, resolve)
      .on('error', reject)
      .end();
  });
}

/** By the headers of a ping, which is at once; Podman takes 0.2 s to say its version. Undefined: they do not tell. */
async function byPing(endpoint: string): Promise<Exclude<EngineName, 'fake'> | undefined> {
  const { headers } = (await get(endpoint, '/_ping')).resume();
  if (headers['libpod-api-version'] !== undefined) return 'podman';
  return String(headers['server']).startsWith('Docker/') ? 'docker' : undefined;
}

/** The last words of Go's HTTP server to who speaks no TLS to it. */
const WANTS_TLS = /HTTP request to an HTTPS server/;

/** Which engine answers at `endpoint`, by its own word. Throws EngineError (`lost`), which names `address`, when none does. */
export async function identifyEngine(
  endpoint: string,
  address: string = endpoint,
): Promise<Exclude<EngineName, 'fake'>> {
  parseEndpoint(endpoint);
  let answer: Version;
  try {
    const known = await byPing(endpoint);
    if (known !== undefined) return known;
    const said = await text(await get(endpoint, '/version'));
    if (WANTS_TLS.test(said)) throw new Error('it speaks TLS: set DOCKER_TLS_VERIFY=1 and DOCKER_CERT_PATH');
    answer = JSON.parse(said) as Version;
  } catch (error) {
    throw new EngineError(`no engine at ${address}: ${reasonOf(error)}`, { cause: error, lost: true });
  }
  const component = answer.Components?.[0]?.Name;
  if (component === 'Podman Engine') return 'podman';
  if (component === 'Engine' || (component === undefined && answer.ApiVersion !== undefined)) return 'docker';
  throw new EngineError(`no engine at ${address}: it calls itself "${component ?? 'nothing'}", not Docker or Podman`);
}
