import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { UsageError } from '../model/errors.ts';
import { parseProfile, parseProfileLabel } from './load-profile.ts';

const folder = mkdtempSync(join(tmpdir(), 'lf-qualify-setup-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
mkdirSync(join(folder, 'sub'));
writeFileSync(join(folder, 'x.yml'), 'x');
writeFileSync(join(folder, 'sub', 'y.yml'), 'y');
writeFileSync(join(folder, 'a.env'), 'A=1\nB=file\nTOKEN=hush\n');
writeFileSync(join(folder, 'b.env'), 'B=later\n');
writeFileSync(join(folder, 'bad.env'), 'hush\n');
chmodSync(join(folder, 'x.yml'), 0o600);
const path = join(folder, 'p.yaml');
const parse = (text: string, environment: Record<string, string> = {}) =>
  parseProfile(`version: 1\n${text}`, path, { environment });

/** The message without the folder, which is `./` then. */
function messageOf(text: string): string {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof UsageError) return error.message.replaceAll(`${folder}/`, './');
    throw error;
  }
  return 'no error';
}

const x = { path: '/etc/x.yml', source: join(folder, 'x.yml') };

describe('what a container gets', () => {
  it.each([
    ['files: { /etc/x.yml: ./x.yml }', { files: [x] }],
    [`files: { /etc/x.yml: "\${WHERE}" }`, { files: [x] }],
    ['files: { /etc/x.yml: { source: x.yml, mode: "0644" } }', { files: [{ ...x, mode: 0o644 }] }],
    [
      'files: [{ path: /etc/x.yml, source: ./x.yml }, { path: /y, source: sub/y.yml, mode: "1777" }]',
      { files: [x, { path: '/y', source: join(folder, 'sub', 'y.yml'), mode: 0o1777 }] },
    ],
    ['volumes: [/data]', { volumes: [{ path: '/data' }] }],
    [
      'volumes: [{ path: /data }, { path: /tmp, tmpfs: 64MiB }, { path: /run, tmpfs: true }]',
      { volumes: [{ path: '/data' }, { path: '/tmp', tmpfs: { sizeBytes: 67_108_864 } }, { path: '/run', tmpfs: {} }] },
    ],
    ['memory: 256MiB', { memoryBytes: 268_435_456 }],
    ['memory: 64000000', { memoryBytes: 64_000_000 }],
    ['user: 1000:1000', { user: '1000:1000' }],
    [`user: "\${WHO:-app}"`, { user: 'app' }],
    ['network: { outbound: true }', { outbound: true }],
    ['network: { outbound: false }', { outbound: false }],
    ['network: {}', {}],
    ['endpoints: { websocket: [/ws] }', { endpoints: { webSocket: [{ path: '/ws' }] } }],
    ['envFile: a.env', { env: { A: '1', B: 'file', TOKEN: 'hush' } }],
    ['envFile: [a.env, ./b.env]\nenv: { A: 2 }', { env: { A: '2', B: 'later', TOKEN: 'hush' } }],
    ['envFile: a.env\nsecrets: [TOKEN]', { secrets: ['hush'], secretNames: ['TOKEN'] }],
  ])('%s', (text, expected) => {
    expect(parse(text, { WHERE: 'x.yml' })).toMatchObject(expected);
  });
});

