import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { EngineName } from '../model/engine.ts';
import type { CredentialEntry, CredentialPlace } from './credential-file.ts';
import { placeOf, readCredentialFile } from './credential-file.ts';
import type { Secret } from './credential-helper.ts';
import { askHelper } from './credential-helper.ts';
import type { RegistryCredentials } from './driver.ts';
import type { RegistryName } from './registry-name.ts';
import { hostOfKey, registryOf } from './registry-name.ts';

/** Where to look; `env` decides, so that tests never see the credentials of whoever runs them. */
export interface CredentialOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Told what was looked at and cannot be used. Never told a secret. */
  readonly say: (line: string) => void;
}

/**
 * The credentials that the client of an engine would send to the registry of a reference, or undefined: then the pull is
 * anonymous. Stands with the engines because it is knowledge about their clients: which files and variables `docker` and
 * `podman` read, in which order and by which keys. testcontainers has the same for Docker, but does not export it, reads
 * its file when it is loaded, knows no Podman and logs what a helper said. Never throws.
 */
export async function findCredentials(
  engine: EngineName,
  reference: string,
  { env, say }: CredentialOptions,
): Promise<RegistryCredentials | undefined> {
  const name = registryOf(reference);
  const places = engine === 'podman' ? [...podmanPlaces(env), ...dockerPlaces(env)] : dockerPlaces(env);
  for (const place of places) {
    const found = await lookUp(await place(say), name, engine, { env, say });
    if (found !== undefined) return { serveraddress: name.dockerKey, ...found };
  }
  return undefined;
}

type Place = (say: CredentialOptions['say']) => Promise<CredentialPlace>;

/** Docker's client takes the variable first and the file for what is not in it. */
function dockerPlaces(env: NodeJS.ProcessEnv): Place[] {
  const text = env['DOCKER_AUTH_CONFIG'];
  const folder = env['DOCKER_CONFIG'] || join(home(env), '.docker');
  return [
    ...(text ? [async (say: CredentialOptions['say']) => placeOf('DOCKER_AUTH_CONFIG', text, say)] : []),
    async (say) => await readCredentialFile(join(folder, 'config.json'), say),
  ];
}

/** Podman's own files; Docker's follow. A file that is named by the variable is the only one of its own. */
function podmanPlaces(env: NodeJS.ProcessEnv): Place[] {
  const named = env['REGISTRY_AUTH_FILE'];
  const runtime = env['XDG_RUNTIME_DIR'] || `/run/containers/${process.getuid?.() ?? 0}`;
  const inRuntime = join(runtime, 'containers', 'auth.json');
  const inOwn = env['XDG_RUNTIME_DIR'] ? inRuntime : join(runtime, 'auth.json');
  const config = env['XDG_CONFIG_HOME'] || join(home(env), '.config');
  const paths = named ? [named] : [inOwn, join(config, 'containers', 'auth.json')];
  return paths.map((path) => async (say) => {
    if (path === named && !existsSync(path)) say(`REGISTRY_AUTH_FILE: there is no file ${path}`);
    return await readCredentialFile(path, say);
  });
}

function home(env: NodeJS.ProcessEnv): string {
  return env['HOME'] || homedir();
}

async function lookUp(
  { name: where, content }: CredentialPlace,
  name: RegistryName,
  engine: EngineName,
  options: CredentialOptions,
): Promise<Secret | undefined> {
  if (content === undefined) return undefined;
  const helpers = content.credHelpers ?? {};
  // Podman's client knows Docker Hub by its name, Docker's by its index; each helper is asked for the key it is kept under.
  const keys = [...new Set([name.dockerKey, name.registry])];
  const helperKey = keys.find((key) => Object.hasOwn(helpers, key));
  const helper = (helperKey === undefined ? undefined : helpers[helperKey]) || content.credsStore;
  if (helper) {
    const given = await askHelper(helper, helperKey ?? name.dockerKey, options.env, options.say);
    if (given !== undefined) return given;
  }
  const key = keyOf(Object.keys(content.auths ?? {}), name, engine);
  const entry = key === undefined ? undefined : content.auths?.[key];
  if (key === undefined || entry === undefined) return undefined;
  const secret = secretOf(entry);
  // the entry that `docker login` leaves behind beside a credential store is empty
  if (secret === undefined && Object.keys(entry).length > 0)
    options.say(`${where}: the entry of ${key} under auths holds no name with a password: not used`);
  return secret;
}

/** The key under `auths`: Podman prefers the longest namespace, both take the registry in any of its spellings. */
function keyOf(keys: readonly string[], name: RegistryName, engine: EngineName): string | undefined {
  const exact = engine === 'podman' ? name.namespaces : [name.dockerKey, name.registry];
  return (
    exact.find((wanted) => keys.includes(wanted)) ??
    keys.find((key) => hostOfKey(key) === name.registry && isWholeRegistry(key))
  );
}

/** Whether a key stands for a registry, not for a namespace in it: only the paths of old APIs may follow. */
function isWholeRegistry(key: string): boolean {
  return /^(https?:\/\/)?[^/]+(\/|\/v[12]\/?)?$/.test(key);
}

function secretOf(entry: CredentialEntry): Secret | undefined {
  if (entry.identitytoken) return { identitytoken: entry.identitytoken };
  if (entry.auth) {
    const decoded = Buffer.from(entry.auth, 'base64').toString('utf8').replace(/\0+$/, '');
    const at = decoded.indexOf(':');
    return at < 1 ? undefined : { username: decoded.slice(0, at), password: decoded.slice(at + 1) };
  }
  if (!entry.username || entry.password === undefined) return undefined;
  return { username: entry.username, password: entry.password };
}
