import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../model/errors.ts';
import { serviceCertificate, serviceKey } from '../wire/testing/certificate.ts';
import { loadProfile, parseProfile } from './load-profile.ts';

const clauses = ['SIG-1', 'SIG-2', 'IMG-3', 'OBS-1a'];
const parse = (text: string, environment: Record<string, string> = {}) =>
  parseProfile(text, 'p.yaml', { environment, clauses });

function messageOf(text: string): string {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return 'no error';
}

const keysOf = (text: string): readonly string[] => text.split('\n').flatMap((line) => /^(\w+):/.exec(line)?.[1] ?? []);

describe('a good profile', () => {
  it('may be nothing but its version', () => {
    expect(parse('version: 1')).toEqual({
      version: 1,
      path: resolve('p.yaml'),
      declared: ['version'],
      env: {},
      files: [],
      volumes: [],
      secrets: [],
      dependencies: [],
      endpoints: { slow: [], stream: [], sse: [], upload: [], control: [] },
      faults: {},
      patterns: {},
      terms: {},
      require: [],
      waivers: [],
    });
  });

  it('says everything that a profile can say', () => {
    const text = `
version: 1
image: example/\${NAME}:1
preset: light-fabric
engines: [docker, podman]
command: [serve, "--zone=\${ZONE:-local}"]
env: { TOKEN: "\${TOKEN}", PORT: 8080, RATIO: 1.10, ON: true, DOLLAR: $$ }
secrets: [TOKEN, other text, "\${TOKEN}", HOOK]
port: 8080
ready: { http: /health }
startTimeout: 1m
grace: 2s
graceEnv: SERVER_SHUTDOWNGRACEFULPERIOD
zeroGrace: refuse
outerTimeout: 20s
tolerance: 50
allowance: 1500ms
accept: [{ status: 143, reason: dies of the signal }]
tls: { port: 8443, ca: "\${CA}", serverName: service.test, http2: true }
endpoints:
  slow: [POST /orders, "GET /slow?ms={ms}"]
  stream: [GET /stream]
  sse: ["GET /events?ms={ms}"]
  upload: [PUT /files]
  control: [GET /admin/health]
registry: { urlEnv: PORTAL_URL, env: { REGISTRY_TOKEN: "\${TOKEN}", REGISTRY_TRIES: 1.0 } }
faults: { slowCleanUp: { HOOK_MS: 0x1f }, stuckCleanUp: { HOOK: stuck }, stuckThread: { THREAD: stuck } }
logs: { signalReceived: 'reason=(?<reason>\\w+)', outcome: 'outcome=(?<outcome>\\S+)', deadlineExceeded: exceeded, lastLine: bye }
require: [SIG, OBS-1a]
waive: [{ clause: IMG-3, reason: base image, expires: 2026-12-31 }]
`;
    expect(parse(text, { NAME: 'service', TOKEN: 's3cret', CA: serviceCertificate })).toEqual({
      version: 1,
      path: resolve('p.yaml'),
      declared: expect.toSatisfy(
        (keys: readonly string[]) => keys.toSorted().join() === keysOf(text).toSorted().join(),
      ),
      image: 'example/service:1',
      preset: 'light-fabric',
      engines: ['docker', 'podman'],
      command: ['serve', '--zone=local'],
      env: { TOKEN: 's3cret', PORT: '8080', RATIO: '1.10', ON: 'true', DOLLAR: '$' },
      files: [],
      volumes: [],
      secrets: ['s3cret', 'other text', 's3cret', 'stuck'],
      secretNames: ['TOKEN', 'HOOK'],
      dependencies: [],
      port: 8080,
      ready: { kind: 'http', port: 8080, path: '/health', origin: 'profile' },
      startTimeoutMs: 60_000,
      graceMs: 2000,
      graceEnv: { name: 'SERVER_SHUTDOWNGRACEFULPERIOD', unit: 'ms' },
      zeroGrace: 'refuse',
      outerTimeoutMs: 20_000,
      toleranceMs: 50,
      allowanceMs: 1500,
      acceptedStatuses: [{ status: 143, reason: 'dies of the signal' }],
      tls: { port: 8443, ca: serviceCertificate, serverName: 'service.test', http2: true },
      endpoints: {
        slow: [
          { method: 'POST', path: '/orders' },
          { method: 'GET', path: '/slow?ms={ms}' },
        ],
        stream: [{ method: 'GET', path: '/stream' }],
        sse: [{ method: 'GET', path: '/events?ms={ms}' }],
        upload: [{ method: 'PUT', path: '/files' }],
        control: [{ method: 'GET', path: '/admin/health' }],
      },
      registry: { urlEnv: 'PORTAL_URL', env: { REGISTRY_TOKEN: 's3cret', REGISTRY_TRIES: '1.0' } },
      faults: {
        'slow-clean-up': { HOOK_MS: '0x1f' },
        'stuck-clean-up': { HOOK: 'stuck' },
        'stuck-thread': { THREAD: 'stuck' },
      },
      patterns: {
        signalReceived: 'reason=(?<reason>\\w+)',
        outcome: 'outcome=(?<outcome>\\S+)',
        deadlineExceeded: 'exceeded',
        lastLine: 'bye',
      },
      terms: {},
      require: ['SIG', 'OBS-1a'],
      waivers: [{ clause: 'IMG-3', reason: 'base image', expires: '2026-12-31' }],
    });
  });

  it.each([
    ['{ http: { port: 81, path: /up } }', { kind: 'http', port: 81, path: '/up', origin: 'profile' }],
    [
      '{ http: { port: 443, path: /up, tls: true } }',
      { kind: 'http', port: 443, path: '/up', origin: 'profile', tls: true },
    ],
    ['{ tcp: 82 }', { kind: 'tcp', port: 82, origin: 'profile' }],
    ['{ health: true }', { kind: 'health', origin: 'profile' }],
    ['{ log: "up in \\\\d+" }', { kind: 'log', pattern: 'up in \\d+', origin: 'profile' }],
  ])('ready: %s', (ready, expected) => {
    expect(parse(`version: 1\nready: ${ready}`).ready).toEqual(expected);
  });

  const plain = { kind: 'http', path: '/up', port: 80, origin: 'profile' };
  const secure = { kind: 'http', path: '/up', port: 443, tls: true, origin: 'profile' };
  it.each([
    ['port 80 beside TLS is asked in the clear', 'port: 80\ntls: { port: 443 }\nready: { http: /up }', plain],
    ['where only TLS is declared it goes over that', 'tls: { port: 443 }\nready: { http: /up }', secure],
    ['over TLS when it says so', 'port: 80\ntls: { port: 443 }\nready: { http: { path: /up, tls: true } }', secure],
    [
      'at the TLS port it can be nothing else',
      'port: 80\ntls: { port: 443 }\nready: { http: { port: 443, path: /up } }',
      secure,
    ],
  ])('readiness: %s', (_, text, expected) => {
    expect(parse(`version: 1\n${text}`).ready).toEqual(expected);
  });

  it.each([
    ['NAME', { name: 'NAME', unit: 'ms' }],
    ['{ name: NAME, unit: ms }', { name: 'NAME', unit: 'ms' }],
    ['{ name: NAME, unit: s }', { name: 'NAME', unit: 's' }],
  ])('graceEnv: %s', (graceEnv, expected) => {
    expect(parse(`version: 1\ngraceEnv: ${graceEnv}`).graceEnv).toEqual(expected);
  });

  it('an empty secret masks nothing, an anchored env keeps its text', () => {
    const text = 'version: 1\nsecrets: [EMPTY]\nenv: &e { EMPTY: "", N: 0x1f }';
    expect(parse(text)).toMatchObject({ secrets: [], env: { EMPTY: '', N: '0x1f' } });
  });
});

