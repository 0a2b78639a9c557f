import { describe, expect, it } from 'vitest';
import { UsageError } from '../model/errors.ts';
import type { Profile } from '../model/profile.ts';
import { parseProfile } from './load-profile.ts';

const parse = (text: string, environment: Record<string, string> = {}): Profile =>
  parseProfile(`version: 1\n${text}`, 'p.yaml', { environment });

function messageOf(text: string, environment: Record<string, string> = {}): string {
  try {
    parse(text, environment);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return 'no error';
}

const whole = `endpoints:
  websocket:
    - path: /ws
      protocol: cp.v1
      headers: { Authorization: "Bearer \${TOKEN}", X-Version: 1.10 }
      register: { send: '{"register":true}', answer: registered }
      ask: { send: ping }
      flood: { send: 'flood 4194304', bytes: 4MiB }
      refused: { send: leave }
    - /chat`;

describe('a route that takes a WebSocket', () => {
  it('is a path, or a path with what is spoken on it', () => {
    expect(parse(whole, { TOKEN: 'hush' }).endpoints.webSocket).toEqual([
      {
        path: '/ws',
        protocol: 'cp.v1',
        headers: { Authorization: 'Bearer hush', 'X-Version': '1.10' },
        register: { send: '{"register":true}', answer: 'registered' },
        ask: { send: 'ping' },
        flood: { send: 'flood 4194304', bytes: 4_194_304 },
        refused: { send: 'leave' },
      },
      { path: '/chat' },
    ]);
  });

  it('no list of them declares none', () => {
    expect(parse('port: 80').endpoints).not.toHaveProperty('webSocket');
  });
});

const form = 'expected a path like /ws, or { path: /ws, protocol, headers, register, ask, flood, refused }';
const at = 'endpoints.websocket[0]';
const route = (text: string): string => `endpoints: { websocket: [{ ${text} }] }`;

describe('a mistake in it names key, value and what was expected', () => {
  it.each([
    ['endpoints: { websocket: [5] }', `${at}: ${form}, found 5`],
    ['endpoints: { websocket: [ws] }', `${at}: expected a path like /health, found "ws"`],
    [
      'endpoints: { websocket: /ws }',
      'endpoints.websocket: expected a list of paths like /ws, or of { path: /ws, … }, found "/ws"',
    ],
    [route('ask: { send: x }'), `${at}.path: expected a path like /health, found nothing`],
    [
      route('path: /ws, asks: { send: x }'),
      `${at}.asks: unknown key (did you mean "ask"?); expected one of path, protocol, headers, register, ask, flood, refused`,
    ],
    [
      route('path: /ws, protocol: "a b"'),
      `${at}.protocol: expected the name of a subprotocol, without blanks, found "a b"`,
    ],
    [
      route('path: /ws, ask: ping'),
      `${at}.ask: expected { send: text, answer: regular expression }, a message that is answered, found "ping"`,
    ],
    [route('path: /ws, ask: { answer: x }'), `${at}.ask.send: expected text, the message that is sent, found nothing`],
    [route('path: /ws, ask: { send: "" }'), `${at}.ask.send: expected a message that is not empty, found ""`],
    [
      route('path: /ws, register: { send: a, answer: "(" }'),
      `${at}.register.answer: expected a regular expression (unterminated group), found "("`,
    ],
    [
      route('path: /ws, flood: { send: a }'),
      `${at}.flood.bytes: expected a size (whole bytes, or with a unit: 256MiB, 1GiB, 64MB), found nothing`,
    ],
    [
      route('path: /ws, flood: { send: a, bytes: 0 }'),
      `${at}.flood.bytes: expected a size of at least one byte, found 0`,
    ],
    [route('path: /ws, refused: leave'), `${at}.refused: expected { send: text }, found "leave"`],
    [route('path: /ws, headers: { "a b": x }'), `${at}.headers.a b: expected the name of a header, found "a b"`],
    [
      'terms: { closeCodes: [1006] }',
      'terms.closeCodes[0]: expected a code that may stand in a Close frame: 1000 to 1003, 1007 to 1014 or 3000 to 4999, found 1006',
    ],
    ['terms: { closeCodes: [] }', 'terms.closeCodes: expected at least one close code, found []'],
    ['terms: { closeReason: "" }', 'terms.closeReason: expected text that is not empty, found ""'],
  ])('%s', (text, message) => {
    expect(messageOf(text)).toBe(`p.yaml:2: ${message}`);
  });

  it.each([
    route('path: /ws, headers: { authorization: [hush] }'),
    route('path: /ws, headers: hush'),
    route('headers: { authorization: hush }'),
    'endpoints: { websocket: { path: /ws, headers: { authorization: hush } } }',
    'endpoints: [{ websocket: [{ path: /ws, headers: { authorization: hush } }] }]',
    'images: [{ image: a, endpoints: { websocket: { headers: { authorization: hush } } } }]',
  ])('and never the value of a header: %s', (text) => {
    expect(messageOf(text)).toMatch(/expected /);
    expect(messageOf(text)).not.toContain('hush');
  });

  it('a value that would begin another header is none', () => {
    const text = route(`path: /ws, headers: { x-user: "\${WHO}" }`);
    const message = messageOf(text, { WHO: 'hush\r\nx-admin: yes' });
    expect(message).toBe(`p.yaml:2: ${at}.headers.x-user: expected a value in one line, found one with a line end`);
  });
});

describe('terms of a Close', () => {
  it('name codes and a reason', () => {
    const text = 'terms: { closeCodes: [1001, 4000], closeReason: bye }';
    expect(parse(text).terms).toMatchObject({ closeCodes: [1001, 4000], closeReason: 'bye' });
  });

  it('any reason is one that is not empty', () => {
    expect(parse('terms: { closeReason: any }').terms).toMatchObject({ closeReason: null });
  });
});
