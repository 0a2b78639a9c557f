import { describe, expect, it } from 'vitest';
import { processFact } from '../judge/testing/history-builder.ts';
import type { Discovery, FoundPort } from '../model/discovery.ts';
import type { ImageFacts } from '../model/engine.ts';
import { assumptionsOf, profileOfAssumptions } from './from-discovery.ts';
import { emptyProfile } from './overruled.ts';

const facts: ImageFacts = {
  reference: 'orders:1',
  digest: 'sha256:0',
  entrypoint: [],
  command: [],
  user: '',
  stopSignal: { value: 'SIGTERM', origin: 'engine default' },
  exposedPorts: [],
  labels: {},
  hasHealthcheck: false,
  repoDigests: [],
};
const looked = (more: Partial<Discovery>): Discovery => ({
  engine: 'docker',
  tookMs: 900,
  processes: [processFact(1, 0, ['/server'])],
  ports: [],
  gaps: [],
  ...more,
});
const port = (number: number, more: Partial<FoundPort> = {}): FoundPort => ({
  port: number,
  exposed: false,
  listening: 'reachable',
  speaks: 'http',
  told: 'answered GET / with 200',
  answers: { '/': 200 },
  ...more,
});
const bare = (number: number, more: Partial<FoundPort> = {}): FoundPort => {
  const { answers: _, ...rest } = port(number, { speaks: 'tcp', told: 'took a connection and answered nothing' });
  return { ...rest, ...more };
};
const said = (ports: readonly FoundPort[], more: Partial<ImageFacts> = {}) =>
  Object.fromEntries(assumptionsOf(looked({ ports }), { ...facts, ...more }).map(({ key, value }) => [key, value]));
const whyOf = (ports: readonly FoundPort[], key: string) =>
  assumptionsOf(looked({ ports }), facts).find((one) => one.key === key)?.why;

describe('what is assumed of the ports', () => {
  it.each<readonly [string, readonly FoundPort[], object]>([
    ['HTTP', [port(8080)], { port: 8080, ready: { http: '/' } }],
    [
      'TLS alone',
      [port(8443, { speaks: 'https', http2: true })],
      { tls: { port: 8443, http2: true }, ready: { http: '/' } },
    ],
    [
      'HTTP and TLS',
      [port(8080), port(8443, { speaks: 'https' })],
      { port: 8080, tls: { port: 8443 }, ready: { http: '/' } },
    ],
    ['bare TCP', [bare(5432)], { tcp: [5432], ready: { tcp: 5432 } }],
    [
      'bare TCP that speaks first',
      [{ ...bare(3306), greets: true, told: 'sent "5.5" first' }],
      { tcp: [3306], ready: { greeting: 3306 } },
    ],
    ['HTTP, and bare TCP beside it', [port(8080), bare(25)], { port: 8080, tcp: [25], ready: { http: '/' } }],
    [
      'what needs no protocol is tried on what is not understood',
      [bare(1, { speaks: 'tls' }), bare(2, { speaks: 'h2c' })],
      { tcp: [1, 2], ready: { tcp: 1 } },
    ],
    ['only the preferred one of several', [port(80), port(9090)], { port: 80, ready: { http: '/' } }],
    ['none that only the image itself reaches', [port(8080, { listening: 'loopback' })], {}],
    ['none that is exposed and nowhere', [bare(80, { exposed: true, listening: 'not' })], {}],
    ['none that refused', [{ port: 80, exposed: true, listening: 'reachable', told: 'refuses connections' }], {}],
  ])('%s', (_, ports, expected) => {
    expect(said(ports)).toEqual(expected);
  });

  it.each([
    ['the only port that answers HTTP', [port(80)]],
    ['the lowest port that answers HTTP, of 80, 90', [port(80), port(90)]],
    ['the exposed port that answers HTTP, of 90, 80', [port(90, { exposed: true }), port(80)]],
    [
      'the lowest exposed port that answers HTTP, of 90, 95, 80',
      [port(90, { exposed: true }), port(95, { exposed: true }), port(80)],
    ],
    ['the first port that answers HTTP, of 90, 80', [port(90), port(80)]],
  ])('says why: %s', (why, ports) => {
    expect(whyOf(ports, 'port')).toBe(`${why}: answered GET / with 200`);
  });

  it('says that a certificate is not verified', () => {
    expect(whyOf([port(443, { speaks: 'https', told: 'TLS' })], 'tls')).toBe('TLS; its certificate is not verified');
  });
});

describe('how readiness is told', () => {
  it.each([
    [{ '/': 200, '/health': 200, '/readyz': 200 }, '/readyz'],
    [{ '/': 200, '/health': 200, '/ready': 503 }, '/health'],
    [{ '/': 404, '/healthz': 204 }, '/healthz'],
    [{ '/': 302 }, '/'],
  ])('%j: GET %s', (answers, path) => {
    expect(said([port(8080, { answers })])).toMatchObject({ ready: { http: path } });
  });

  it.each([{ '/': 404 }, { '/': 500, '/health': 503 }, {}])('%j: by a connect', (answers) => {
    expect(said([port(8080, { answers })])).toEqual({ port: 8080, ready: { tcp: 8080 } });
  });

  it('no port at all: by the HEALTHCHECK of the image, else nothing is assumed', () => {
    expect(said([], { hasHealthcheck: true })).toEqual({ ready: { health: true } });
    expect(said([bare(25)], { hasHealthcheck: true })).toMatchObject({ ready: { tcp: 25 } });
    expect(said([])).toEqual({});
  });
});

