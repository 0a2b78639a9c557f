import { describe, expect, it } from 'vitest';
import { goodbye, readMessage, registration, sessionAddress } from './registry-messages.ts';

describe('the registry messages', () => {
  it.each([
    ['http://10.0.0.1:9000', 'ws://10.0.0.1:9000/ws/microservice'],
    ['https://portal/', 'wss://portal/ws/microservice'],
    ['ws://portal/a/b', 'ws://portal/a/b/ws/microservice'],
  ])('of %s go to %s', (portal, address) => {
    expect(sessionAddress(portal)).toBe(address);
  });

  it('register under the id that the protocol fixes', () => {
    const identity = { serviceId: 's', version: '1', protocol: 'http', address: '10.0.0.2', port: 8080 } as const;
    expect(JSON.parse(registration(identity))).toMatchObject({
      jsonrpc: '2.0',
      id: 'register-1',
      method: 'service/register',
      params: identity,
    });
  });

  it.each([
    ['Terminate', 'terminate'],
    ['Interrupt', 'interrupt'],
    ['Programmatic', 'programmatic'],
  ] as const)('say goodbye after %s with the reason %s', (accepted, reason) => {
    expect(JSON.parse(goodbye('one', accepted))).toEqual({
      jsonrpc: '2.0',
      id: 'goodbye-1',
      method: 'service/deregister',
      params: { runtimeInstanceId: 'one', reason },
    });
  });

  it.each([
    ['no JSON', undefined],
    ['7', undefined],
    ['null', undefined],
    ['{"method":"session/draining"}', { failed: false }],
    ['{"id":7,"result":"x"}', { failed: false }],
    ['{"id":"a","error":{"code":-32602}}', { id: 'a', failed: true }],
    [
      '{"id":"a","result":{"runtimeInstanceId":"one","status":"registered"}}',
      { id: 'a', runtimeInstanceId: 'one', status: 'registered', failed: false },
    ],
  ])('are read from %s', (text, message) => {
    expect(readMessage(text)).toEqual(message);
  });
});
