import { expect, it } from 'vitest';
import { safeJson } from './safe-json.ts';

it.each([
  ['an escape character and a NUL', '\u001b[31m\u0000', '"\\u001b[31m\\u0000"'],
  ['8-bit controls', '\u009b31m\u0085\u007f', '"\\u009b31m\\u0085\\u007f"'],
  [
    'characters that hide or turn a line around',
    '\u202ea\u200b\ufeff\u{e0041}',
    '"\\u202ea\\u200b\\ufeff\\udb40\\udc41"',
  ],
  ['line ends of other languages', 'a\u2028b\u2029', '"a\\u2028b\\u2029"'],
  ['markers of commands', '##[error] ###', '"\\u0023#[error] \\u0023\\u0023#"'],
  ['a lone surrogate', '\ud800', '"\\ud800"'],
  ['ordinary text', 'grüße 😀 # a', '"grüße 😀 # a"'],
])('shows nothing raw, and loses nothing: %s', (_, given, expected) => {
  expect(safeJson(given)).toBe(expected);
  expect(JSON.parse(safeJson(given))).toBe(given);
  expect(JSON.parse(safeJson({ [given]: [given] }, 2))).toEqual({ [given]: [given] });
});
