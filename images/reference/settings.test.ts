import { describe, expect, it } from 'vitest';
import { readSettings } from './settings.ts';

describe('the settings', () => {
  it.each([
    [{}, { graceMs: 2000, port: 8080 }],
    [
      { SERVER_SHUTDOWNGRACEFULPERIOD: '0', SERVER_PORT: '9000' },
      { graceMs: 0, port: 9000 },
    ],
    [{ SERVER_SHUTDOWNGRACEFULPERIOD: '700' }, { graceMs: 700, port: 8080 }],
  ])('%j gives %j', (env, settings) => {
    expect(readSettings(env)).toEqual(settings);
  });

  it.each(['', '-1', '2s', '1.5', '99999999'])('refuses a grace of %j by name', (text) => {
    expect(() => readSettings({ SERVER_SHUTDOWNGRACEFULPERIOD: text })).toThrow(
      /^SERVER_SHUTDOWNGRACEFULPERIOD must be/,
    );
  });
});