describe('routes', () => {
  it.each([
    [{ '/readyz': 200, '/livez': 200 }, ['GET /livez']],
    [{ '/ready': 200, '/healthz': 200, '/health': 200 }, ['GET /healthz']],
    [{ '/actuator/health/readiness': 200, '/actuator/health/liveness': 200 }, ['GET /actuator/health/liveness']],
    [{ '/healthz': 200 }, undefined],
    [{ '/health': 200, '/healthz': 200 }, undefined],
    [{ '/readyz': 503, '/livez': 200 }, undefined],
    [{ '/': 200, '/livez': 200 }, undefined],
  ])('%j: liveness %j', (answers, liveness) => {
    expect(said([port(8080, { answers })])['endpoints.liveness']).toEqual(liveness);
  });

  it('paths that took a WebSocket', () => {
    expect(said([port(8080, { webSockets: ['/ws'] })])).toMatchObject({ 'endpoints.websocket': ['/ws'] });
  });
});

describe('the server', () => {
  it('is named with the process that tells, and with the statuses of its right ends', () => {
    const processes = [processFact(1, 0, ['tini', '--', 'java']), processFact(6, 1, ['java', '-jar', '/secret.jar'])];
    const found = assumptionsOf(looked({ processes, server: 'java' }), facts);
    expect(found).toMatchObject([
      { key: 'server', value: 'java', why: 'PID 6 runs java' },
      { key: 'accept', value: [{ status: 143 }, { status: 130 }, { status: 129 }] },
    ]);
    expect(profileOfAssumptions(found)).toMatchObject({
      server: 'java',
      acceptedStatuses: [{ status: 143 }, { status: 130 }, { status: 129 }],
      about: { origins: { accept: expect.stringContaining('a JVM may end a right stop with 143, 130, 129') } },
    });
  });

  it.each([
    ['a shell that an init started', ['tini', '--', 'sh', '-c', 'x'], ['sh', '-c', 'uvicorn app:app; true'], false],
    ['a launcher that an init started', ['tini', '--', 'timeout', '9'], ['timeout', '9', 'uvicorn', 'app:app'], false],
    ['an init below an init', ['docker-init', '--', 'tini'], ['tini', '--', 'uvicorn', 'app:app'], true],
  ] as const)('below %s its statuses are accepted only where they are its own', (_, first, second, accepted) => {
    const processes = [
      processFact(1, 0, first),
      processFact(6, 1, second),
      processFact(7, 6, ['python3', '/usr/bin/uvicorn', 'app:app']),
    ];
    const found = assumptionsOf(looked({ processes, server: 'uvicorn' }), facts).map(({ key }) => key);
    expect(found).toEqual(accepted ? ['server', 'accept'] : ['server']);
  });

  it('below a shell that is PID 1 they are: without a trap that passes signals on it would not end by one', () => {
    const processes = [processFact(1, 0, ['sh', '/start.sh']), processFact(6, 1, ['java', '-jar', '/app.jar'])];
    expect(assumptionsOf(looked({ processes }), facts).map(({ key }) => key)).toEqual(['server', 'accept']);
  });

  it('is found by the processes where the look does not name it, and is none where they tell nothing', () => {
    const processes = [processFact(1, 0, ['python3', '/usr/bin/gunicorn', 'app'])];
    expect(assumptionsOf(looked({ processes }), facts)).toEqual([
      { key: 'server', value: 'gunicorn', why: 'PID 1 runs python3 gunicorn' },
    ]);
    expect(assumptionsOf(looked({}), facts)).toEqual([]);
  });

  it('of a container that ended by itself nothing is assumed', () => {
    const ended = { exitCode: 1, lastLines: ['no such file'] };
    expect(assumptionsOf(looked({ ended, ports: [port(80)], server: 'nginx' }), facts)).toEqual([]);
  });
});

describe('the profile of assumptions', () => {
  it('has the fields that a file with these keys has, and says where each is from', () => {
    const ports = [port(8080, { answers: { '/readyz': 200, '/livez': 200 }, webSockets: ['/ws'] }), bare(25)];
    const assumptions = assumptionsOf(looked({ ports, server: 'nginx' }), facts);
    expect(profileOfAssumptions(assumptions)).toMatchObject({
      path: '',
      port: 8080,
      tcpPorts: [25],
      server: 'nginx',
      ready: { kind: 'http', port: 8080, path: '/readyz', origin: 'discovery: GET /readyz answered 200' },
      endpoints: {
        liveness: [{ method: 'GET', path: '/livez' }],
        webSocket: [{ path: '/ws' }],
      },
      about: {
        origins: {
          port: 'the only port that answers HTTP: answered GET / with 200',
          endpoints: 'an upgrade to a WebSocket was answered with 101; it answered 200 beside /readyz',
        },
        needs: [],
      },
    });
  });

  it('of readiness over TLS asks over TLS', () => {
    const found = assumptionsOf(looked({ ports: [port(8443, { speaks: 'https' })] }), facts);
    expect(profileOfAssumptions(found).ready).toMatchObject({ kind: 'http', port: 8443, path: '/', tls: true });
  });

  it('of none says nothing', () => {
    const { declared: _, ...nothing } = profileOfAssumptions([]);
    expect(nothing).toEqual(emptyProfile);
  });

  it('refuses what a profile could not say', () => {
    expect(() => profileOfAssumptions([{ key: 'port', value: 0, why: 'x' }])).toThrow();
    expect(() => profileOfAssumptions([{ key: 'server', value: 'nginxx', why: 'x' }])).toThrow('did you mean "nginx"?');
    expect(() => profileOfAssumptions([{ key: 'prot', value: 80, why: 'x' }])).toThrow();
  });
});
