import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { AdmissionGate } from './admission-gate.ts';
import { HttpTransport } from './http-transport.ts';
import { serveRequest } from './service.ts';
import { ShutdownContext } from './shutdown-context.ts';
import { VirtualClock } from './testing/virtual-clock.ts';

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const undo of cleanUp.splice(0)) await undo();
});

const listening = async () => {
  const gate = new AdmissionGate();
  const transport = new HttpTransport(0, serveRequest);
  await transport.bind(gate, new AbortController().signal);
  cleanUp.push(() => transport.abort());
  gate.open();
  const clock = new VirtualClock();
  const stop = (): { context: ShutdownContext; stopped: Promise<'drained' | 'cut'> } => {
    gate.close();
    const context = new ShutdownContext('Terminate', 2000, clock);
    return { context, stopped: transport.stop(context) };
  };
  return { gate, transport, clock, stop };
};

/** A client that shows everything it was sent. */
const client = async (
  port: number,
): Promise<{ socket: Socket; until(part: string): Promise<string>; all: Promise<string> }> => {
  const socket = connect(port, '127.0.0.1');
  cleanUp.push(() => socket.destroy());
  let text = '';
  const all = new Promise<string>((resolve) => socket.on('close', () => resolve(text)));
  socket.on('error', () => undefined);
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await once(socket, 'connect');
  const until = async (part: string): Promise<string> => {
    while (!text.includes(part)) await once(socket, 'data');
    return text;
  };
  return { socket, until, all };
};

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
