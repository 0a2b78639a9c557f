import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bundledFolder, bundledProfile, excludedFromContract } from './bundled.ts';
import { knownKeys } from './known-keys.ts';

const origin = (service: string, from: string) =>
  `bundled profile ${service}: light-fabric sources, August 2026: ${from}`;
const services = readdirSync(bundledFolder).map((file) => file.replace(/\.yaml$/, ''));

describe('bundled profiles', () => {
  it.each([
    'networknt/light-agent',
    'networknt/light-agent:2.1',
    'docker.io/networknt/light-agent:2.1',
    'registry.example:5000/networknt/light-agent',
    `networknt/light-agent@sha256:${'0'.repeat(64)}`,
  ])('%s gets the facts of its service', (image) => {
    expect(bundledProfile(image)).toMatchObject({
      service: 'light-agent',
      profile: {
        preset: 'light-fabric',
        port: 8081,
        ready: { kind: 'http', port: 8081, path: '/health', origin: origin('light-agent', 'GET /health') },
        graceMs: 2000,
        graceEnv: { name: 'SERVER_SHUTDOWNGRACEFULPERIOD', unit: 'ms' },
        dependencies: [],
        about: { needs: [{ what: 'PostgreSQL', declare: 'dependencies' }] },
      },
    });
  });

  const setting = { graceEnv: { name: 'SERVER_SHUTDOWNGRACEFULPERIOD', unit: 'ms' } };
  it.each([
    [
      'light-gateway',
      {
        tls: { port: 8443 },
        ready: { port: 8443, path: '/health', tls: true },
        graceMs: 2000,
        bootstrap: { urlEnv: 'LIGHT_CONFIG_SERVER_URI', env: {}, cache: '/app/config-cache' },
        ...setting,
      },
    ],
    ['light-agent', { port: 8081, ready: { port: 8081, path: '/health' }, graceMs: 2000, ...setting }],
    ['light-knowledge', { port: 8092, ready: { port: 8092, path: '/ready' }, graceMs: 5000, ...setting }],
    ['light-knowledge-admin', { port: 8093, ready: { port: 8093, path: '/ready' }, graceMs: 5000, ...setting }],
    ['light-deployer', { port: 7088, ready: { port: 7088, path: '/ready' }, graceMs: 2000, ...setting }],
    ['light-workflow', { port: 8436, ready: { kind: 'tcp', port: 8436 }, graceMs: 2000, ...setting }],
    [
      'light-workflow-runner',
      { port: 9444, ready: { port: 9444, path: '/readyz' }, zeroGrace: 'refuse', outerTimeoutMs: 45_000 },
    ],
    ['light-agent-channel', {}],
    ['light-github-action-provider', {}],
    ['light-knowledge-worker', { graceMs: 2000, ...setting }],
    ['llm-provider-mock', { port: 8080, ready: { port: 8080, path: '/health' }, graceMs: 2000 }],
    ['controller-rs', {}],
    ['portal-service', {}],
    ['config-server', {}],
    ['light-oauth', {}],
  ] as const)('%s says what its sources say, and nothing else', (service, facts) => {
    const found = bundledProfile(`networknt/${service}`)?.profile;
    expect(found).toMatchObject({ image: `networknt/${service}`, preset: 'light-fabric', ...facts });
    const said = [
      'port',
      'tls',
      'ready',
      'graceMs',
      'graceEnv',
      'zeroGrace',
      'outerTimeoutMs',
      'registry',
      'bootstrap',
      'command',
    ];
    const expected = Object.keys(facts).toSorted();
    expect(said.filter((key) => Object.hasOwn(found ?? {}, key)).toSorted()).toEqual(expected);
    expect(found).toMatchObject({ env: {}, files: [], dependencies: [], waivers: [], require: [] });
  });

  it.each(services)('%s says of each of its facts where it comes from', (service) => {
    const { declared = [], about } = bundledProfile(`networknt/${service}`)?.profile ?? {};
    const facts = declared.filter((key) => !['version', 'image', 'preset', 'about'].includes(key));
    expect(knownKeys([])).toEqual(expect.arrayContaining(facts));
    expect(Object.keys(about?.origins ?? {}).toSorted()).toEqual(facts.toSorted());
  });

  it.each([
    'light-agent',
    'other/light-agent',
    'networknt/light-agent/x',
    'networknt/light-agent-worker',
    'networknt/constructor',
    'networknt/..',
    'sha256:0123',
    '',
  ])('%s gets none', (image) => {
    expect(bundledProfile(image)).toBeUndefined();
  });

  it('says why a service of the same owner has none', () => {
    expect(excludedFromContract('networknt/light-agent-worker:1')).toMatch(
      /^light-agent-worker is not under the .*standard input/,
    );
    expect(excludedFromContract('networknt/light-agent')).toBeUndefined();
    expect(excludedFromContract('networknt/constructor')).toBeUndefined();
  });
});
