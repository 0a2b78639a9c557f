import { describe, expect, it } from 'vitest';
import { basisOf } from '../judge/testing/history-builder.ts';
import type { Scenario, Setting } from '../model/scenario.ts';
import { slowBodies, webSockets } from '../model/steps.ts';
import type { Target } from '../model/target.ts';
import { cellSetting, missingNeed } from './cell-setting.ts';
import { accessOf } from './start-load.ts';

const bare: Target = {
  name: 'shop:1',
  image: 'sha256:1',
  env: { GRACE: '2000' },
  ready: { kind: 'tcp', port: 8080, origin: 'EXPOSE' },
  startTimeoutMs: 30_000,
  files: [],
  volumes: [],
  outbound: false,
  dependencies: [],
  endpoints: { slow: [], stream: [], sse: [], upload: [], control: [] },
  faults: {},
  secrets: [],
};
const declared: Target = {
  ...bare,
  httpPort: 8080,
  tls: { port: 8443 },
  graceEnv: { name: 'GRACE', unit: 'ms' },
  registry: { urlEnv: 'PORTAL', env: {} },
  faults: { 'stuck-clean-up': { FAULT: 'stuck' } },
};
const scenario = (setting: Setting, more: Partial<Scenario> = {}): Scenario => ({
  id: 'x/y',
  title: 't',
  setting,
  script: [],
  clauses: [],
  ...more,
});
const missingOf = (...of: Parameters<typeof cellSetting>): unknown => {
  const setting = cellSetting(...of);
  return 'missing' in setting ? setting.missing : undefined;
};

describe('the setting of a cell', () => {
  it('gives the container another grace, and its clauses the terms of that grace', () => {
    const setting = cellSetting(scenario({ grace: '$grace' }), { grace: 700 }, declared, basisOf());
    expect(setting).toMatchObject({ env: { GRACE: '700' }, basis: { terms: { graceMs: 700, stopBoundMs: 1000 } } });
  });

  it('lets a bound that follows the grace follow it, and an outer timeout only grow', () => {
    const cp = basisOf({ preset: 'openab-cp', terms: { graceMs: 1000, outerTimeoutMs: 3500 } });
    const terms = (grace: number) => {
      const setting = cellSetting(scenario({ grace: '$grace' }), { grace }, declared, cp);
      return 'missing' in setting ? undefined : setting.basis.terms;
    };
    expect(terms(0)).toMatchObject({ graceMs: 0, stopBoundMs: 1000, outerTimeoutMs: 3500 });
    expect(terms(9000)).toMatchObject({ graceMs: 9000, stopBoundMs: 10_000, outerTimeoutMs: 11_000 });
  });

  it('leaves the normal grace as it is', () => {
    const basis = basisOf();
    expect(cellSetting(scenario({ grace: '$grace' }), { grace: 'normal' }, bare, basis)).toMatchObject({
      env: {},
      basis,
      init: false,
    });
  });

  it('counts in seconds where the service does', () => {
    const target: Target = { ...declared, graceEnv: { name: 'DRAIN_SECS', unit: 's' } };
    expect(cellSetting(scenario({ grace: '3000' }), {}, target, basisOf())).toMatchObject({ env: { DRAIN_SECS: '3' } });
    expect(missingOf(scenario({ grace: '700' }), {}, target, basisOf())).toMatchObject({
      capability: 'grace env',
      reason: expect.stringMatching(/DRAIN_SECS counts in seconds: a grace of 700 ms/),
    });
  });

  it.each([
    [{ bootstrap: { kind: 'answers' } }, 'bootstrap', 'bootstrap: { urlEnv: NAME }'],
    [{ bootstrap: { kind: '$kind' } }, 'bootstrap', 'bootstrap: { urlEnv: NAME }'],
    [{ controller: { kind: 'holds-registration' } }, 'registry', 'registry: { urlEnv: NAME }'],
    [{ controller: { kind: 'holds-handshake' } }, 'registry', 'registry: { urlEnv: NAME }'],
    [{ controller: { kind: 'refuses-registration' } }, 'registry', 'registry: { urlEnv: NAME }'],
  ])('plays nothing that the service is not told of: %j', (setting, capability, declare) => {
    const played = scenario(setting as Setting);
    expect(missingOf(played, { kind: 'holds' }, bare, basisOf())).toMatchObject({ capability, declare });
    const bootstrap = { urlEnv: 'CONFIG_SERVER', env: {} };
    expect(missingOf(played, { kind: 'holds' }, { ...declared, bootstrap }, basisOf())).toBeUndefined();
  });

  it('runs a service that does not register beside a controller that only takes goodbyes', () => {
    expect(missingOf(scenario({ controller: { kind: 'silent' } }), {}, bare, basisOf())).toBeUndefined();
  });

  it('sets the environment of a declared fault', () => {
    const fault = { fault: '$fault' } as const;
    expect(cellSetting(scenario(fault), { fault: 'stuck-clean-up' }, declared, basisOf())).toMatchObject({
      env: { FAULT: 'stuck' },
    });
    expect(missingOf(scenario(fault), { fault: 'stuck-thread' }, declared, basisOf())).toMatchObject({
      capability: 'fault',
      declare: expect.stringMatching(/stuckThread/),
    });
  });

  it.each([
    ['http', 'port: 8080'],
    ['tls', 'tls:'],
    ['http2', 'http2: true'],
    ['registry', 'registry:'],
    ['grace env', 'graceEnv:'],
    ['stream', 'endpoints:'],
    ['control', 'control:'],
  ] as const)('names what %s needs, with the line to declare', (capability, line) => {
    const without = missingOf(scenario({}, { needs: [capability] }), {}, bare, basisOf());
    expect(without).toMatchObject({ capability, declare: expect.stringContaining(line) });
  });

  it('misses nothing that is declared', () => {
    const needs = ['http', 'tls', 'http2', 'registry', 'grace env', 'fault', 'init', 'direct'] as const;
    expect(needs.flatMap((need) => missingNeed(need, declared) ?? [])).toEqual([]);
    expect(missingNeed('http2', { ...declared, tls: { port: 1, http2: false } })).toBeDefined();
  });
});

