import { describe, expect, it } from 'vitest';
import type { Settings } from './settings.ts';
import { readSettings } from './settings.ts';

describe('the settings', () => {
  it.each<[NodeJS.ProcessEnv, Partial<Settings>]>([
    [{}, { graceMs: 2000, port: 8080, httpsPort: 8443 }],
    [
      { SERVER_SHUTDOWNGRACEFULPERIOD: '0', SERVER_PORT: '9000' },
      { graceMs: 0, port: 9000 },
    ],
    [
      { SERVER_SHUTDOWNGRACEFULPERIOD: '700', SERVER_HTTPSPORT: '9443' },
      { graceMs: 700, httpsPort: 9443 },
    ],
    [{ PORTAL_REGISTRY_PORTALURL: 'http://10.0.0.1:9000' }, { portalUrl: 'http://10.0.0.1:9000' }],
  ])('%j gives %j', (env, settings) => {
    expect(readSettings(env)).toMatchObject(settings);
  });

  it.each([
    [{ SERVER_ENABLEHTTPS: 'false' }, 'httpsPort'],
    [{}, 'portalUrl'],
    [{ PORTAL_REGISTRY_PORTALURL: '' }, 'portalUrl'],
  ])('%j leaves %s out', (env, name) => {
    expect(readSettings(env)).not.toHaveProperty(name);
  });

  it.each([
    [{ SERVER_ENABLEHTTPS: 'no' }, 'SERVER_ENABLEHTTPS must be true or false, got no'],
    [
      { PORTAL_REGISTRY_PORTALURL: 'portal:9000' },
      'PORTAL_REGISTRY_PORTALURL must be an http, https, ws or wss address, got portal:9000',
    ],
  ])('refuses %j by name', (env, message) => {
    expect(() => readSettings(env)).toThrow(message);
  });

  it.each(['', '-1', '2s', '1.5', '99999999'])('refuses a grace of %j by name', (text) => {
    expect(() => readSettings({ SERVER_SHUTDOWNGRACEFULPERIOD: text })).toThrow(
      /^SERVER_SHUTDOWNGRACEFULPERIOD must be/,
    );
  });
});
