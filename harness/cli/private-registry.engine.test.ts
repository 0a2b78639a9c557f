import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { dockerDriver } from '../engine/docker.ts';
import { podmanDriver } from '../engine/podman.ts';
import { findHelper } from '../run/helper-image.ts';
import { scratchImage } from '../run/scratch-image.ts';
import { packageRoot } from './package-info.ts';
import type { PrivateRegistry } from './private-registry.suite.ts';
import { authsOf, PASSWORD, startPrivateRegistry, USER } from './private-registry.suite.ts';
import type { Call } from './testing.suite.ts';
import { call } from './testing.suite.ts';

const docker = dockerDriver('unix:///var/run/docker.sock');
const podman = podmanDriver('unix:///run/podman/podman.sock');
const calls: Call[] = [];
let registry: PrivateRegistry;
let image: string;
let digest: string;

beforeAll(async () => {
  registry = await startPrivateRegistry();
  image = `${registry.address}/private/exact:1`;
  digest = await build(image);
  await registry.push(image, 'private/exact:1');
  await docker.untagImage(image);
});
afterEach(async () => {
  for (const made of calls.splice(0)) made.dispose();
  await Promise.all([docker.untagImage(image), podman.untagImage(image)]);
});
afterAll(async () => await registry.stop());

/** A FROM-scratch image with bytes of its own on Docker: the helper, which ends at once after TERM. Gives its digest. */
async function build(reference: string, architecture?: string): Promise<string> {
  const helper = await findHelper(packageRoot);
  const files = [
    { name: 'lfq-helper', content: helper?.bytes ?? Buffer.alloc(0), mode: 0o755 },
    { name: 'id', content: Buffer.from(randomUUID()), mode: 0o644 },
  ];
  const entrypoint = ['/lfq-helper', 'exact', '0'];
  const archive = await scratchImage({ reference, files, entrypoint, ...(architecture ? { architecture } : {}) });
  await docker.loadImage(archive, () => undefined);
  return (await docker.inspectImage(reference))?.digest ?? '';
}

/** A run by somebody whose home holds just these files. `HOME` in a value, or an argument, is that home. */
async function qualified(
  args: readonly string[],
  files: Readonly<Record<string, string>> = {},
  env: Readonly<Record<string, string>> = {},
  reference = args.includes('--profile') ? undefined : image,
) {
  const home = mkdtempSync(join(registry.folder, 'home-'));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), content, { mode: name.startsWith('bin/') ? 0o755 : 0o600 });
  }
  const nothing = { DOCKER_CONFIG: '', DOCKER_AUTH_CONFIG: '', REGISTRY_AUTH_FILE: '', XDG_CONFIG_HOME: '' };
  const own = { HOME: home, XDG_RUNTIME_DIR: join(home, 'run'), PATH: `${join(home, 'bin')}:${process.env['PATH']}` };
  const given = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value.replaceAll('HOME', home)]));
  const options = ['--only', 'SIG-1', '--preset', 'baseline', '--ready', 'log:ready', '--verbose'];
  // Docker is named first, so that it is the one that pulls
  const hosts = { DOCKER_HOST: 'unix:///var/run/docker.sock', CONTAINER_HOST: registry.podman.address };
  const all = { ...nothing, ...own, ...hosts, ...given };
  const images = reference === undefined ? [] : [reference];
  const run = call([...images, ...options, ...args.map((arg) => arg.replaceAll('HOME', home))], all);
  calls.push(run);
  const { exitCode, all: text = '' } = await run.process;
  const seen = [text, ...filesUnder(run.out)].join('\n');
  for (const secret of [PASSWORD, Buffer.from(`${USER}:${PASSWORD}`).toString('base64')])
    expect(seen.includes(secret), `${secret} was shown or written`).toBe(false);
  return { exitCode, text, run };
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
}

const helper = `#!/bin/sh
read -r registry
printf '{"ServerURL":"%s","Username":"${USER}","Secret":"${PASSWORD}"}' "$registry"
`;

