import { describe, expect, it } from 'vitest';
import type { ImageFacts } from '../model/engine.ts';
import { parseProfile } from '../profile/load-profile.ts';
import { serviceCertificate } from '../wire/testing/certificate.ts';
import type { TargetFlags } from './resolve-target.ts';
import { resolveTarget } from './resolve-target.ts';

interface Said {
  readonly profile?: string;
  /** A whole profile in the image's label. */
  readonly label?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly flags?: Partial<TargetFlags>;
  readonly facts?: Partial<ImageFacts>;
}

function resolve(said: Said) {
  const facts: ImageFacts = {
    reference: 'shop:1',
    digest: 'sha256:1',
    entrypoint: [],
    command: [],
    user: '',
    stopSignal: { value: 'TERM', origin: 'engine default' },
    exposedPorts: [],
    hasHealthcheck: false,
    repoDigests: [],
    ...said.facts,
    labels: {
      ...said.labels,
      ...(said.label === undefined ? {} : { 'io.lf-qualify.profile': `version: 1\n${said.label}` }),
    },
  };
  return resolveTarget({
    facts,
    flags: { env: {}, require: [], ...said.flags },
    selection: { scenario: () => true, cell: () => true, clause: () => true },
    judgedOn: '2026-01-01',
    ...(said.profile === undefined ? {} : { profile: parseProfile(`version: 1\n${said.profile}`, 'p.yaml') }),
  });
}

describe('the way in', () => {
  it.each([
    ['EXPOSE', { facts: { exposedPorts: [8080] } }, 8080, undefined],
    ['a plain port beside TLS', { profile: 'port: 80\ntls: { port: 443 }' }, 80, 443],
    ['TLS alone', { profile: 'tls: { port: 443 }' }, undefined, 443],
    [
      'TLS alone, whatever is exposed',
      { profile: 'tls: { port: 443 }', facts: { exposedPorts: [80, 443] } },
      undefined,
      443,
    ],
    [
      'readiness in the clear tells the plain port',
      { profile: 'tls: { port: 443 }\nready: { http: { port: 81, path: /up } }' },
      81,
      443,
    ],
    [
      'readiness over TLS does not make its port plain',
      { profile: 'port: 443\ntls: { port: 443 }\nready: { http: /up }' },
      undefined,
      443,
    ],
    [
      'the bundled gateway',
      { facts: { reference: 'networknt/light-gateway:1', exposedPorts: [8080] } },
      undefined,
      8443,
    ],
    ['a flag', { profile: 'port: 80\ntls: { port: 443 }', flags: { port: 8080 } }, 8080, 443],
  ])('%s', (_, said: Said, httpPort, tlsPort) => {
    const { target } = resolve(said);
    expect([target.httpPort, target.tls?.port]).toEqual([httpPort, tlsPort]);
  });

  it.each([
    [
      'of a light-fabric service behind TLS',
      'preset: light-fabric\ntls: { port: 443 }',
      { kind: 'http', port: 443, path: '/health', tls: true },
    ],
    ['of a stranger behind TLS', 'tls: { port: 443 }', { kind: 'tcp', port: 443 }],
    [
      'where there is a plain port too',
      'preset: light-fabric\nport: 80\ntls: { port: 443 }',
      { kind: 'http', port: 80, path: '/health' },
    ],
    ['of a stranger of bare TCP', 'tcp: [5432, 5433]', { kind: 'tcp', port: 5432 }],
    ['of a light-fabric service of bare TCP', 'preset: light-fabric\ntcp: [5432]', { kind: 'tcp', port: 5432 }],
  ])('readiness %s', (_, profile, ready) => {
    const { origin: _origin, ...spec } = resolve({ profile }).target.ready;
    expect(spec).toEqual(ready);
  });

  it('of bare TCP is no HTTP, whatever is exposed, and nothing of HTTP is required of it', () => {
    const profile = 'preset: light-fabric\ntcp: [5432]';
    const { target, basis } = resolve({ profile, facts: { exposedPorts: [5432] } });
    expect(target).toMatchObject({ tcpPorts: [5432], ready: { kind: 'tcp', port: 5432, origin: 'EXPOSE' } });
    expect(target.httpPort).toBeUndefined();
    expect(basis.required.filter((id) => /^(ADM|DRN)/.test(id))).toEqual([]);
    expect(basis.required).toContain('SIG-1');
  });

  it('a port given by hand does not move a check over TLS', () => {
    const profile = 'tls: { port: 443 }\nready: { http: /up }';
    expect(resolve({ profile, flags: { port: 8080 } }).target).toMatchObject({
      httpPort: 8080,
      ready: { port: 443, tls: true },
    });
  });
});

