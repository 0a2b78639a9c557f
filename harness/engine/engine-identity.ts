import type { IncomingMessage } from 'node:http';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import type { EngineName } from '../model/engine.ts';
import { EngineError } from '../model/errors.ts';
import { parseAddress } from './engine-address.ts';

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

async function get(address: string, path: string): Promise<IncomingMessage> {
  const target = parseAddress(address);
  const where = target.kind === 'unix' ? { socketPath: target.socketPath } : { host: target.host, port: target.port };
  const signal = AbortSignal.timeout(LIMIT_MS);
  return await new Promise((resolve, reject) => {
    request({ ...where, path, agent: false, signal }, resolve)
      .on('error', reject)
      .end();
  });
}

/** By the headers of a ping, which is at once; Podman takes 0.2 s to say its version. Undefined: they do not tell. */
async function byPing(address: string): Promise<Exclude<EngineName, 'fake'> | undefined> {
  const { headers } = (await get(address, '/_ping')).resume();
  if (headers['libpod-api-version'] !== undefined) return 'podman';
  return String(headers['server']).startsWith('Docker/') ? 'docker' : undefined;
}

/** Which engine answers at `address`, by its own word. Throws EngineError (`lost`) when none does. */
export async function identifyEngine(address: string): Promise<Exclude<EngineName, 'fake'>> {
  parseAddress(address);
  let answer: Version;
  try {
    const known = await byPing(address);
    if (known !== undefined) return known;
    answer = (await json(await get(address, '/version'))) as Version;
  } catch (error) {
    throw new EngineError(`no engine at ${address}: ${reasonOf(error)}`, { cause: error, lost: true });
  }
  const component = answer.Components?.[0]?.Name;
  if (component === 'Podman Engine') return 'podman';
  if (component === 'Engine' || (component === undefined && answer.ApiVersion !== undefined)) return 'docker';
  throw new EngineError(`no engine at ${address}: it calls itself "${component ?? 'nothing'}", not Docker or Podman`);
}
