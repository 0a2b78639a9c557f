import { describe, expect, it } from 'vitest';
import { createMask } from './mask.ts';

const secret = 'p@ss "w0rd"/+<é>';
const { text, cut, value } = createMask([secret, 'hunter2', 'hunter2-long', '']);

describe('a secret is masked', () => {
  it.each([
    ['as it is', `key=${secret};`, 'key=***;'],
    ['the longest first', 'hunter2-long hunter2', '*** ***'],
    ['in JSON', JSON.stringify({ key: secret }), '{"key":"***"}'],
    ['in the JSON of Go', '"p@ss \\"w0rd\\"/+\\u003cé\\u003e"', '"***"'],
    ['in a URL', `?key=${encodeURIComponent(secret)}&x=1`, '?key=***&x=1'],
    ['in a URL with small digits', '?key=p%40ss%20%22w0rd%22%2f%2b%3c%c3%a9%3e', '?key=***'],
    ['in a form', '?key=p%40ss+%22w0rd%22%2F%2B%3C%C3%A9%3E', '?key=***'],
    ['in a header', `x-key: ${Buffer.from(secret).toString('latin1')}`, 'x-key: ***'],
    ['in base64', Buffer.from('hunter2').toString('base64'), '***=='],
  ])('%s', (_, given, expected) => {
    expect(text(given)).toBe(expected);
  });

  it.each(['', 'a', 'ab', 'user:'])('in the base64 of a text in which it follows %j', (before) => {
    for (const after of ['', '!', '!!']) {
      for (const encoding of ['base64', 'base64url'] as const) {
        const shown = text(Buffer.from(`${before}${secret}${after}`).toString(encoding));
        expect(shown).toContain('***');
        expect(shown.length).toBeLessThan(20);
      }
    }
  });

  it('line by line where it has several, as logs are read', () => {
    const key = createMask(['-----BEGIN KEY-----\nMIIEvQIBADAN\nab\n-----END KEY-----']);
    expect(key.text('MIIEvQIBADAN')).toBe('***');
    expect(key.text('ab')).toBe('ab');
  });

  it('in all texts of a value but those that are ours, and never in a key', () => {
    const given = { kind: 'hunter2', hunter2: ['hunter2', 1, null, { deep: 'a hunter2' }] };
    expect(value(given, new Set(['kind']))).toEqual({ kind: 'hunter2', hunter2: ['***', 1, null, { deep: 'a ***' }] });
  });
});

describe('a text that was cut', () => {
  it.each([
    ['loses the beginning of a secret at its end', 'key hunter2-lo', 'key ***-lo'],
    ['whatever form it is in', 'key p%40ss%20%22w0', 'key '],
    ['keeps an end that no secret begins with', 'key hunters', 'key hunters'],
    ['keeps an end that is too short to tell anything', 'sh', 'sh'],
  ])('%s', (_, given, expected) => {
    expect(cut(given)).toBe(expected);
  });
});

it('without secrets nothing changes', () => {
  const mask = createMask(['']);
  expect([mask.text('a'), mask.cut('a'), mask.value({ a: 'b' })]).toEqual(['a', 'a', { a: 'b' }]);
});
