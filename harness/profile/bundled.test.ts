import { expect, it } from 'vitest';
import { bundledPreset } from './bundled.ts';

it.each([
  'networknt/light-agent',
  'networknt/light-agent:2.1',
  'docker.io/networknt/light-agent:2.1',
  'registry.example:5000/networknt/light-agent',
  `networknt/light-agent@sha256:${'0'.repeat(64)}`,
])('%s gets the bundled facts of its service', (image) => {
  expect(bundledPreset(image)).toEqual({
    service: 'light-agent',
    preset: 'light-fabric',
    port: 8081,
    ready: { kind: 'http', port: 8081, path: '/health', origin: 'bundled profile light-agent' },
    graceMs: 2000,
    graceEnv: { name: 'SERVER_SHUTDOWNGRACEFULPERIOD', unit: 'ms' },
  });
});

it('a service behind TLS is asked over TLS, and its port is not called http', () => {
  expect(bundledPreset('networknt/light-gateway')).toEqual({
    service: 'light-gateway',
    preset: 'light-fabric',
    tls: { port: 8443 },
    ready: { kind: 'http', port: 8443, path: '/health', origin: 'bundled profile light-gateway', tls: true },
    graceMs: 2000,
    graceEnv: { name: 'SERVER_SHUTDOWNGRACEFULPERIOD', unit: 'ms' },
  });
});

it.each(['light-workflow-runner', 'llm-provider-mock'])(
  'the grace of %s is not set by the usual setting',
  (service) => {
    expect(bundledPreset(`networknt/${service}`)).not.toHaveProperty('graceEnv');
  },
);

it('a service of which only the name is known gets the preset alone', () => {
  expect(bundledPreset('networknt/controller-rs')).toEqual({ service: 'controller-rs', preset: 'light-fabric' });
});

it.each([
  'light-agent',
  'other/light-agent',
  'networknt/light-agent/x',
  'networknt/light-agent-worker',
  'networknt/constructor',
  'sha256:0123',
  '',
])('%s gets none', (image) => {
  expect(bundledPreset(image)).toBeUndefined();
});
