import { describe, expect, it } from 'vitest';
import { UsageError } from '../model/errors.ts';
import { parseProfile } from './load-profile.ts';

const parse = (text: string, environment: Record<string, string> = {}) =>
  parseProfile(`version: 1\n${text}`, 'p.yaml', { environment });

function messageOf(text: string): string {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return 'no error';
}

describe('what a profile says of a start-up', () => {
  it.each([
    ['bootstrap: { urlEnv: CONFIG_SERVER }', { bootstrap: { urlEnv: 'CONFIG_SERVER', env: {} } }],
    [
      `bootstrap: { urlEnv: CONFIG_SERVER, env: { TOKEN: "\${T}", TRIES: 1.0 }, cache: /app/config-cache }\nsecrets: [TOKEN]`,
      {
        bootstrap: { urlEnv: 'CONFIG_SERVER', env: { TOKEN: 'hush', TRIES: '1.0' }, cache: '/app/config-cache' },
        secrets: ['hush'],
      },
    ],
    [
      'faults: { stuckStartUp: { FAULT: stuck }, badConfiguration: { SERVER_PORT: 0x0 } }',
      { faults: { 'stuck-start-up': { FAULT: 'stuck' }, 'bad-configuration': { SERVER_PORT: '0x0' } } },
    ],
    [
      'logs: { secondSignal: second, startUpExpired: startup abort }',
      { patterns: { secondSignal: 'second', startUpExpired: 'startup abort' } },
    ],
  ])('%s', (text, expected) => {
    expect(parse(text, { T: 'hush' })).toMatchObject(expected);
  });

  it.each([
    [
      'bootstrap: { cache: /app }',
      'p.yaml:2: bootstrap.urlEnv: expected the name of an environment variable, found nothing',
    ],
    [
      'bootstrap: { urlEnv: A, cache: app }',
      /^p\.yaml:2: bootstrap\.cache: expected an absolute path in the container/,
    ],
    ['bootstrap: { urlEnv: A, cache: /app/../etc }', /^p\.yaml:2: bootstrap\.cache: expected an absolute path/],
    ['bootstrap: CONFIG_SERVER', /^p\.yaml:2: bootstrap: expected \{ urlEnv: NAME \} and perhaps env and cache/],
    [
      'bootstrap: { urlEnv: A, folder: /x }',
      /^p\.yaml:2: bootstrap\.folder: unknown key; expected one of urlEnv, env, cache$/,
    ],
    [
      'faults: { badConfiguration: {} }',
      'p.yaml:2: faults.badConfiguration: expected at least one NAME: value, found a mapping',
    ],
    ['logs: { startUpExpired: "(" }', /^p\.yaml:2: logs\.startUpExpired: expected a regular expression/],
  ])('refuses %s', (text, message) => {
    if (typeof message === 'string') expect(messageOf(text)).toBe(message);
    else expect(messageOf(text)).toMatch(message);
  });

  it.each([
    'bootstrap: [{ env: { A: hush } }]',
    'bootstrap: { urlEnv: A, env: hush }',
    'bootstrap: { urlEnv: A, env: { B: [hush] } }',
    'faults: { badConfiguration: { A: [hush] } }',
  ])('never prints a value of an environment: %s', (text) => {
    expect(messageOf(text)).toMatch(/^p\.yaml:2: /);
    expect(messageOf(text)).not.toContain('hush');
  });
});
