import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { EngineName } from '../model/engine.ts';
import { findCredentials } from './registry-credentials.ts';

const CANARY = 'canary-hunter2';
const root = mkdtempSync(join(tmpdir(), 'lf-qualify-credentials-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const auth = (user: string, password = CANARY): { auth: string } => ({
  auth: Buffer.from(`${user}:${password}`).toString('base64'),
});

/** A home of its own with these files; `env` may name `HOME` in its values. */
async function find(
  engine: EngineName,
  reference: string,
  files: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string>> = {},
) {
  const home = mkdtempSync(join(root, 'home-'));
  for (const [name, content] of Object.entries(files)) {
    const path = join(home, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    if (name.startsWith('bin/')) chmodSync(path, 0o755);
  }
  const said: string[] = [];
  const here = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value.replaceAll('HOME', home)]));
  const all = { PATH: `${home}/bin:/usr/bin:/bin`, XDG_RUNTIME_DIR: join(home, 'run'), HOME: home, ...here };
  const found = await findCredentials(engine, reference, { env: all, say: (line) => said.push(line) });
  expect(said.join('\n')).not.toContain(CANARY);
  return { user: found?.username, found, said: said.join('\n').replaceAll(home, '~') };
}

const shop = 'registry.example/team/shop:1';
const of = (user: string, key = 'registry.example') => ({ auths: { [key]: auth(user) } });

/** A credential helper that answers with the key it was asked for as the name. */
const helper = `#!/bin/sh
read -r key || true
[ "$1" = get ] && printf '{"ServerURL":"%s","Username":"helped %s","Secret":"${CANARY}"}' "$key" "$key"
`;

describe("Docker's credentials", () => {
  it.each([
    ['nothing at all', {}, {}, undefined],
    ['the file of the home', { '.docker/config.json': of('home') }, {}, 'home'],
    [
      'the folder that DOCKER_CONFIG names',
      { '.docker/config.json': of('home'), 'other/config.json': of('other') },
      { DOCKER_CONFIG: 'HOME/other' },
      'other',
    ],
    [
      'DOCKER_AUTH_CONFIG before the file',
      { '.docker/config.json': of('home') },
      { DOCKER_AUTH_CONFIG: JSON.stringify(of('variable')) },
      'variable',
    ],
    [
      'the file for what DOCKER_AUTH_CONFIG does not have',
      { '.docker/config.json': of('home') },
      { DOCKER_AUTH_CONFIG: JSON.stringify(of('variable', 'elsewhere.example')) },
      'home',
    ],
    ['a key with a scheme', { '.docker/config.json': of('home', 'https://registry.example') }, {}, 'home'],
    ['a key with an old path', { '.docker/config.json': of('home', 'https://registry.example/v1/') }, {}, 'home'],
    ['a key of another port', { '.docker/config.json': of('home', 'registry.example:5000') }, {}, undefined],
    ['a longer name of another host', { '.docker/config.json': of('home', 'my.registry.example') }, {}, undefined],
    [
      'a name and a password in the clear',
      { '.docker/config.json': { auths: { 'registry.example': { username: 'clear', password: CANARY } } } },
      {},
      'clear',
    ],
    [
      'a helper for the registry',
      {
        '.docker/config.json': { ...of('home'), credHelpers: { 'registry.example': 'fake' } },
        'bin/docker-credential-fake': helper,
      },
      {},
      'helped registry.example',
    ],
    [
      'a store for all',
      { '.docker/config.json': { credsStore: 'fake' }, 'bin/docker-credential-fake': helper },
      {},
      'helped registry.example',
    ],
    [
      'a helper before the store',
      {
        '.docker/config.json': { credsStore: 'none', credHelpers: { 'registry.example': 'fake' } },
        'bin/docker-credential-fake': helper,
      },
      {},
      'helped registry.example',
    ],
  ] as const)('%s', async (_, files, env, expected) => {
    const { user, found } = await find('docker', shop, files, env);
    expect(user).toBe(expected);
    if (expected !== undefined) expect(found).toMatchObject({ serveraddress: 'registry.example', password: CANARY });
  });

  it('of Docker Hub are kept under its old address', async () => {
    const key = 'https://index.docker.io/v1/';
    const { user, found } = await find('docker', 'team/shop', { '.docker/config.json': of('hub', key) });
    expect([user, found?.serveraddress]).toEqual(['hub', key]);
    const stored = { '.docker/config.json': { credsStore: 'fake' }, 'bin/docker-credential-fake': helper };
    expect((await find('docker', 'shop', stored)).user).toBe(`helped ${key}`);
  });

  it('may be a token', async () => {
    const kept = { auths: { 'registry.example': { ...auth('<token>', ''), identitytoken: CANARY } } };
    const token = { serveraddress: 'registry.example', identitytoken: CANARY };
    expect((await find('docker', shop, { '.docker/config.json': kept })).found).toEqual(token);
    const given = `#!/bin/sh\necho '{"Username":"<token>","Secret":"${CANARY}"}'\n`;
    const files = { '.docker/config.json': { credsStore: 'fake' }, 'bin/docker-credential-fake': given };
    expect((await find('docker', shop, files)).found).toEqual(token);
  });

  it('a password may hold colons', async () => {
    const files = { '.docker/config.json': { auths: { 'registry.example': auth('u', 'a:b:c') } } };
    expect((await find('docker', shop, files)).found?.password).toBe('a:b:c');
  });
});

