import { describe, expect, it } from 'vitest';
import { readSettings } from './settings.ts';

describe('the settings', () => {
  it('are a drain of 5 s on port 8080 where nothing is said', () => {
    expect(readSettings({})).toEqual({ drainMs: 5000, port: 8080, sweeperStopMs: 0 });
  });

  it('take a drain in seconds', () => {
    expect(readSettings({ SHUTDOWN_DRAIN_SECS: '2' }).drainMs).toBe(2000);
  });

  it.each([
    ['SHUTDOWN_DRAIN_SECS', '0', /must not be 0.*give at least 1/],
    ['SHUTDOWN_DRAIN_SECS', '-1', /SHUTDOWN_DRAIN_SECS must be a whole number of at most 3600, got -1/],
    ['SHUTDOWN_DRAIN_SECS', '', /must be a whole number/],
    ['PORT', 'nonsense', /PORT must be a whole number of at most 65535, got nonsense/],
  ])('refuse %s=%s in one sentence', (name, value, said) => {
    expect(() => readSettings({ [name]: value })).toThrow(said);
  });
});