const duration = 'expected a duration (whole milliseconds, or with a unit: 1500ms, 2s, 1m)';
const bad: readonly (readonly [string, string])[] = [
  ['', 'p.yaml:1: expected a mapping that begins with version: 1, found an empty value'],
  ['[]', 'p.yaml:1: expected a mapping that begins with version: 1, found a list'],
  ['port: 80', 'p.yaml:1: version: expected 1, the only version of this format, found nothing'],
  ['version: 2', 'p.yaml:1: version: expected 1, the only version of this format, found 2'],
  ['version: 1\nimage: ""', 'p.yaml:2: image: expected text that is not empty, found ""'],
  ['version: 1\nimage: 5', 'p.yaml:2: image: expected text, found 5'],
  ['version: 1\npreset: x', 'p.yaml:2: preset: expected one of light-fabric, openab-cp, baseline, found "x"'],
  ['version: 1\nengines: docker', 'p.yaml:2: engines: expected a list of engines, found "docker"'],
  ['version: 1\nengines: []', 'p.yaml:2: engines: expected at least one engine, found []'],
  ['version: 1\nengines:\n  - docker\n  - rkt', 'p.yaml:4: engines[1]: expected docker or podman, found "rkt"'],
  ['version: 1\ncommand: run', 'p.yaml:2: command: expected a list of words, found "run"'],
  ['version: 1\nenv: [A=b]', 'p.yaml:2: env: expected a mapping of NAME: value, found a list'],
  ['version: 1\nenv:\n  A:', 'p.yaml:3: env.A: expected text, found an empty value'],
  ['version: 1\nenv: { A: [hush] }', 'p.yaml:2: env.A: expected text, found a list'],
  [
    'version: 1\nsecrets: hush',
    'p.yaml:2: secrets: expected a list of names of env keys or texts, found a string (not shown)',
  ],
  ['version: 1\nport: 0', 'p.yaml:2: port: expected a port from 1 to 65535, found 0'],
  ['version: 1\nport: "80"', 'p.yaml:2: port: expected a port number, found "80"'],
  [
    'version: 1\nready: /health',
    'p.yaml:2: ready: expected one of http, tcp, greeting, log or health, found "/health"',
  ],
  ['version: 1\nready: {}', 'p.yaml:2: ready: expected exactly one of http, tcp, greeting, log or health, found {}'],
  [
    'version: 1\nready: { tcp: 80, log: x }',
    'p.yaml:2: ready: expected exactly one of http, tcp, greeting, log or health, found {"tcp":80,"log":"x"}',
  ],
  ['version: 1\nready: { http: health }', 'p.yaml:2: ready.http: expected a path like /health, found "health"'],
  [
    'version: 1\nready: { http: 80 }',
    'p.yaml:2: ready.http: expected a path like /health, or { port: 8080, path: /health }, found 80',
  ],
  [
    'version: 1\nready: { http: { path: /x, prt: 1 } }',
    'p.yaml:2: ready.http.prt: unknown key (did you mean "port"?); expected one of port, path, tls',
  ],
  [
    'version: 1\nready: { http: /health }',
    'p.yaml:2: ready.http: expected a port to ask, found none; add port: 8080, or write ready: { http: { port: 8080, path: /health } }',
  ],
  [
    'version: 1\nready: { log: "(" }',
    'p.yaml:2: ready.log: expected a regular expression (unterminated group), found "("',
  ],
  [
    'version: 1\nready: { htp: /x }',
    'p.yaml:2: ready.htp: unknown key (did you mean "http"?); expected one of http, tcp, greeting, log, health',
  ],
  ['version: 1\nstartTimeout: 0', 'p.yaml:2: startTimeout: expected a duration longer than 0, found 0'],
  ['version: 1\ngrace: soon', `p.yaml:2: grace: ${duration}, found "soon"`],
  ['version: 1\ngrace: -1', `p.yaml:2: grace: ${duration}, found -1`],
  ['version: 1\ngrace: [1]', `p.yaml:2: grace: ${duration}, found [1]`],
  ['version: 1\ngraceEnv: a b', 'p.yaml:2: graceEnv: expected the name of an environment variable, found "a b"'],
  ['version: 1\nouterTimeout: 0s', 'p.yaml:2: outerTimeout: expected a duration longer than 0, found "0s"'],
  [
    'version: 1\naccept:\n  - status: 137\n    reason: oom',
    'p.yaml:3: accept[0].status: expected a status other than 137, which says killed by SIGKILL and is never a good end, found 137',
  ],
  [
    'version: 1\naccept: [{ status: 300, reason: x }]',
    'p.yaml:2: accept[0].status: expected an exit status from 0 to 255, found 300',
  ],
  ['version: 1\naccept: [{ status: 143 }]', 'p.yaml:2: accept[0].reason: expected text, found nothing'],
  ['version: 1\naccept: [143]', 'p.yaml:2: accept[0]: expected { status, reason }, found 143'],
  [
    'version: 1\nendpoints: { slow: [/x] }',
    'p.yaml:2: endpoints.slow[0]: expected METHOD /path, like POST /orders or GET /slow?ms={ms}, found "/x"',
  ],
  [
    'version: 1\nendpoints: { sse: ["GET /x?s={seconds}"] }',
    'p.yaml:2: endpoints.sse[0]: expected METHOD /path, like POST /orders or GET /slow?ms={ms}, found "GET /x?s={seconds}"',
  ],
  [
    'version: 1\nendpoints: { control: ["GET /x?ms={ms}"] }',
    'p.yaml:2: endpoints.control[0]: expected METHOD /path, like POST /orders, without a placeholder, found "GET /x?ms={ms}"',
  ],
  [
    'version: 1\nendpoints: { slo: [GET /x] }',
    'p.yaml:2: endpoints.slo: unknown key (did you mean "slow"?); expected one of slow, stream, sse, upload, control, liveness, websocket',
  ],
  ['version: 1\ngraceEnv: { name: A, unit: min }', 'p.yaml:2: graceEnv.unit: expected ms or s, found "min"'],
  [
    'version: 1\ngraceEnv: { name: A, units: s }',
    'p.yaml:2: graceEnv.units: unknown key (did you mean "unit"?); expected one of name, unit',
  ],
  ['version: 1\nzeroGrace: allow', 'p.yaml:2: zeroGrace: expected warn or refuse, found "allow"'],
  ['version: 1\ntls: { ca: x }', 'p.yaml:2: tls.port: expected a port number, found nothing'],
  ['version: 1\ntls: { port: 443, http2: 2 }', 'p.yaml:2: tls.http2: expected true or false, found 2'],
  [
    'version: 1\ntls: { port: 443, ca: "-----BEGIN CERTIFICATE-----" }',
    'p.yaml:2: tls.ca: expected PEM certificates that can be read, found a text without any',
  ],
  [
    'version: 1\ntls:\n  port: 443\n  ca: "-----BEGIN CERTIFICATE-----\\nAAAA\\n-----END CERTIFICATE-----"',
    'p.yaml:4: tls.ca: expected PEM certificates that can be read, found a text without any',
  ],
  [
    'version: 1\ntls:\n  port: 443\n  ca: missing.pem',
    `p.yaml:4: tls.ca: expected a PEM text or the path of a PEM file, found no such file: ${resolve('missing.pem')}`,
  ],
  [
    'version: 1\nready: { http: { path: /up, tls: true } }',
    'p.yaml:2: ready.http: expected a TLS port to ask, found none; add tls: { port: 8443 }',
  ],
  [
    'version: 1\nregistry: { env: { A: b } }',
    'p.yaml:2: registry.urlEnv: expected the name of an environment variable, found nothing',
  ],
  ['version: 1\nregistry: { urlEnv: A, env: { A: [hush] } }', 'p.yaml:2: registry.env.A: expected text, found a list'],
  [
    'version: 1\nfaults: { stuckThread: {} }',
    'p.yaml:2: faults.stuckThread: expected at least one NAME: value, found a mapping',
  ],
  [
    'version: 1\nfaults: { stuckThreads: { A: b } }',
    'p.yaml:2: faults.stuckThreads: unknown key (did you mean "stuckThread"?); expected one of slowCleanUp, stuckCleanUp, stuckThread, stuckStartUp, badConfiguration',
  ],
  [
    'version: 1\nfaults: { slowCleanUp: hush }',
    'p.yaml:2: faults.slowCleanUp: expected a mapping of NAME: value, found a string (not shown)',
  ],
  [
    'version: 1\nlogs: { signalReceived: got it }',
    'p.yaml:2: logs.signalReceived: expected a regular expression with the named group (?<reason>…), found "got it"',
  ],
  [
    'version: 1\nlogs:\n  lastline: bye',
    'p.yaml:3: logs.lastline: unknown key (did you mean "lastLine"?); expected one of signalReceived, outcome, deadlineExceeded, lastLine, secondSignal, startUpExpired, recovery',
  ],
  [
    'version: 1\nrequire: [sig-1]',
    'p.yaml:2: require[0]: expected a clause id like SIG-1 or a family like SIG, found "sig-1"',
  ],
  [
    'version: 1\nrequire: [SIG-7]',
    'p.yaml:2: require[0]: expected a clause of the contract, found "SIG-7" (did you mean "SIG-1"?)',
  ],
  [
    'version: 1\nwaive:\n  - { clause: XXX-9, reason: r, expires: 2026-01-01 }',
    'p.yaml:3: waive[0].clause: expected a clause of the contract, found "XXX-9"',
  ],
  [
    'version: 1\nwaive:\n  - { clause: SIG-1, reason: r, expires: 2026-02-30 }',
    'p.yaml:3: waive[0].expires: expected a date like 2026-12-31, found "2026-02-30"',
  ],
  [
    'version: 1\nwaive: [{ clause: SIG-1, reason: r }]',
    'p.yaml:2: waive[0].expires: expected a date like 2026-12-31, found nothing',
  ],
  [
    `version: 1\nimage: x:\${TAG}`,
    `p.yaml:2: image: expected the environment variable TAG, found it unset; set it, or write \${TAG:-default}`,
  ],
  ['version: 1\nport: 80\nport: 81', 'p.yaml:3: key "port" stands twice; leave one of them out'],
  ['version: 1\nenv: { A: one, "B": two,\n  "B": three }', 'p.yaml:3: key "B" stands twice; leave one of them out'],
  [
    'version: 1\nport: [',
    'p.yaml:2: not valid YAML: flow sequence in block collection must be sufficiently indented and end with a ]',
  ],
];

