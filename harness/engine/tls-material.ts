import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { EngineError } from '../model/errors.ts';

/** What a client of an engine behind TLS holds, PEM. */
export interface TlsMaterial {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
  /** Refuse an engine whose certificate does not prove its name. */
  readonly verify: boolean;
}

const NAMES = ['ca', 'cert', 'key'] as const;

/** Where Docker's command line keeps its configuration. */
export function dockerConfigFolder(env: NodeJS.ProcessEnv): string {
  return env['DOCKER_CONFIG'] || join(env['HOME'] || homedir(), '.docker');
}

/** The material in a folder: those of ca.pem, cert.pem and key.pem that are there. Throws EngineError for one that cannot be read. */
export async function tlsMaterialIn(folder: string, verify: boolean): Promise<TlsMaterial> {
  const read = await Promise.all(
    NAMES.map(async (name) => {
      const path = join(folder, `${name}.pem`);
      const content = await readFile(path).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined;
        throw new EngineError(`${path} cannot be read: ${error.message}`, { cause: error });
      });
      return content === undefined ? {} : { [name]: content };
    }),
  );
  return Object.assign({ verify }, ...read) as TlsMaterial;
}

/**
 * What DOCKER_TLS_VERIFY and DOCKER_CERT_PATH ask for, as Docker's command line reads them: any value turns TLS on, the
 * files are in the configuration folder unless named. Undefined: no TLS. Throws EngineError where the files are missing.
 */
export async function tlsMaterialOf(env: NodeJS.ProcessEnv): Promise<TlsMaterial | undefined> {
  if (!env['DOCKER_TLS_VERIFY']) return undefined;
  const folder = env['DOCKER_CERT_PATH'] || dockerConfigFolder(env);
  const material = await tlsMaterialIn(folder, true);
  const missing = NAMES.filter((name) => material[name] === undefined).map((name) => `${name}.pem`);
  if (missing.length === 0) return material;
  throw new EngineError(
    `DOCKER_TLS_VERIFY asks for TLS, but ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not in ${folder}: set DOCKER_CERT_PATH to the folder of the certificates, or unset DOCKER_TLS_VERIFY`,
  );
}