describe("Podman's credentials", () => {
  it.each([
    [
      'its file of the session',
      { 'run/containers/auth.json': of('session'), '.docker/config.json': of('d') },
      {},
      'session',
    ],
    ['its own file', { '.config/containers/auth.json': of('own'), '.docker/config.json': of('d') }, {}, 'own'],
    [
      "Docker's file last",
      { 'run/containers/auth.json': of('x', 'elsewhere'), '.docker/config.json': of('d') },
      {},
      'd',
    ],
    [
      'the file that REGISTRY_AUTH_FILE names, instead of its own',
      { 'run/containers/auth.json': of('session'), 'named.json': of('named') },
      { REGISTRY_AUTH_FILE: 'HOME/named.json' },
      'named',
    ],
    [
      'the longest namespace',
      {
        'run/containers/auth.json': {
          auths: {
            'registry.example': auth('whole'),
            'registry.example/team': auth('team'),
            'registry.example/team/other': auth('other'),
          },
        },
      },
      {},
      'team',
    ],
  ] as const)('%s', async (_, files, env, expected) => {
    expect((await find('podman', shop, files, env)).user).toBe(expected);
  });

  it('a namespace means nothing to Docker', async () => {
    const files = { '.docker/config.json': of('team', 'registry.example/team') };
    expect((await find('docker', shop, files)).user).toBeUndefined();
  });
});

describe('what cannot be used is said by its name, never by its content, and the pull is anonymous', () => {
  it.each([
    [
      'a file that is not JSON',
      { '.docker/config.json': `{"auths": ${CANARY}` },
      /^~\/\.docker\/config\.json: it is not JSON: no/,
    ],
    [
      'a file of another form',
      { '.docker/config.json': { auths: { 'registry.example': CANARY } } },
      /config\.json: auths\.registry\.example is not/,
    ],
    [
      'an entry without a password',
      { '.docker/config.json': { auths: { 'registry.example': { auth: CANARY } } } },
      /entry of registry\.example under auths holds no name with a password/,
    ],
    [
      'a helper that is not there',
      { '.docker/config.json': { credsStore: 'absent' } },
      /^docker-credential-absent gives no credentials for registry\.example: there is no such command on the PATH$/,
    ],
    [
      'a helper that fails',
      {
        '.docker/config.json': { credsStore: 'bad' },
        'bin/docker-credential-bad': `#!/bin/sh\necho ${CANARY}; echo ${CANARY} >&2; exit 3\n`,
      },
      /^docker-credential-bad gives no credentials for registry\.example: exit 3$/,
    ],
    [
      'a helper that says something else',
      { '.docker/config.json': { credsStore: 'odd' }, 'bin/docker-credential-odd': `#!/bin/sh\necho ${CANARY}\n` },
      /docker-credential-odd .*: its answer is not what a credential helper says$/,
    ],
    [
      'a helper that is a path',
      { '.docker/config.json': { credsStore: '../../tmp/x' } },
      /"\.\.\/\.\.\/tmp\/x" is not a name/,
    ],
  ] as const)('%s', async (_, files, message) => {
    const { found, said } = await find('docker', shop, files);
    expect(found).toBeUndefined();
    expect(said).toMatch(message);
  });

  it('a file named by REGISTRY_AUTH_FILE that is not there', async () => {
    const { said } = await find('podman', shop, {}, { REGISTRY_AUTH_FILE: 'HOME/none.json' });
    expect(said).toBe('REGISTRY_AUTH_FILE: there is no file ~/none.json');
  });

  it('the empty entry beside a store is no fault', async () => {
    const files = {
      '.docker/config.json': { auths: { 'registry.example': {} }, credsStore: 'none' },
      'bin/docker-credential-none': '#!/bin/sh\necho credentials not found in native keychain; exit 1\n',
    };
    expect((await find('docker', shop, files)).said).toMatch(/^docker-credential-none [^\n]*: exit 1$/);
  });
});
