import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { ImageFacts } from '../model/engine.ts';
import { UsageError } from '../model/errors.ts';
import { parseProfile } from '../profile/load-profile.ts';
import type { TargetFlags } from './resolve-target.ts';
import { resolveTarget } from './resolve-target.ts';

const folder = mkdtempSync(join(tmpdir(), 'lf-qualify-resolve-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, 'a.env'), 'A=file\nB=file\n');
writeFileSync(join(folder, 'x'), 'x');

interface Said {
  readonly profile?: string;
  readonly label?: string;
  readonly flags?: Partial<TargetFlags>;
  readonly facts?: Partial<ImageFacts>;
  readonly dependencyImages?: ReadonlyMap<string, string>;
}

function resolve({ profile, label, flags, facts, dependencyImages }: Said) {
  return resolveTarget({
    facts: {
      reference: 'shop:1',
      digest: 'sha256:1',
      entrypoint: [],
      command: [],
      user: '',
      stopSignal: { value: 'TERM', origin: 'engine default' },
      exposedPorts: [],
      hasHealthcheck: false,
      repoDigests: [],
      labels: label === undefined ? {} : { 'io.lf-qualify.profile': `version: 1\n${label}` },
      ...facts,
    },
    flags: { env: {}, require: [], ...flags },
    selection: { scenario: () => true, cell: () => true, clause: () => true },
    judgedOn: '2026-01-01',
    ...(dependencyImages === undefined ? {} : { dependencyImages }),
    ...(profile === undefined ? {} : { profile: parseProfile(`version: 1\n${profile}`, join(folder, 'p.yaml')) }),
  });
}

describe('what the container gets', () => {
  it('is nothing unless it is declared, and there is no way out', () => {
    const { target } = resolve({});
    expect(target).toMatchObject({ files: [], volumes: [], outbound: false, dependencies: [], env: {} });
    for (const key of ['user', 'memoryBytes', 'command']) expect(target).not.toHaveProperty(key);
    expect(target.endpoints).not.toHaveProperty('webSocket');
  });

  it('comes from the profile, else from the label, each key as a whole', () => {
    const label = 'user: label\nmemory: 64MiB\nvolumes: [/label]\nendpoints: { websocket: [/label] }';
    const profile = 'user: file\nvolumes: [/file]\nfiles: { /x: ./x }\nnetwork: { outbound: true }';
    expect(resolve({ label, profile }).target).toMatchObject({
      user: 'file',
      memoryBytes: 67_108_864,
      volumes: [{ path: '/file' }],
      files: [{ path: '/x', source: join(folder, 'x') }],
      outbound: true,
      endpoints: { webSocket: [{ path: '/label' }] },
    });
  });

  it('a flag goes before env, env before envFile, and those before the label', () => {
    const said = { label: 'env: { A: label, B: label, C: label, D: label }', profile: 'envFile: a.env' };
    expect(resolve(said).target.env).toEqual({ A: 'file', B: 'file', C: 'label', D: 'label' });
    const own = { ...said, profile: 'envFile: a.env\nenv: { B: env, C: env }', flags: { env: { C: 'flag' } } };
    expect(resolve(own).target.env).toEqual({ A: 'file', B: 'env', C: 'flag' });
  });

  it('what a flag sets under the name of a secret is secret too', () => {
    const said = {
      profile: 'secrets: [A, NEW_TOKEN, some text]\nenv: { A: the first }',
      flags: { env: { A: 'the second', NEW_TOKEN: 'the third' } },
    };
    expect(resolve(said).target.secrets).toEqual(['the first', 'some text', 'the second', 'the third']);
    expect(resolve({ ...said, flags: { env: { A: '' } } }).target.secrets).not.toContain('');
  });
});

describe('dependencies', () => {
  const profile = 'dependencies: { db: { image: "postgres:17", env: { P: x }, ready: { tcp: 5432 } } }';

  it('have the image that the engine has for them, else their reference', () => {
    const dependencyImages = new Map([['db', 'sha256:2']]);
    expect(resolve({ profile, dependencyImages }).target.dependencies).toMatchObject([
      { alias: 'db', reference: 'postgres:17', image: 'sha256:2', env: { P: 'x' } },
    ]);
    expect(resolve({ profile }).target.dependencies).toMatchObject([{ image: 'postgres:17' }]);
  });

  it('of a label are those of the run, unless the profile has its own', () => {
    const label = 'dependencies: { cache: { image: redis, ready: { tcp: 6379 } } }';
    expect(resolve({ label }).target.dependencies.map(({ alias }) => alias)).toEqual(['cache']);
    expect(resolve({ label, profile }).target.dependencies.map(({ alias }) => alias)).toEqual(['db']);
  });
});

describe('readiness by HEALTHCHECK', () => {
  it('is taken where it is declared and the image has one', () => {
    const facts = { hasHealthcheck: true, exposedPorts: [80] };
    expect(resolve({ profile: 'ready: { health: true }', facts }).target.ready).toEqual({
      kind: 'health',
      origin: 'profile',
    });
    expect(resolve({ flags: { ready: { kind: 'health', origin: '--ready' } }, facts }).target.ready.kind).toBe(
      'health',
    );
    const labels = { 'io.lf-qualify.ready': 'health' };
    expect(resolve({ facts: { ...facts, labels } }).target.ready).toEqual({ kind: 'health', origin: 'image label' });
  });

  it('is refused where the image has none', () => {
    expect(() => resolve({ profile: 'ready: { health: true }' })).toThrow(
      new UsageError(
        'ready: { health: true } (profile): image shop:1 has no HEALTHCHECK; give it one, or declare ready: { http: /path }, { tcp: 8080 } or { log: <regular expression> }',
      ),
    );
  });

  it.each([
    ['a port is asked first', { hasHealthcheck: true, exposedPorts: [80] }, 'tcp'],
    ['it goes before an assumption', { hasHealthcheck: true }, 'health'],
    ['without one it is assumed', {}, 'settled'],
  ])('by default: %s', (_, facts, kind) => {
    expect(resolve({ facts }).target.ready.kind).toBe(kind);
  });
});

describe('terms', () => {
  it('of a profile replace those of the preset and of the label, each with its origin', () => {
    const label = 'terms: { stopBound: 4s, floor: 1s, expiredStatus: 9 }';
    const profile = 'preset: light-fabric\nabout: { origins: { stopGoal: measured in May } }\nterms: { stopGoal: 700 }';
    const both = resolve({ label, profile }).basis;
    expect(both.terms).toMatchObject({ stopGoalMs: 700, stopBoundMs: 1000, floorMs: 250, expiredStatus: 1 });
    expect(both.origins).toMatchObject({ stopGoalMs: 'profile: measured in May', stopBoundMs: 'preset' });
    const alone = resolve({ label, profile: 'preset: light-fabric' }).basis;
    expect(alone.terms).toMatchObject({ stopBoundMs: 4000, floorMs: 1000, expiredStatus: 9 });
    expect(alone.origins).toMatchObject({ stopBoundMs: 'image label', floorMs: 'image label' });
  });

  it('a status that is not judged is none', () => {
    const { terms } = resolve({ profile: 'preset: light-fabric\nterms: { expiredStatus: any }' }).basis;
    expect(terms.expiredStatus).toBeNull();
  });

  it('waivers come with their last day', () => {
    const profile = 'waive: [{ clause: SIG-1, reason: r, expires: 2025-12-31 }]';
    expect(resolve({ profile }).basis.waivers).toEqual([{ clause: 'SIG-1', reason: 'r', expires: '2025-12-31' }]);
  });
});

describe('a broken profile in the label', () => {
  const broken = { label: 'grase: 2s' };

  it('says how to run without it', () => {
    expect(() => resolve(broken)).toThrow(/unknown key[\s\S]*\nrun without the label with --no-label-profile$/);
  });

  it('is not read with --no-label-profile, while other labels are', () => {
    const labels = { 'io.lf-qualify.profile': 'version: 9', 'io.lf-qualify.preset': 'openab-cp' };
    const { basis } = resolve({ facts: { labels }, flags: { labelProfile: false } });
    expect(basis.preset).toBe('openab-cp');
    expect(() => resolve({ facts: { labels } })).toThrow(/expected 1, the only version/);
  });
});

describe('a bundled profile', () => {
  const agent = { reference: 'networknt/light-agent:2' };

  it('says where each number comes from', () => {
    const { target, basis } = resolve({ facts: agent });
    const from = 'bundled profile light-agent: light-fabric sources, August 2026: ';
    expect(target.ready.origin).toBe(`${from}GET /health`);
    expect(basis.origins.graceMs).toBe(`${from}server.shutdownGracefulPeriod, default 2000 ms`);
    expect(basis.presetOrigin).toBe('bundled profile light-agent');
  });

  it('gives way to label and profile, key by key', () => {
    const { target, basis } = resolve({ facts: agent, profile: 'port: 8083', label: 'grace: 3s' });
    expect(target).toMatchObject({ httpPort: 8083, ready: { port: 8083, path: '/health' } });
    expect([basis.terms.graceMs, basis.origins.graceMs]).toEqual([3000, 'image label']);
  });

  it.each([
    [
      'a database that nobody declared',
      { facts: agent },
      [/^light-agent needs PostgreSQL, which is not declared; in a profile: dependencies: \{ postgres: /],
    ],
    ['not where one is', { facts: agent, profile: 'dependencies: { db: { image: x, ready: { tcp: 1 } } }' }, []],
    [
      'a log line',
      { facts: { reference: 'networknt/light-github-action-provider' } },
      [/needs the log line that says it is ready.*ready: \{ log: /],
    ],
    [
      'not where readiness is said',
      { facts: { reference: 'networknt/light-github-action-provider' }, profile: 'ready: { tcp: 1 }' },
      [],
    ],
    [
      'nor by a flag',
      {
        facts: { reference: 'networknt/light-github-action-provider' },
        flags: { ready: { kind: 'tcp', port: 1, origin: '--ready' } },
      },
      [],
    ],
    [
      'a stand-in of its own does not meet it',
      { facts: { reference: 'networknt/light-workflow' } },
      [/PostgreSQL/, /the log line/],
    ],
    [
      'why a service has no contract',
      { facts: { reference: 'networknt/light-agent-worker' } },
      [/not under the light-fabric contract/],
    ],
    ['nothing of a stranger', {}, []],
  ] satisfies [string, Said, RegExp[]][])('hints: %s', (_, said, expected) => {
    const { hints } = resolve(said);
    expect(hints).toEqual(expected.map((pattern) => expect.stringMatching(pattern)));
  });
});
