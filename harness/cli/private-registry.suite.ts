import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import type { PodmanService } from '../engine/podman-service.ts';
import { startPodmanService } from '../engine/podman-service.ts';

export const USER = 'lfq';
/** Must never be seen anywhere: not in what a run prints, not in what it writes. */
export const PASSWORD = 'canary-9f3c-hunter2';
const HTPASSWD = `${USER}:$2y$04$36UfOgAYikDao4rzJUh0quNLt/c75kaM2Btla5V3NO3oqR5CHuUxe\n`;

/** What `auths` holds for a registry. */
export const authsOf = (address: string, password = PASSWORD): string =>
  JSON.stringify({ auths: { [address]: { auth: Buffer.from(`${USER}:${password}`).toString('base64') } } });

/** A registry with a password on loopback, without TLS, which Docker allows there. */
export interface PrivateRegistry {
  /** `127.0.0.1:<port>`. */
  readonly address: string;
  /** A folder that goes with it. */
  readonly folder: string;
  /** A Podman service of its own: that registry without TLS is allowed by a file which a running service reads once. */
  readonly podman: PodmanService;
  /** Tags an image of Docker's with a name of this registry, and pushes it. The tag stays. */
  push(image: string, name: string): Promise<void>;
  /** Makes `<name>:1` an image of several platforms, of those that were pushed as `<name>:<architecture>`. */
  join(name: string, architectures: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

/** Starts Debian's `docker-registry` with its images in memory. */
export async function startPrivateRegistry(): Promise<PrivateRegistry> {
  const folder = mkdtempSync(join(tmpdir(), 'lf-qualify-registry-'));
  const path = (name: string): string => join(folder, name);
  writeFileSync(path('htpasswd'), HTPASSWD);
  const config = {
    version: '0.1',
    log: { level: 'info' },
    storage: { inmemory: {} },
    http: { addr: '127.0.0.1:0' },
    auth: { htpasswd: { realm: 'lf-qualify-test', path: path('htpasswd') } },
  };
  writeFileSync(path('config.yml'), JSON.stringify(config));
  const served = execa('docker-registry', ['serve', path('config.yml')], {
    reject: false,
    stdout: 'ignore',
    buffer: false,
  });
  const address = await listening(served.stderr);
  writeFileSync(path('registries.conf'), `[[registry]]\nlocation = "${address}"\ninsecure = true\n`);
  const podman = await startPodmanService({ ...process.env, CONTAINERS_REGISTRIES_CONF: path('registries.conf') });
  writeFileSync(path('config.json'), authsOf(address));
  const docker = async (...args: readonly string[]): Promise<void> => {
    await execa('docker', ['--host', 'unix:///var/run/docker.sock', '--config', folder, ...args]);
  };
  return {
    address,
    folder,
    podman,
    async push(image, name) {
      await docker('tag', image, `${address}/${name}`);
      await docker('push', `${address}/${name}`);
    },
    join: async (name, architectures) => await putList(`http://${address}/v2/${name}/manifests`, architectures),
    async stop() {
      await podman.stop();
      served.kill('SIGTERM');
      await served;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The address that the registry says it listens on. Rejects when it ends without having said so. */
async function listening(stderr: NodeJS.ReadableStream): Promise<string> {
  const lines = createInterface({ input: stderr });
  const said: string[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  lines.on('line', (line) => {
    said.push(line);
    const [, address] = /listening on (127\.0\.0\.1:\d+)/.exec(line) ?? [];
    if (address !== undefined) resolve(address);
  });
  void once(lines, 'close').then(() => reject(new Error(`docker-registry ended:\n${said.join('\n')}`)));
  return await promise;
}

const MANIFEST = 'application/vnd.docker.distribution.manifest.v2+json';
const LIST = 'application/vnd.docker.distribution.manifest.list.v2+json';

/** What `docker manifest` does, for names that are there already. */
async function putList(manifests: string, architectures: readonly string[]): Promise<void> {
  const authorization = `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString('base64')}`;
  const entries = architectures.map(async (architecture) => {
    const { headers } = await fetch(`${manifests}/${architecture}`, {
      method: 'HEAD',
      headers: { authorization, accept: MANIFEST },
    });
    const [digest, size] = [headers.get('docker-content-digest'), Number(headers.get('content-length'))];
    return { mediaType: MANIFEST, digest, size, platform: { os: 'linux', architecture } };
  });
  const list = { schemaVersion: 2, mediaType: LIST, manifests: await Promise.all(entries) };
  const { status } = await fetch(`${manifests}/1`, {
    method: 'PUT',
    headers: { authorization, 'content-type': LIST },
    body: JSON.stringify(list),
  });
  if (status !== 201) throw new Error(`the registry answered ${status} to the list of platforms`);
}
