import { expect, it } from 'vitest';
import { readRegistryMessage } from './registry-message.ts';

const request = (more: object) => JSON.stringify({ jsonrpc: '2.0', id: 'x', method: 'm', ...more });
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const deep = (depth: number) => `{"id":"x","method":"m","params":${nested(depth - 1)}}`;

it('reads a goodbye', () => {
  const params = { runtimeInstanceId: 'i', reason: 'terminate' };
  expect(readRegistryMessage(request({ method: 'service/deregister', id: 'goodbye-1', params }))).toEqual({
    method: 'service/deregister',
    id: 'goodbye-1',
    runtimeInstanceId: 'i',
    reason: 'terminate',
    reasonKnown: true,
  });
});

it.each([
  ['text', { id: 'a' }, 'a'],
  ['a number', { id: 7 }, 7],
  ['null', { id: null }, null],
  ['none: a notification', { id: undefined }, undefined],
  ['128 bytes', { id: 'x'.repeat(128) }, 'x'.repeat(128)],
])('an id may be %s', (_, more, id) => {
  expect(readRegistryMessage(request(more))).toMatchObject({ method: 'm', id });
});

it.each([
  ['an answer has no method', '{"id":"command-1","result":{}}', { method: undefined, id: 'command-1' }],
  [
    'a reason of no protocol is told from one',
    request({ params: { reason: 'bored' } }),
    { reason: 'bored', reasonKnown: false },
  ],
  ['no reason is none of the protocol', request({}), { reasonKnown: false }],
  ['64 levels are fine', deep(64), { method: 'm' }],
  ['brackets in texts do not nest', request({ params: { line: `\\"${'['.repeat(100)}` } }), { method: 'm' }],
  ['a service id of 256 bytes is fine', request({ params: { serviceId: 'x'.repeat(256) } }), { method: 'm' }],
])('%s', (_, frame, expected) => {
  expect(readRegistryMessage(frame)).toMatchObject(expected);
});

it.each([
  ['{', 'not JSON'],
  ['', 'not JSON'],
  ['[]', 'not a JSON-RPC object'],
  ['"x"', 'not a JSON-RPC object'],
  ['null', 'not a JSON-RPC object'],
  ['{}', 'neither a request nor an answer'],
  [request({ id: [] }), 'an id that is neither text nor a number'],
  [request({ id: true }), 'an id that is neither text nor a number'],
  [request({ id: 'é'.repeat(65) }), 'an id of more than 128 bytes'],
  [request({ method: 5 }), 'a method that is not text'],
  [request({ params: { serviceId: 'x'.repeat(257) } }), 'a service id of more than 256 bytes'],
  [deep(65), 'JSON nested deeper than 64'],
  [nested(100_000), 'JSON nested deeper than 64'],
])('%.40s is no message: %s', (frame, problem) => {
  expect(readRegistryMessage(frame)).toEqual({ problem });
});