describe('an image in a registry with a password is pulled by one engine, carried to the others and judged', () => {
  const both = ['docker', 'podman'];
  it.each([
    [
      'the credsStore that DOCKER_CONFIG names',
      both,
      () => ({
        'dc/config.json': JSON.stringify({ credsStore: 'lfq-test', auths: { [registry.address]: {} } }),
        'bin/docker-credential-lfq-test': helper,
      }),
      () => ({ DOCKER_CONFIG: 'HOME/dc' }),
      /docker pulls it.* podman does not have it; carrying \w{12} over from docker/s,
    ],
    [
      "Docker's config.json, the image from a profile",
      both,
      () => ({
        '.docker/config.json': authsOf(registry.address),
        'lf-qualify.yaml': `version: 1\nimage: ${image}\n`,
      }),
      () => ({}),
      /docker pulls it.* podman does not have it; carrying \w{12} over from docker/s,
      ['--profile', 'HOME/lf-qualify.yaml'],
    ],
    [
      "Podman's auth.json",
      both,
      () => ({ 'run/containers/auth.json': authsOf(`${registry.address}/private`) }),
      () => ({}),
      /podman pulls it.* docker does not have it; carrying \w{12} over from podman/s,
      ['--from', 'podman'],
    ],
    [
      'DOCKER_AUTH_CONFIG',
      ['docker'],
      () => ({}),
      () => ({ DOCKER_AUTH_CONFIG: authsOf(registry.address) }),
      /--pull always; docker pulls it/,
      ['--pull', 'always'],
    ],
    [
      'a credential helper',
      ['docker'],
      () => ({
        '.docker/config.json': JSON.stringify({ credHelpers: { [registry.address]: 'lfq-test' } }),
        'bin/docker-credential-lfq-test': helper,
      }),
      () => ({}),
      /on no engine; docker pulls it/,
    ],
  ] as const)('credentials from %s, for %j', async (_, engines, files, env, message, more: readonly string[] = []) => {
    if (more.includes('always')) expect(await build(image)).not.toBe(digest); // other bytes under the name, here
    const { exitCode, text, run } = await qualified(['--engine', engines.join(), ...more], files(), env());
    expect(text).toMatch(message);
    const { targets } = run.report();
    expect(targets.map(({ engine, facts }) => [engine, facts.digest])).toEqual(engines.map((name) => [name, digest]));
    const judged = targets.flatMap(({ verdicts }) => verdicts.filter(({ clause }) => clause === 'SIG-1'));
    expect(judged.map(({ outcome }) => outcome)).toEqual(engines.map(() => 'pass'));
    expect(exitCode).toBe(0);
  });
});

describe('what the registry does not give ends with 64 and says why', () => {
  it.each([
    [
      'no credentials, docker',
      ['--engine', 'docker', '--plan'],
      undefined,
      /could not be pulled \(docker at .*no basic auth credentials; no credentials for its registry were found\); check the name/,
    ],
    [
      'no credentials, podman',
      ['--engine', 'podman', '--plan'],
      undefined,
      /could not be pulled \(podman at .*authentication required; no credentials for its registry were found\)/,
    ],
    [
      'a wrong password, docker',
      ['--engine', 'docker'],
      `${PASSWORD}-old`,
      /could not be pulled \(docker at .*authentication required; credentials were sent\); .*log in/,
    ],
    [
      'a wrong password, podman',
      ['--engine', 'podman', '--plan'],
      `${PASSWORD}-old`,
      /could not be pulled \(podman at .*authentication required; credentials were sent\)/,
    ],
    [
      'another platform',
      ['--engine', 'docker', '--platform', 'linux/riscv64', '--plan'],
      PASSWORD,
      /--platform "linux\/riscv64": image ".*" is linux\/\w+ on docker, linux\/riscv64 is expected; its registry has none/,
    ],
    ['never pulled', ['--pull', 'never', '--plan'], PASSWORD, /no engine has it, and --pull never forbids to pull it/],
  ] as const)('%s', async (_, args, password, message) => {
    const files = password === undefined ? {} : { '.docker/config.json': authsOf(registry.address, password) };
    const { exitCode, text } = await qualified(args, files as Readonly<Record<string, string>>);
    expect(text).toMatch(message);
    expect(text).not.toMatch(/\n {4}at /);
    expect(exitCode).toBe(64);
  });
});

describe('--platform', () => {
  it.each(['docker', 'podman'])('%s pulls the image of that platform, though it has the name', async (by) => {
    const name = `private/several-${by}`;
    const digests = new Map<string, string>();
    for (const architecture of ['s390x', 'ppc64le']) {
      const tag = `${registry.address}/${name}:${architecture}`;
      digests.set(architecture, await build(tag, architecture));
      await registry.push(tag, `${name}:${architecture}`);
      await docker.untagImage(tag);
    }
    await registry.join(name, [...digests.keys()]);
    const files = { '.docker/config.json': authsOf(registry.address) };
    const several = `${registry.address}/${name}:1`;
    const plan = async (...args: readonly string[]) =>
      await qualified(['--plan', '--engine', by, ...args], files, {}, several);
    const pulled = await plan('--platform', 'linux/s390x');
    expect(pulled.text).toContain(`digest ${digests.get('s390x')?.slice(7, 19)}`);
    const again = await plan('--platform', 'linux/ppc64le');
    expect(again.text).toContain(`${several}: here only as linux/s390x; ${by} pulls it`);
    expect(again.text).toContain(`digest ${digests.get('ppc64le')?.slice(7, 19)}`);
    expect([pulled.exitCode, again.exitCode]).toEqual([0, 0]);
    // what lost its tag to the second is still known by the digest of the list
    for (const name of [several, ...digests.values()])
      await Promise.all([docker.untagImage(name), podman.untagImage(name)]);
  });
});

describe('--from', () => {
  it('an engine that is not judged on gives its image to the one that is, which pulls nothing', async () => {
    const mine = await build(image);
    const { exitCode, text, run } = await qualified(['--engine', 'podman', '--from', 'docker', '--pull', 'never']);
    expect(text).toMatch(/podman does not have it; carrying \w{12} over from docker/);
    expect(run.report().targets.map(({ engine, facts }) => [engine, facts.digest])).toEqual([['podman', mine]]);
    expect(run.report().notJudged).toEqual([]);
    expect(exitCode).toBe(0);
    expect(await podman.inspectImage(mine)).toBeUndefined();
  });
});