describe('a bad profile', () => {
  it.each(bad)('%j', (text, message) => {
    expect(messageOf(text)).toBe(message);
  });

  it('is told all its mistakes at once, each with the nearest known key', () => {
    const known =
      'version, image, images, engines, preset, grace, zeroGrace, outerTimeout, tolerance, allowance, terms, accept, ' +
      'require, stopSignal, waive, command, env, envFile, user, files, volumes, memory, secrets, port, tcp, server, tls, ready, startTimeout, ' +
      'graceEnv, endpoints, registry, bootstrap, faults, logs, network, dependencies, about';
    expect(messageOf('version: 1\ngrase: 2s\nport: 0\ncolour: red').split('\n')).toEqual([
      'p.yaml:3: port: expected a port from 1 to 65535, found 0',
      `p.yaml:2: grase: unknown key (did you mean "grace"?); expected one of ${known}`,
      `p.yaml:4: colour: unknown key; expected one of ${known}`,
    ]);
  });

  it.each([
    'env: { A: { hush: 1 } }\nsecrets: [hush, { hush: 1 }]',
    'registry: [{ env: { A: hush } }]',
    'registry: { urlEnv: A, env: hush }',
    'faults: [hush]',
    'faults: { stuckThread: { A: [hush] } }',
  ])('never prints a value of env or secrets: %s', (text) => {
    expect(messageOf(`version: 1\n${text}`)).toMatch(/^p\.yaml:2: /);
    expect(messageOf(`version: 1\n${text}`)).not.toContain('hush');
    expect(messageOf(`- ${text.split('\n')[0]}`)).not.toContain('hush');
  });
});

