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
    [{}, { startOnRegistryFailure: true, configCache: '/app/config-cache' }],
    [{ PORTAL_REGISTRY_STARTONREGISTRYFAILURE: 'false' }, { startOnRegistryFailure: false }],
    [
      { LIGHT_CONFIG_SERVER_URI: 'http://10.0.0.1:9000', CONFIG_CACHE: '/cache' },
      { configServer: 'http://10.0.0.1:9000', configCache: '/cache' },
    ],
  ])('%j gives %j', (env, settings) => {
    expect(readSettings(env)).toMatchObject(settings);
  });

  it.each([
    [{ SERVER_ENABLEHTTPS: 'false' }, 'httpsPort'],
    [{}, 'portalUrl'],
    [{ PORTAL_REGISTRY_PORTALURL: '' }, 'portalUrl'],
    [{}, 'configServer'],
    [{ LIGHT_CONFIG_SERVER_URI: '' }, 'configServer'],
  ])('%j leaves %s out', (env, name) => {
    expect(readSettings(env)).not.toHaveProperty(name);
  });

  it.each([
    [{ SERVER_PORT: 'nonsense' }, 'SERVER_PORT must be a whole number from 0 to 65535, got nonsense'],
    [
      { LIGHT_CONFIG_SERVER_URI: 'ftp://10.0.0.1' },
      'LIGHT_CONFIG_SERVER_URI must be an http or https address, got ftp://10.0.0.1',
    ],
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
