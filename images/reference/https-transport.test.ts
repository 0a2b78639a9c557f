import { once } from 'node:events';
import type { ClientHttp2Session } from 'node:http2';
import { connect } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { client as open, listening as listen, trust } from './testing/listening.ts';

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const undo of cleanUp.splice(0)) await undo();
});

const listening = () => listen(cleanUp);

const session = async (port: number): Promise<ClientHttp2Session> => {
  const client = connect(`https://127.0.0.1:${port}`, trust);
  cleanUp.push(() => client.destroy());
  client.on('error', () => undefined);
  await once(client, 'connect');
  return client;
};

interface Stream {
  readonly status: number | undefined;
  readonly retryAfter: string | undefined;
  readonly text: string;
  readonly code: number;
}

/** A request whose fate is known at the end; `body` is sent when it is called. */
const ask = (client: ClientHttp2Session, method: string, path: string) => {
  const stream = client.request({ ':method': method, ':path': path }, { endStream: method === 'GET' });
  let status: number | undefined;
  let retryAfter: string | undefined;
  let text = '';
  stream.on('error', () => undefined);
  stream.on('response', (headers) => {
    status = headers[':status'];
    retryAfter = headers['retry-after'];
  });
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const ended = new Promise<Stream>((resolve) =>
    stream.on('close', () => resolve({ status, retryAfter, text, code: stream.rstCode ?? 0 })),
  );
  return { ended, body: (chunk: string) => stream.end(chunk), answered: once(stream, 'response') };
};

describe('the transport in TLS', () => {
  it('speaks HTTP/1.1 with the same gate', async () => {
    const { transport, gate } = await listening();
    const { socket, until, all } = await open(transport.httpsPort, cleanUp, 'https');
    socket.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(await until('}')).toContain('200 OK');
    gate.close();
    socket.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n');
    const answer = await all;
    expect(answer).toContain('503 Service Unavailable');
    expect(answer).toContain('Connection: close');
    expect(answer).toContain('Retry-After: 0');
  });

  it('speaks HTTP/2 with the same gate, and 503 with retry-after is a stream’s answer', async () => {
    const { transport, gate } = await listening();
    const client = await session(transport.httpsPort);
    expect(await ask(client, 'GET', '/health').ended).toMatchObject({ status: 200, text: '{"status":"ready"}' });
    gate.close();
    expect(await ask(client, 'GET', '/health').ended).toMatchObject({ status: 503, retryAfter: '0' });
    expect(await ask(client, 'GET', '/live').ended).toMatchObject({ status: 200, retryAfter: undefined });
  });

  it('says GOAWAY and lets streams in flight complete', async () => {
    const { transport, stop } = await listening();
    const client = await session(transport.httpsPort);
    await ask(client, 'GET', '/health').ended;
    const stream = ask(client, 'POST', '/upload');
    const [goaway, closed] = [once(client, 'goaway'), once(client, 'close')];
    await ask(client, 'GET', '/health').ended; // the stream before it has arrived too
    const { stopped } = stop();
    expect((await goaway)[0]).toBe(0);
    stream.body('12345');
    await expect(stopped).resolves.toBe('drained');
    expect(await stream.ended).toMatchObject({ status: 200, text: '{"service":"reference","length":5}', code: 0 });
    await closed;
  });

  it('closes an idle session with GOAWAY', async () => {
    const { transport, stop } = await listening();
    const client = await session(transport.httpsPort);
    await ask(client, 'GET', '/health').ended;
    const [goaway, closed] = [once(client, 'goaway'), once(client, 'close')];
    await expect(stop().stopped).resolves.toBe('drained');
    await Promise.all([goaway, closed]);
  });

  it('cuts streams at the deadline, so that the client can tell', async () => {
    const { transport, clock, stop } = await listening();
    const client = await session(transport.httpsPort);
    const stream = ask(client, 'GET', '/stream');
    await stream.answered;
    const { stopped } = stop();
    await clock.advance(2000);
    await expect(stopped).resolves.toBe('cut');
    expect((await stream.ended).code).not.toBe(0);
  });

  it('is not held by a silent connection or by half a handshake', async () => {
    const { transport, stop } = await listening();
    const half = Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]);
    const ends = [Buffer.alloc(0), half].map(async (bytes) => {
      const socket = connectTcp(transport.httpsPort, '127.0.0.1');
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      socket.write(bytes);
      return { closed: once(socket, 'close') };
    });
    const sockets = await Promise.all(ends);
    // a whole exchange behind them: the server has seen both
    await ask(await session(transport.httpsPort), 'GET', '/health').ended;
    await expect(stop().stopped).resolves.toBe('drained');
    await Promise.all(sockets.map(({ closed }) => closed));
  });
});