describe('a grace that is set from outside', () => {
  it.each([
    ['in milliseconds', 'graceEnv: GRACE', { GRACE: '2000' }],
    ['in seconds', 'graceEnv: { name: GRACE, unit: s }', { GRACE: '2' }],
    ['unless env says otherwise', 'graceEnv: GRACE\nenv: { GRACE: 5 }', { GRACE: '5' }],
  ])('%s', (_, graceEnv, env) => {
    expect(resolve({ profile: `grace: 2s\n${graceEnv}` }).target.env).toEqual(env);
  });

  it('is refused where the variable cannot say it', () => {
    expect(() => resolve({ profile: 'grace: 1500ms\ngraceEnv: { name: GRACE, unit: s }' })).toThrow(
      'grace 1500 ms: graceEnv GRACE counts whole seconds and cannot be given that; give whole seconds, or declare unit: ms',
    );
  });

  it('comes with the bundled profile of a service that has the setting', () => {
    expect(resolve({ facts: { reference: 'networknt/light-agent' } }).target).toMatchObject({
      graceEnv: { name: 'SERVER_SHUTDOWNGRACEFULPERIOD', unit: 'ms' },
      env: { SERVER_SHUTDOWNGRACEFULPERIOD: '2000' },
    });
  });
});

describe('a profile in the image’s label', () => {
  const whole = `
preset: light-fabric
port: 80
ready: { http: /up }
grace: 3s
graceEnv: GRACE
zeroGrace: refuse
env: { A: label, B: label }
endpoints: { slow: [GET /label] }
registry: { urlEnv: URL }
faults: { stuckThread: { X: label } }
secrets: [A]
accept: [{ status: 3, reason: label }]
`;

  it('says all that a profile says, and its terms come from the image label', () => {
    const { target, basis } = resolve({ label: whole });
    expect(target).toMatchObject({
      httpPort: 80,
      ready: { kind: 'http', port: 80, path: '/up', origin: 'image label' },
      env: { GRACE: '3000', A: 'label', B: 'label' },
      endpoints: { slow: [{ method: 'GET', path: '/label' }] },
      registry: { urlEnv: 'URL', env: {} },
      faults: { 'stuck-thread': { X: 'label' } },
      secrets: ['label'],
    });
    expect(basis.presetOrigin).toBe('image label io.lf-qualify.profile');
    expect([basis.terms.graceMs, basis.origins.graceMs]).toEqual([3000, 'image label']);
    expect([basis.terms.zeroGrace, basis.origins.zeroGrace]).toEqual(['refuse', 'image label']);
  });

  it('is overruled key by key by the profile file, each key as a whole', () => {
    const profile = 'env: { A: file }\ngrace: 4s\nendpoints: { upload: [PUT /file] }\naccept: []';
    const { target, basis } = resolve({ label: whole, profile });
    expect(target.env).toEqual({ GRACE: '4000', A: 'file' });
    expect(target.endpoints).toMatchObject({ slow: [], upload: [{ method: 'PUT', path: '/file' }] });
    expect(target.faults).toEqual({ 'stuck-thread': { X: 'label' } });
    expect(basis.origins.graceMs).toBe('profile');
    expect(basis.terms.acceptedStatuses.map(({ status }) => status)).not.toContain(3);
  });

  it('is asked at the port that the file names', () => {
    expect(resolve({ label: whole, profile: 'port: 81' }).target).toMatchObject({
      httpPort: 81,
      ready: { port: 81, path: '/up' },
    });
  });

  it('gives way to the other labels and to flags, and goes before the bundled profile', () => {
    const labels = { 'io.lf-qualify.grace': '5s', 'io.lf-qualify.preset': 'openab-cp', 'io.lf-qualify.ready': 'tcp:9' };
    const { basis, target } = resolve({ label: whole, labels });
    expect([basis.preset, basis.terms.graceMs, target.ready]).toMatchObject([
      'openab-cp',
      5000,
      { kind: 'tcp', port: 9 },
    ]);
    expect(resolve({ label: whole, flags: { graceMs: 6000 } }).basis.origins.graceMs).toBe('command line');
    const bundled = resolve({ label: 'grace: 3s', facts: { reference: 'networknt/light-agent' } }).basis;
    expect([bundled.terms.graceMs, bundled.origins.graceMs]).toEqual([3000, 'image label']);
  });

  it('may carry a CA and be JSON', () => {
    const label = JSON.stringify({ version: 1, tls: { port: 443, ca: serviceCertificate } });
    const { tls } = resolve({ labels: { 'io.lf-qualify.profile': label } }).target;
    expect(tls).toEqual({ port: 443, ca: serviceCertificate });
  });

  it.each([
    ['image: x:1', /:2: image: cannot stand in an image label: the label belongs to the image that carries it/],
    ['engines: [docker]', /:2: engines: cannot stand in an image label: .*use --engine/],
    [
      'tls: { port: 443, ca: ca.pem }',
      /:2: tls\.ca: expected the PEM text itself, since a label cannot name a file, found "ca\.pem"/,
    ],
    [
      `env: { A: "x\${TOKEN:-hush}" }`,
      /:2: env\.A: expected text without variables, which are not filled in here, found \$\{TOKEN\}; write the value/,
    ],
    ['require: [SIG-99]', /:2: require\[0\]: expected a clause of the contract, found "SIG-99"/],
    ['grase: 2s', /:2: grase: unknown key \(did you mean "grace"\?\)/],
    ['port: [', /:2: not valid YAML: /],
  ])('a wrong one is an error that names the label: %s', (label, message) => {
    const error = (() => {
      try {
        resolve({ label });
      } catch (thrown) {
        return thrown as Error;
      }
      return undefined;
    })();
    expect(error?.message).toMatch(new RegExp(`^image shop:1, label io\\.lf-qualify\\.profile${message.source}`));
    expect(error?.message).not.toContain('hush');
  });
});
