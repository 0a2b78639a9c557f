import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EnginePlace } from './engine-place.ts';
import type { EngineAccess } from './engine-reach.ts';
import { dockerConfigFolder, tlsMaterialIn } from './tls-material.ts';

/** `meta.json` of a context, as far as it is read here. */
interface Meta {
  readonly Endpoints?: { readonly docker?: { readonly Host?: unknown; readonly SkipTLSVerify?: unknown } };
}

/**
 * The engine of the Docker context in force, found as Docker's command line finds it: DOCKER_HOST beats DOCKER_CONTEXT,
 * which beats `currentContext` of its config.json. Undefined: none, or the one named `default`, which is the usual socket.
 * A context that cannot be read is a place with a failure that names file and remedy.
 */
export async function dockerContext(env: NodeJS.ProcessEnv): Promise<EnginePlace | undefined> {
  if (env['DOCKER_HOST']) return undefined;
  const folder = dockerConfigFolder(env);
  const config = join(folder, 'config.json');
  let name: string | undefined;
  try {
    name = env['DOCKER_CONTEXT'] || (await currentContext(config));
  } catch (error) {
    const failure = `${config} cannot be read (${reasonOf(error)}): correct it, or choose by DOCKER_HOST`;
    return { engine: 'docker', address: config, origin: 'docker context', chosen: true, failure };
  }
  return name === undefined || name === 'default' ? undefined : await placeOf(name, folder, env);
}

async function currentContext(config: string): Promise<string | undefined> {
  const parsed = await readJson(config).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return {};
    throw error;
  });
  const name = (parsed as { currentContext?: unknown } | null)?.currentContext;
  return typeof name === 'string' && name !== '' ? name : undefined;
}

async function placeOf(name: string, folder: string, env: NodeJS.ProcessEnv): Promise<EnginePlace> {
  const origin = `docker context ${name}`;
  const by = env['DOCKER_CONTEXT'] ? 'DOCKER_CONTEXT' : `currentContext of ${join(folder, 'config.json')}`;
  const remedy = 'choose another by `docker context use`, DOCKER_CONTEXT or DOCKER_HOST';
  const id = createHash('sha256').update(name).digest('hex');
  const file = join(folder, 'contexts', 'meta', id, 'meta.json');
  const broken = (failure: string): EnginePlace => ({
    engine: 'docker',
    address: `context ${name}`,
    origin,
    chosen: true,
    failure,
  });
  let meta: Meta;
  try {
    meta = (await readJson(file)) as Meta;
  } catch (error) {
    return broken(`${by} names it, but ${file} cannot be read (${reasonOf(error)}): ${remedy}`);
  }
  const endpoint = meta?.Endpoints?.docker;
  if (typeof endpoint?.Host !== 'string' || endpoint.Host === '')
    return broken(`${file} names no Host of a docker endpoint: ${remedy}`);
  const access = async (): Promise<EngineAccess> => {
    const skip = endpoint.SkipTLSVerify === true;
    const material = await tlsMaterialIn(join(folder, 'contexts', 'tls', id, 'docker'), !skip);
    return skip || material.ca || material.cert || material.key ? { tls: material } : {};
  };
  return { engine: 'docker', address: endpoint.Host, origin, chosen: true, access };
}

async function readJson(path: string): Promise<unknown> {
  return JSON.parse(await readFile(path, 'utf8'));
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' ? 'there is no such file' : message;
}
