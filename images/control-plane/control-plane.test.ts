import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { ControlPlane } from './control-plane.ts';

const ask = async (port: number, path: string): Promise<number | undefined> => {
  const asked = request({ port, path, agent: false });
  asked.end();
  const [response] = await once(asked, 'response');
  response.resume();
  return response.statusCode;
};

describe('the control plane', () => {
  let plane: ControlPlane;
  let port: number;
  beforeEach(async () => {
    plane = new ControlPlane();
    port = await plane.listen(0);
  });
  afterEach(() => {
    plane.leave();
    plane.cut();
  });

  it.each([
    ['/health', 200],
    ['/other', 404],
  ])('answers GET %s with %d', async (path, status) => {
    expect(await ask(port, path)).toBe(status);
  });

  it('takes WebSockets on /cp only', async () => {
    const elsewhere = new WebSocket(`ws://127.0.0.1:${port}/other`);
    const [error] = await once(elsewhere, 'error');
    expect(String(error)).toMatch(/404/);
    const socket = new WebSocket(`ws://127.0.0.1:${port}/cp`);
    await once(socket, 'open');
    socket.send('{"jsonrpc":"2.0","id":1,"method":"cp/ping"}');
    expect(String((await once(socket, 'message'))[0])).toMatch(/pong/);
  });

  it('closes each peer with 1012 and its reason, and is drained when they are gone', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/cp`);
    await once(socket, 'open');
    const closed = once(socket, 'close');
    plane.leave();
    await plane.drained();
    const [code, reason] = await closed;
    expect([code, String(reason)]).toEqual([1012, 'control plane shutting down']);
  });

  it('gives the Close to a socket whose upgrade is complete only after the latch', async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write('GET /cp HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n');
    // it has read that much once it has answered somebody who asked later
    await ask(port, '/health');
    plane.leave();
    socket.write('Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n');
    let seen = Buffer.alloc(0);
    while (!seen.includes('control plane shutting down')) {
      const [piece] = await once(socket, 'data');
      seen = Buffer.concat([seen, piece]);
    }
    expect(String(seen)).toMatch(/^HTTP\/1.1 101 /);
    socket.destroy();
    await plane.drained();
  });

  it('refuses a request on a kept connection after the latch', async () => {
    const busy = connect(port, '127.0.0.1');
    busy.write('POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n');
    await ask(port, '/health');
    plane.leave();
    busy.write('bGET /health HTTP/1.1\r\nHost: x\r\n\r\n');
    let seen = '';
    while (!seen.includes('\r\n\r\n')) seen += String((await once(busy, 'data'))[0]);
    expect(seen).toMatch(/^HTTP\/1.1 404 .*Connection: close/s);
    await plane.drained();
  });

  it('drops at the end of the drain a request that never gets whole', async () => {
    const busy = connect(port, '127.0.0.1');
    busy.on('error', () => undefined);
    const closed = once(busy, 'close');
    busy.write('POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n');
    await ask(port, '/health');
    plane.leave();
    plane.cut();
    await closed;
    await plane.drained();
  });
});