describe('loadProfile', () => {
  it('reads a file and the CA beside it, and names one that is not there', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lf-qualify-profile-'));
    try {
      const path = join(folder, 'lf-qualify.yaml');
      await writeFile(path, `version: 1\nimage: \${IMAGE}\n`);
      expect((await loadProfile(path, { environment: { IMAGE: 'x' } })).entries).toMatchObject([{ path, image: 'x' }]);
      await writeFile(join(folder, 'ca.pem'), `${serviceKey}\n${serviceCertificate}`);
      await writeFile(join(folder, 'key.pem'), serviceKey);
      await writeFile(path, 'version: 1\ntls: { port: 443, ca: ca.pem }');
      expect((await loadProfile(path)).defaults().tls?.ca).toBe(serviceCertificate);
      await writeFile(path, 'version: 1\ntls: { port: 443, ca: key.pem }');
      await expect(loadProfile(path)).rejects.toThrow(
        new UsageError(`${path}:2: tls.ca: expected PEM certificates that can be read, found "key.pem" without any`),
      );
      const missing = join(folder, 'missing.yaml');
      await expect(loadProfile(missing)).rejects.toThrow(
        new UsageError(`profile ${missing}: no such file; name an existing file with --profile`),
      );
      await expect(loadProfile(folder)).rejects.toThrow(UsageError);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