const file = 'expected a file that can be read, found';
const absolute = 'expected an absolute path in the container, like /etc/app.yaml';
const bad: readonly (readonly [string, string])[] = [
  [
    'files: x.yml',
    'files: expected a mapping of /in/container: ./file, or a list of { path, source, mode }, found "x.yml"',
  ],
  ['files: { /etc/z.yml: ./z.yml }', `files./etc/z.yml: ${file} no such file: ./z.yml`],
  ['files:\n  /etc/z.yml: ./sub', `files./etc/z.yml: ${file} what is no file: ./sub`],
  [
    `files: [{ path: /z, source: "\${NOT_SET}" }]`,
    `files[0].source: expected the environment variable NOT_SET, found it unset; set it, or write \${NOT_SET:-default}`,
  ],
  ['files: { etc/x.yml: ./x.yml }', `files.etc/x.yml: ${absolute}, found "etc/x.yml"`],
  ['files: { /etc/../x.yml: ./x.yml }', `files./etc/../x.yml: ${absolute}, found "/etc/../x.yml"`],
  ['files: [{ path: /etc/, source: ./x.yml }]', `files[0].path: ${absolute}, found "/etc/"`],
  ['files: [{ path: /etc/x }]', 'files[0].source: expected text, found nothing'],
  [
    'files: [{ path: /x, source: x.yml, mode: 644 }]',
    'files[0].mode: expected permission bits as text in quotes, like "0644", found 644',
  ],
  [
    'files: { /x: { source: x.yml, mode: "0888" } }',
    'files./x.mode: expected permission bits as text in quotes, like "0644", found "0888"',
  ],
  [
    'files: [{ path: /x, sorce: x.yml, mode: "0644" }]',
    'files[0].sorce: unknown key (did you mean "source"?); expected one of path, source, mode',
  ],
  [
    'files: [{ path: /x, source: x.yml }, { path: /x, source: x.yml }]',
    'files[1].path: expected each path once, found /x again',
  ],
  [
    'volumes: [{ path: /tmp, tmpfs: true }]\nfiles: { /tmp/x: x.yml }',
    'files: expected no file under the tmpfs /tmp, which hides it, found /tmp/x',
  ],
  ['volumes: /data', 'volumes: expected a list of paths in the container, found "/data"'],
  ['volumes: [data]', `volumes[0]: ${absolute}, found "data"`],
  ['volumes: [5]', 'volumes[0]: expected a path like /data, or { path: /tmp, tmpfs: 64MiB }, found 5'],
  [
    'volumes: [{ path: /t, tmpfs: lots }]',
    'volumes[0].tmpfs: expected a size (whole bytes, or with a unit: 256MiB, 1GiB, 64MB), found "lots"',
  ],
  ['volumes: [{ path: /t, tmpfs: 0 }]', 'volumes[0].tmpfs: expected a size of at least one byte, found 0'],
  ['volumes: [/a, /a]', 'volumes[1]: expected each path once, found /a again'],
  ['memory: 256m', 'memory: expected a size (whole bytes, or with a unit: 256MiB, 1GiB, 64MB), found "256m"'],
  ['memory: 1MiB', 'memory: expected at least 6MiB, the least that an engine takes, found "1MiB"'],
  ['user: 1000', 'user: expected text, found 1000'],
  ['network: { out: true }', 'network.out: unknown key; expected one of outbound'],
  ['network: outbound', 'network: expected { outbound: true }, found "outbound"'],
  ['network: { outbound: yes }', 'network.outbound: expected true or false, found "yes"'],
  ['envFile: none.env', 'envFile: expected a file with NAME=value lines, found no such file: ./none.env'],
  [
    'envFile:\n  - a.env\n  - bad.env',
    'envFile[1]: expected NAME=value on each line, found something else on line 1: ./bad.env',
  ],
  ['ready: { health: false }', 'ready.health: expected true, found false'],
  ['endpoints: { websocket: [GET /ws] }', 'endpoints.websocket[0]: expected a path like /health, found "GET /ws"'],
  ['ready: { http: { path: up } }', 'ready.http.path: expected a path like /health, found "up"'],
];

describe('a mistake in it', () => {
  it.each(bad)('%j', (text, message) => {
    const last = `version: 1\n${text}`.split('\n').length;
    expect([`./p.yaml:2: ${message}`, `./p.yaml:${last}: ${message}`]).toContain(messageOf(text));
  });

  it('stands on the line where it is', () => {
    expect(messageOf('files:\n  /etc/x.yml: ./x.yml\n  /z: ./z')).toMatch(/^\.\/p\.yaml:4: files\.\/z: /);
    expect(messageOf('envFile:\n  - a.env\n  - none.env')).toMatch(/^\.\/p\.yaml:4: envFile\[1\]: /);
    expect(messageOf('port: 80\nvolumes:\n  - path: /t\n    tmpfs: x')).toMatch(
      /^\.\/p\.yaml:5: volumes\[0\]\.tmpfs: /,
    );
  });

  it('a secret of an env file is never shown', () => {
    expect(messageOf('envFile: bad.env')).not.toContain('hush');
  });
});

describe('the label of an image', () => {
  const label = (text: string) => parseProfileLabel(`version: 1\n${text}`, 'image x:1, label io.lf-qualify.profile');

  it('says the same of user, volumes, memory, terms and dependencies', () => {
    const text =
      'user: app\nvolumes: [/data]\nmemory: 64MiB\nterms: { stopBound: 2s }\ndependencies: { db: { image: postgres, ready: { tcp: 5432 } } }';
    expect(label(text)).toMatchObject({
      user: 'app',
      volumes: [{ path: '/data' }],
      memoryBytes: 67_108_864,
      terms: { stopBoundMs: 2000 },
      dependencies: [{ alias: 'db', ready: { kind: 'tcp', port: 5432, origin: 'image label' } }],
    });
  });

  const noFile =
    'expected no file, since a label cannot name any of this machine, found "./x"; put it into the image, or give a profile file with --profile';
  it.each([
    ['files: { /x: ./x }', `files./x: ${noFile}`],
    ['envFile: ./x', `envFile: ${noFile}`],
    [
      'dependencies: { db: { image: a, files: { /x: ./x }, ready: { tcp: 1 } } }',
      `dependencies.db.files./x: ${noFile}`,
    ],
    [
      'network: { outbound: true }',
      'network: cannot stand in an image label: what a run may reach is not for the image to say; use a profile file with --profile',
    ],
    [
      'images: [{ image: a }]',
      'images: cannot stand in an image label: the label belongs to the image that carries it; leave the key out',
    ],
  ])('cannot say what is not for an image to say: %s', (text, message) => {
    expect(() => label(text)).toThrow(
      new UsageError(
        `image x:1, label io.lf-qualify.profile:2: ${message}\nrun without the label with --no-label-profile`,
      ),
    );
  });
});
