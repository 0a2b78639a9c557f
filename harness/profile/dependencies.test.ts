import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseProfile } from './load-profile.ts';

const folder = mkdtempSync(join(tmpdir(), 'lf-qualify-dependencies-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, 'init.sql'), 'select 1');
const path = join(folder, 'p.yaml');
const parse = (text: string) =>
  parseProfile(`version: 1\n${text}`, path, { environment: { PASSWORD: 's3cret', TAG: '17' } });

describe('dependencies', () => {
  it('are declared with all that a container gets, in their order', () => {
    const text = `
env: { URL: "postgres://app:\${PASSWORD}@db/app" }
secrets: [POSTGRES_PASSWORD]
dependencies:
  queue: { image: redis, ready: { log: Ready }, startTimeout: 5s }
  db:
    image: postgres:\${TAG}
    command: [postgres, -c, "max_connections=20"]
    env: { POSTGRES_PASSWORD: "\${PASSWORD}", PGPORT: 0005432 }
    user: postgres
    files: { /docker-entrypoint-initdb.d/init.sql: ./init.sql }
    volumes: [{ path: /var/lib/postgresql/data, tmpfs: 256MiB }]
    memory: 512MiB
    ready: { health: true }
    reset: [psql, -c, "truncate orders"]
  web.internal: { image: web, ready: { http: { port: 81, path: /up, tls: true } } }
`;
    const profile = parse(text);
    expect(profile.dependencies).toEqual([
      {
        alias: 'queue',
        reference: 'redis',
        env: {},
        files: [],
        volumes: [],
        ready: { kind: 'log', pattern: 'Ready', origin: 'profile' },
        startTimeoutMs: 5000,
      },
      {
        alias: 'db',
        reference: 'postgres:17',
        command: ['postgres', '-c', 'max_connections=20'],
        env: { POSTGRES_PASSWORD: 's3cret', PGPORT: '0005432' },
        user: 'postgres',
        files: [{ path: '/docker-entrypoint-initdb.d/init.sql', source: join(folder, 'init.sql') }],
        volumes: [{ path: '/var/lib/postgresql/data', tmpfs: { sizeBytes: 268_435_456 } }],
        memoryBytes: 536_870_912,
        ready: { kind: 'health', origin: 'profile' },
        startTimeoutMs: 30_000,
        reset: ['psql', '-c', 'truncate orders'],
      },
      {
        alias: 'web.internal',
        reference: 'web',
        env: {},
        files: [],
        volumes: [],
        ready: { kind: 'http', port: 81, path: '/up', tls: true, origin: 'profile' },
        startTimeoutMs: 30_000,
      },
    ]);
    expect(profile.secrets).toEqual(['s3cret']);
  });

  const alias = 'expected a host name of small letters, digits, "-" and ".", like db';
  const in1 = (rest: string) => `dependencies: { db: { image: x, ready: { tcp: 1 }, ${rest} } }`;
  it.each([
    ['dependencies: [db]', 'dependencies: expected a mapping of host name: { image, ready }, found a list'],
    [
      'dependencies: { db: postgres }',
      'dependencies.db: expected { image, ready } and what else it needs, found a string (not shown)',
    ],
    ['dependencies: { Db: { image: x, ready: { tcp: 1 } } }', `dependencies.Db: ${alias}, found "Db"`],
    ['dependencies: { my_db: { image: x, ready: { tcp: 1 } } }', `dependencies.my_db: ${alias}, found "my_db"`],
    [
      'dependencies: { localhost: { image: x, ready: { tcp: 1 } } }',
      `dependencies.localhost: ${alias}, found "localhost"`,
    ],
    ['dependencies: { 1: { image: x, ready: { tcp: 1 } } }', `dependencies.1: ${alias}, found "1"`],
    [
      `dependencies: { ${'a'.repeat(64)}: { image: x, ready: { tcp: 1 } } }`,
      `dependencies.${'a'.repeat(64)}: ${alias}, found "${'a'.repeat(64)}"`,
    ],
    [
      'dependencies:\n  db: { image: x, ready: { tcp: 1 } }\n  db: { image: y, ready: { tcp: 1 } }',
      'key "db" stands twice; leave one of them out',
    ],
    ['dependencies: { db: { ready: { tcp: 1 } } }', 'dependencies.db.image: expected text, found nothing'],
    [
      'dependencies: { db: { image: x } }',
      'dependencies.db.ready: expected one of http, tcp, greeting, log or health, found nothing',
    ],
    [
      'dependencies: { db: { image: x, ready: { http: /up } } }',
      'dependencies.db.ready.http: expected a port to ask, found none; write ready: { http: { port: 8080, path: /health } }',
    ],
    [in1('env: { A: [hush] }'), 'dependencies.db.env.A: expected text, found a list'],
    [
      in1(`env: { A: "\${NONE}" }`),
      `dependencies.db.env.A: expected the environment variable NONE, found it unset; set it, or write \${NONE:-default}`,
    ],
    [
      in1('files: { /x: none.sql }'),
      `dependencies.db.files./x: expected a file that can be read, found no such file: ${join(folder, 'none.sql')}`,
    ],
    [in1('startTimeout: 0'), 'dependencies.db.startTimeout: expected a duration longer than 0, found 0'],
    [in1('reset: []'), 'dependencies.db.reset: expected at least one word, found []'],
    [in1('reset: psql'), 'dependencies.db.reset: expected a list of words, found "psql"'],
    [
      in1('port: 80'),
      'dependencies.db.port: unknown key (it belongs to the top level); expected one of image, command, env, envFile, user, files, volumes, memory, ready, startTimeout, reset',
    ],
  ])('a mistake: %j', (text, message) => {
    const last = `version: 1\n${text}`.split('\n').length;
    expect(() => parse(text)).toThrow(expect.objectContaining({ message: `${path}:${last}: ${message}` }));
  });
});
