import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer as createHttp } from 'node:http';
import { createServer as createHttp2, createSecureServer as createSecureHttp2 } from 'node:http2';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import { connect, createServer as createTcp } from 'node:net';
import { createServer as createTls } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { serviceCertificate as cert, serviceKey as key } from '../wire/testing/certificate.ts';
import { speechOf } from './speech.ts';

const services: { readonly server: Server; readonly sockets: Set<Socket> }[] = [];

afterEach(() => {
  for (const { server, sockets } of services.splice(0)) {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});

/** Listens on loopback; knows the connections that stand. */
async function serve(made: unknown): Promise<{ readonly port: number; readonly sockets: ReadonlySet<Socket> }> {
  const server = made as Server;
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  for (const event of ['tlsClientError', 'sessionError', 'secureConnection']) {
    server.on(event, (thing: unknown) => (thing as Socket).on?.('error', () => undefined));
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  services.push({ server, sockets });
  return { port: (server.address() as AddressInfo).port, sockets };
}

/** Long where an answer comes, so that a busy machine changes nothing; short where none does. */
const PATIENT = { patienceMs: 2000, answerMs: 5000, bannerMs: 5000 };
const BRIEF = { patienceMs: 50, answerMs: 300, bannerMs: 300 };
const at = { address: '127.0.0.1' };

const ok: RequestListener = (_, response) => response.end('ok');
const only =
  (paths: Readonly<Record<string, number>>): RequestListener =>
  ({ url = '' }, response) => {
    response.statusCode = paths[url] ?? 404;
    response.end('said');
  };
/** Does this with the first bytes of each connection. */
const onData = (answer: (socket: Socket, bytes: Buffer) => unknown) =>
  createTcp((socket) => socket.once('data', (bytes) => answer(socket, bytes)));
const NGINX_400 = 'HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 5\r\n\r\nplain';

describe('what a port speaks, by its answers', () => {
  it.each([
    [
      'a page',
      only({ '/': 200, '/ready': 503 }),
      { speaks: 'http', answers: { '/': 200, '/ready': 503, '/health': 404 } },
    ],
    ['not found', only({}), { speaks: 'http', answers: { '/': 404 } }],
    ['a bad request to everything', only({ '/': 400, '/ready': 400 }), { speaks: 'http', answers: { '/': 400 } }],
    ['a redirect', only({ '/': 302 }), { speaks: 'http', answers: { '/': 302 } }],
    ['that it cannot serve', only({ '/': 503 }), { speaks: 'http', answers: { '/': 503 }, unwell: true }],
  ])('HTTP that answers with %s is HTTP', async (_, listener, expected) => {
    const { port } = await serve(createHttp(listener));
    expect(await speechOf(at, port, PATIENT)).toMatchObject(expected);
  });

  it('a service that has every path says nothing of readiness by its paths', async () => {
    const { port } = await serve(createHttp(ok));
    const spoken = await speechOf(at, port, PATIENT);
    expect(spoken).toEqual({
      speaks: 'http',
      answers: { '/': 200 },
      told: 'answered GET / with 200, as any other path',
    });
  });

  it('an answer that has no end is HTTP, and no answer of a path', async () => {
    const { port } = await serve(createHttp((_, response) => response.write('for ever')));
    const spoken = await speechOf(at, port, { patienceMs: 2000, answerMs: 400, bannerMs: 100 });
    expect(spoken).toMatchObject({ speaks: 'http', answers: {} });
    expect(spoken.told).toContain('not whole in time');
  });

  it('a page that takes longer than anybody waits is HTTP where another path answers', async () => {
    const slow: RequestListener = ({ url }, response) => void (url === '/' ? undefined : response.writeHead(404).end());
    const { port } = await serve(createHttp(slow));
    const spoken = await speechOf(at, port, { patienceMs: 100, answerMs: 900, bannerMs: 100 });
    expect(spoken).toMatchObject({ speaks: 'http', answers: { '/ready': 404 } });
    expect(spoken.answers).not.toHaveProperty('/');
  });

  it('TLS with HTTP/1.1 in it is https', async () => {
    const { port } = await serve(createHttps({ key, cert }, only({ '/': 200, '/healthz': 204 })));
    const spoken = await speechOf(at, port, PATIENT);
    expect(spoken).toMatchObject({ speaks: 'https', answers: { '/': 200, '/healthz': 204 } });
    expect(spoken).not.toHaveProperty('http2');
  });

  it('TLS whose ALPN chooses h2 is https with HTTP/2', async () => {
    const listener = (_: unknown, response: { end(text: string): void }): void => response.end('ok');
    const { port } = await serve(createSecureHttp2({ key, cert, allowHTTP1: true }, listener));
    expect(await speechOf(at, port, PATIENT)).toMatchObject({ speaks: 'https', http2: true, answers: { '/': 200 } });
  });

  it('TLS with HTTP/2 alone is https, without answers of HTTP/1.1', async () => {
    const { port } = await serve(createSecureHttp2({ key, cert }, (_, response) => response.writeHead(415).end()));
    const spoken = await speechOf(at, port, PATIENT);
    expect(spoken).toEqual({
      speaks: 'https',
      http2: true,
      told: 'TLS; ALPN chose h2, answered GET / with 415, and no HTTP/1.1 in it',
    });
  });

  it('a port that answers plain HTTP with 400 and takes TLS is https', async () => {
    const inner = await serve(createHttps({ key, cert }, ok));
    const { port } = await serve(
      onData((socket, bytes) => {
        if (bytes[0] !== 0x16) return socket.end(NGINX_400);
        const through = connect(inner.port, '127.0.0.1');
        through.on('error', () => undefined).write(bytes);
        return socket.pipe(through).pipe(socket);
      }),
    );
    expect(await speechOf(at, port, PATIENT)).toMatchObject({ speaks: 'https', answers: { '/': 200 } });
  });

  it('TLS that has no HTTP in it is tls', async () => {
    const { port } = await serve(
      createTls({ key, cert }, (socket) => socket.once('data', () => socket.end('-ERR\r\n'))),
    );
    expect(await speechOf(at, port, PATIENT)).toMatchObject({ speaks: 'tls' });
  });

  it('what answers a ClientHello with an alert is tls', async () => {
    const alert = Buffer.from([0x15, 3, 3, 0, 2, 2, 112]);
    const { port } = await serve(onData((socket) => socket.end(alert)));
    expect(await speechOf(at, port, { ...PATIENT, bannerMs: 100 })).toMatchObject({ speaks: 'tls' });
  });

  it('HTTP/2 by prior knowledge alone is h2c', async () => {
    const { port } = await serve(createHttp2((_, response) => response.writeHead(404).end()));
    expect(await speechOf(at, port, PATIENT)).toEqual({
      speaks: 'h2c',
      told: 'speaks HTTP/2 by prior knowledge, answered GET / with 404, and no HTTP/1.1',
    });
  });

  it.each<[string, (socket: Socket, bytes: Buffer) => void, string]>([
    [
      'an error line (redis)',
      (socket) => socket.write("-ERR unknown command 'GET'\r\n"),
      'answered GET / with "-ERR unknown command',
    ],
    ['an error line (memcached)', (socket) => socket.write('ERROR\r\n'), 'answered GET / with "ERROR"'],
    ['an end (postgres)', (socket) => socket.end(), 'closed the connection at GET /'],
    ['a reset', (socket) => socket.resetAndDestroy(), 'reset the connection at GET /'],
    ['an echo', (socket, bytes) => socket.write(bytes), 'answered GET / with "GET / HTTP/1.1'],
  ])('a port that answers HTTP with %s is bare TCP', async (_, answer, told) => {
    const { port } = await serve(onData(answer));
    const spoken = await speechOf(at, port, { patienceMs: 2000, answerMs: 400, bannerMs: 100 });
    expect(spoken).toMatchObject({ speaks: 'tcp' });
    expect(spoken.told).toContain(told);
    expect(spoken).not.toHaveProperty('silent');
  });

  it('a port that speaks first is bare TCP, with what it said', async () => {
    const { port } = await serve(createTcp((socket) => socket.write('220 mail.example ESMTP\r\n')));
    expect(await speechOf(at, port, PATIENT)).toEqual({
      speaks: 'tcp',
      greets: true,
      told: 'sent "220 mail.example ESMTP" first',
    });
  });

  it('a port that takes connections and says nothing is bare TCP, and may not be up yet', async () => {
    const { port } = await serve(createTcp(() => undefined));
    expect(await speechOf(at, port, BRIEF)).toEqual({
      speaks: 'tcp',
      told: 'took a connection and answered nothing',
      silent: true,
    });
  });

  it('a port that nobody listens on speaks nothing', async () => {
    const { port } = await serve(createTcp());
    services.splice(0)[0]?.server.close();
    expect(await speechOf(at, port, PATIENT)).toEqual({ told: 'refuses connections from outside: ECONNREFUSED' });
  });
});

describe('a WebSocket', () => {
  it.each([
    ['on one path', '/ws', ['/ws']],
    ['on any path is told once', undefined, ['/']],
  ])('%s', async (_, path, expected) => {
    const server = createHttp(only({}));
    const sockets = new WebSocketServer({ server, ...(path === undefined ? {} : { path }) });
    sockets.on('error', () => undefined);
    const { port } = await serve(server);
    expect(await speechOf(at, port, PATIENT)).toMatchObject({ speaks: 'http', webSockets: expected });
  });

  it('is none where an upgrade is answered as a page', async () => {
    const { port } = await serve(createHttp(ok));
    expect(await speechOf(at, port, PATIENT)).not.toHaveProperty('webSockets');
  });

  it('in TLS is found too', async () => {
    const server = createHttps({ key, cert }, only({}));
    new WebSocketServer({ server, path: '/cable' }).on('error', () => undefined);
    const { port } = await serve(server);
    expect(await speechOf(at, port, PATIENT)).toMatchObject({ speaks: 'https', webSockets: ['/cable'] });
  });
});

describe('a look at a port', () => {
  it('asks with GET alone, and leaves no connection behind', async () => {
    const methods = new Set<string | undefined>();
    const server = createHttp((request, response) => {
      methods.add(request.method);
      response.end('ok');
    });
    const { port, sockets } = await serve(server);
    await speechOf(at, port, PATIENT);
    await Promise.all([...sockets].map(async (socket) => await once(socket, 'close')));
    expect([...methods]).toEqual(['GET']);
    expect(sockets.size).toBe(0);
  });
});