describe('WebSockets', () => {
  const sockets: Target = { ...declared, endpoints: { ...declared.endpoints, webSocket: [{ path: '/ws' }] } };
  const backlog = webSockets('backlog', 1);
  it.each([
    ['a kind without what must be declared for it is missing', [backlog], sockets, 'flood'],
    ['one of the matrix too', [webSockets('$kind' as 'idle', 1)], sockets, 'flood'],
    ['a path is missing where none is declared', [webSockets('idle', 1)], declared, '[/ws]'],
    ['a path is enough for the usual kinds', [webSockets('idle', 1)], sockets, undefined],
    ['one kind of several is something to speak about', [webSockets('idle', 1), backlog], sockets, undefined],
    ['and so are requests beside them', [slowBodies(1), webSockets('idle', 1)], declared, undefined],
  ])('%s', (_, load, target, declare) => {
    const missing = missingOf(scenario({}, { load }), { kind: 'stops-reading' }, target, basisOf());
    if (declare === undefined) expect(missing).toBeUndefined();
    else expect(missing).toMatchObject({ capability: 'websocket', declare: expect.stringContaining(declare) });
  });
});

describe('the way in', () => {
  const of = (way: Parameters<typeof accessOf>[0], target: Target) => accessOf(way, target, { address: '10.0.0.2' });
  it.each([
    ['any', 8080, 'http'],
    ['http', 8080, 'http'],
    ['https', 8443, 'https'],
    ['h2', 8443, 'h2'],
  ] as const)('%s is port %d over %s', (way, port, over) => {
    expect(of(way, declared)).toMatchObject({ access: { address: '10.0.0.2', port, over } });
  });

  it('of a service with TLS alone is TLS, unless the clear port is asked for', () => {
    const { httpPort: _, ...secure } = declared;
    expect(of('any', secure)).toMatchObject({ access: { port: 8443, over: 'https', tls: { port: 8443 } } });
    expect(of('http', secure)).toMatchObject({ missing: { capability: 'http' } });
  });

  it('over bare TCP is the first port of it', () => {
    expect(of('tcp', { ...bare, tcpPorts: [5432, 5433] })).toMatchObject({ access: { port: 5432, over: 'tcp' } });
    expect(of('tcp', declared)).toMatchObject({ missing: { capability: 'tcp', declare: 'tcp: [5432]' } });
  });

  it('of a service that speaks no HTTP says what it speaks instead', () => {
    expect(missingNeed('http', { ...bare, tcpPorts: [5432] })?.reason).toBe(
      'it speaks no HTTP as far as was found or declared: 5432 takes connections and speaks neither HTTP nor TLS',
    );
    expect(missingNeed('http', { ...bare, tcpPorts: [1, 2] })?.reason).toMatch(/: 1, 2 take connections and speak/);
    expect(missingNeed('http', { ...declared, tcpPorts: [5432] })).toBeUndefined();
  });

  it('that is not declared is missing by name', () => {
    expect(of('https', bare)).toMatchObject({ missing: { capability: 'tls' } });
    expect(of('h2', bare)).toMatchObject({ missing: { capability: 'http2' } });
    expect(of('any', bare)).toMatchObject({ missing: { capability: 'http' } });
  });
});
