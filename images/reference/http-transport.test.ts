import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { client as open, listening as listen } from './testing/listening.ts';

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const undo of cleanUp.splice(0)) await undo();
});

const listening = () => listen(cleanUp);
const client = (port: number) => open(port, cleanUp);

const held = 'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n';

describe('the HTTP transport', () => {
  it('answers with the length of the body it read', async () => {
    const { transport } = await listening();
    const { socket, until } = await client(transport.port);
    socket.write('PUT /any/path HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc');
    expect(await until('}')).toContain('"length":3');
  });

  it('refuses with 503, close and Retry-After once the gate is closed, /health too', async () => {
    const { transport, gate } = await listening();
    const { socket, all } = await client(transport.port);
    gate.close();
    socket.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n');
    const answer = await all;
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(answer).toContain('Connection: close');
    expect(answer).toContain('Retry-After: 0');
  });

  it('does not give leave to send a body to a request it refuses', async () => {
    const { transport, gate } = await listening();
    const { socket, all } = await client(transport.port);
    gate.close();
    socket.write(held);
    expect(await all).toMatch(/^HTTP\/1\.1 503 /);
  });

  it.each([
    ['/live', '200 OK', '{"live":true}'],
    ['/ready', '503 Service Unavailable', '{"ready":false}'],
  ])('answers %s with %s while the gate is closed', async (path, status, body) => {
    const { transport, gate } = await listening();
    const { socket, all } = await client(transport.port);
    gate.close();
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    const answer = await all;
    expect(answer).toContain(`HTTP/1.1 ${status}`);
    expect(answer).toContain(body);
    expect(answer).not.toContain('Retry-After');
  });

  it('says close on an answer that is due before it is asked to stop, once the gate is closed', async () => {
    const { transport, gate } = await listening();
    const { socket, until, all } = await client(transport.port);
    socket.write(held);
    await until('100 Continue');
    gate.close();
    socket.write('12345');
    expect(await all).toContain('Connection: close');
  });

  it('sends events and lines whole, with their end', async () => {
    const { transport } = await listening();
    const base = `http://127.0.0.1:${transport.port}`;
    expect(await (await fetch(`${base}/events?ms=0`)).text()).toBe('id: 1\ndata: tick\n\n');
    expect(await (await fetch(`${base}/stream?ms=60`)).text()).toBe('line 1\nline 2\n');
  });

  it('resets an answer without a length at the deadline, which would look whole after an orderly end', async () => {
    const { transport, clock, stop } = await listening();
    const { socket, until } = await client(transport.port);
    const failed = once(socket, 'error');
    socket.write('GET /stream HTTP/1.0\r\n\r\n');
    await until('line 1');
    const { stopped } = stop();
    await clock.advance(2000);
    await expect(stopped).resolves.toBe('cut');
    const [error] = (await failed) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ECONNRESET');
  });

  it('drops idle keep-alive and silent connections when it stops', async () => {
    const { transport, stop } = await listening();
    const [idle, silent] = [await client(transport.port), await client(transport.port)];
    idle.socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await idle.until('}');
    await expect(stop().stopped).resolves.toBe('drained');
    await Promise.all([idle.all, silent.all]);
  });

  it('lets an admitted request finish with its whole answer, which says close', async () => {
    const { transport, stop } = await listening();
    const { socket, until, all } = await client(transport.port);
    socket.write(held);
    await until('100 Continue');
    const { stopped } = stop();
    socket.write('12345');
    await expect(stopped).resolves.toBe('drained');
    const answer = await all;
    expect(answer).toContain('"length":5');
    expect(answer).toMatch(/connection: close/i);
  });

  it('cuts an admitted request when the graceful deadline passes', async () => {
    const { transport, clock, stop } = await listening();
    const { socket, until, all } = await client(transport.port);
    socket.write(held);
    await until('100 Continue');
    const { stopped } = stop();
    await clock.advance(2000);
    await expect(stopped).resolves.toBe('cut');
    expect(await all).not.toContain('200 OK');
  });

  it('refuses new connections while old work drains', async () => {
    const { transport, stop } = await listening();
    const port = transport.port;
    const { socket, until } = await client(port);
    socket.write(held);
    await until('100 Continue');
    const { stopped } = stop();
    const late = connect(port, '127.0.0.1');
    const [error] = (await once(late, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ECONNREFUSED');
    socket.write('12345');
    await stopped;
  });
});
