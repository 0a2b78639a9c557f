import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { ClientHttp2Session } from 'node:http2';
import { connect as connectHttp2, createSecureServer, createServer as createHttp2Server } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { createServer as createTlsServer } from 'node:tls';
import { Client } from 'undici';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Access } from './connection.ts';
import { openConnection } from './connection.ts';
import type { Dial } from './dial.ts';
import { dialDirectly } from './dial.ts';
import type { Relay } from './relay.ts';
import { otherCertificate, serviceCertificate, serviceKey } from './testing/certificate.ts';
import { startRelay } from './testing/relay-process.suite.ts';
import { undiciConnector } from './undici-connector.ts';

let relay: Relay;
beforeAll(async () => {
  ({ relay } = await startRelay());
}, 60_000);
afterAll(async () => {
  relay.close();
  await relay.closed;
});

const LONG_MS = 20_000;
const address = '127.0.0.1';
const certificate = { key: serviceKey, cert: serviceCertificate };
const opened: { readonly servers: Server[]; readonly sockets: Socket[] } = { servers: [], sockets: [] };
afterEach(() => {
  for (const socket of opened.sockets.splice(0)) socket.destroy();
  for (const server of opened.servers.splice(0)) server.close();
});

async function listening(server: Server): Promise<number> {
  opened.servers.push(server);
  server.on('connection', (socket: Socket) => {
    opened.sockets.push(socket);
    socket.on('error', () => undefined);
  });
  server.listen(0, address);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const ways: readonly (readonly [string, Dial])[] = [
  ['directly', dialDirectly],
  ['through the relay', (to) => relay.dial(to)],
];

describe.each(ways)('%s', (_, dial) => {
  const clear = (port: number): Access => ({ address, port, over: 'http', dial });
  const secure = (port: number, tls: Omit<NonNullable<Access['tls']>, 'port'> = {}): Access => {
    return { address, port, over: 'https', tls: { port, ...tls }, dial };
  };
  const open = async (access: Access, halfOpen = false, limitMs = LONG_MS) => {
    const connected = await openConnection(access, { limitMs, now: () => 0, halfOpen });
    if (connected.socket) opened.sockets.push(connected.socket);
    return connected;
  };
  const tlsServer = async (serve: (socket: Socket) => void = () => undefined): Promise<number> => {
    const server = createTlsServer({ ...certificate, ALPNProtocols: ['http/1.1', 'h2'], allowHalfOpen: true }, serve);
    server.on('tlsClientError', () => undefined);
    return await listening(server);
  };

  it.each<[string, Omit<NonNullable<Access['tls']>, 'port'>, object]>([
    [
      'without a CA, unverified',
      {},
      { socket: expect.objectContaining({ alpnProtocol: 'http/1.1', authorized: false }) },
    ],
    ['with the right CA', { ca: serviceCertificate }, { socket: expect.objectContaining({ authorized: true }) }],
    [
      'with the right CA and name',
      { ca: serviceCertificate, serverName: 'service.test' },
      { socket: expect.objectContaining({ authorized: true }) },
    ],
    [
      'not with the wrong CA',
      { ca: otherCertificate },
      { outcome: 'reset', message: expect.stringMatching(/not accepted/) },
    ],
    [
      'not with the wrong name',
      { ca: serviceCertificate, serverName: 'other.test' },
      { outcome: 'reset', message: expect.stringMatching(/not accepted: ERR_TLS_CERT_ALT/) },
    ],
  ])('TLS stands %s', async (_title, tls, expected) => {
    expect(await open(secure(await tlsServer(), tls))).toMatchObject(expected);
  });

  it.each<[string, (socket: Socket) => void, object]>([
    [
      'reset',
      (socket) => socket.once('data', () => socket.resetAndDestroy()),
      { outcome: 'reset', message: 'ECONNRESET' },
    ],
    ['ended', (socket) => socket.once('data', () => socket.end()), { outcome: 'reset', message: 'ECONNRESET' }],
  ])('a TLS handshake that is %s is told so', async (_title, serve, expected) => {
    expect(await open(secure(await listening(createServer(serve))))).toMatchObject(expected);
  });

  it('a TLS handshake that nobody answers hangs, and one where nobody listens is refused', async () => {
    const silent = createServer();
    const port = await listening(silent);
    expect(await open(secure(port), false, 50)).toMatchObject({ outcome: 'hung' });
    for (const socket of opened.sockets.splice(0)) socket.destroy();
    silent.close();
    await once(silent, 'close');
    expect(await open(secure(port))).toMatchObject({ outcome: 'refused', message: 'ECONNREFUSED' });
    expect(await open(clear(port))).toMatchObject({ outcome: 'refused', message: 'ECONNREFUSED' });
  });

  it.each<[string, (socket: Socket) => void, readonly string[]]>([
    ['FIN', (socket) => socket.end('bye'), ['data bye', 'end', 'close false']],
    // From beneath the TLS: the bare connection is reset.
    ['RST', () => opened.sockets[0]?.resetAndDestroy(), ['error ECONNRESET read']],
    ['FIN without close_notify', () => opened.sockets[0]?.end(), ['end', 'close false']],
  ])('the end of a TLS connection by %s is told as such', async (_title, end, expected) => {
    const port = await tlsServer((socket) => socket.on('error', () => undefined).once('data', () => end(socket)));
    const { socket } = await open(secure(port));
    const told: string[] = [];
    socket?.on('data', (chunk) => told.push(`data ${chunk}`)).on('end', () => told.push('end'));
    socket?.on('error', (error: NodeJS.ErrnoException) => told.push(`error ${error.code} ${error.syscall}`));
    socket?.write('now');
    const hadError = await new Promise((resolve) => socket?.once('close', resolve));
    if (!told.some((line) => line.startsWith('error'))) told.push(`close ${hadError}`);
    expect(told).toEqual(expected);
  });

  it('the end of a TLS connection that is told late, since it was not read, is told as such too', async () => {
    const port = await tlsServer((socket) => {
      const bare = opened.sockets[0];
      socket.on('error', () => undefined).once('data', () => socket.write('bye', () => bare?.end()));
    });
    const { socket } = await open(secure(port));
    const told: string[] = [];
    socket?.pause().on('data', (chunk) => told.push(`data ${chunk}`));
    socket?.on('end', () => told.push('end')).on('error', ({ message }) => told.push(message));
    socket?.write('now');
    if (opened.sockets[0]) await once(opened.sockets[0], 'finish');
    for (let turn = 0; turn < 5; turn += 1) await relay.ping();
    socket?.resume();
    await new Promise((resolve) => socket?.once('close', resolve));
    expect(told).toEqual(['data bye', 'end']);
  });

  it('a megabyte goes each way over TLS, half-open', async () => {
    const bytes = 'x'.repeat(1024 * 1024);
    const port = await tlsServer((socket) => void text(socket).then((all) => socket.end(all)));
    const { socket } = await open(secure(port), true);
    socket?.end(bytes);
    expect(socket && (await text(socket)) === bytes).toBe(true);
  });

  it('a TLS connection that is not read stalls the other side', async () => {
    let done = false;
    const accepted = Promise.withResolvers<Socket>();
    const port = await tlsServer((socket) => {
      accepted.resolve(socket);
      socket.on('error', () => undefined).resume();
      socket.write(Buffer.alloc(32 * 1024 * 1024), () => (done = true));
    });
    const { socket } = await open(secure(port));
    socket?.once('data', () => socket.pause());
    if (socket) await once(socket, 'data');
    for (let turn = 0; turn < 50; turn += 1) await relay.ping();
    expect(done).toBe(false);
    socket?.resume();
    const writer = await accepted.promise;
    await new Promise((resolve) => writer.write('', resolve));
    expect(done).toBe(true);
  });

  const requested = async (session: ClientHttp2Session): Promise<string> => {
    const stream = session.request({ ':method': 'POST', ':path': '/' });
    stream.end('x'.repeat(100_000));
    const all = await text(stream);
    await new Promise<void>((resolve) => session.close(resolve));
    return all;
  };

  it('HTTP/2 is spoken, in the clear and in TLS', async () => {
    const plain = createHttp2Server((request, response) => request.pipe(response));
    const port = await listening(plain);
    const session = connectHttp2(`http://${address}:${port}`, {
      createConnection: () => dial({ host: address, port, noDelay: true }),
    });
    expect(await requested(session)).toBe('x'.repeat(100_000));
    const inTls = await listening(createSecureServer(certificate, (request, response) => request.pipe(response)));
    const { socket } = await open({ ...secure(inTls), over: 'h2' });
    const over = connectHttp2(`https://${address}:${inTls}`, { createConnection: () => socket as Socket });
    expect(await requested(over)).toBe('x'.repeat(100_000));
  });

  it.each<[string, (socket: Socket) => void, readonly string[]]>([
    ['reset', (socket) => socket.resetAndDestroy(), ['error ECONNRESET read', 'close']],
    ['ended', (socket) => socket.end(), ['close']],
  ])('an HTTP/2 session whose connection is %s ends with that', async (_title, end, expected) => {
    const server = createServer((socket) => socket.once('data', () => end(socket)));
    const port = await listening(server);
    const session = connectHttp2(`http://${address}:${port}`, {
      createConnection: () => dial({ host: address, port, noDelay: true }),
    });
    const told: string[] = [];
    session.on('error', (error: NodeJS.ErrnoException) => told.push(`error ${error.code} ${error.syscall}`));
    session.request({ ':path': '/' }).on('error', () => undefined);
    await new Promise((resolve) => session.once('close', resolve));
    expect([...told, 'close']).toEqual(expected);
  });

  it.each([
    ['HTTP', clear, () => createHttpServer((request, response) => request.pipe(response))],
    ['HTTPS', secure, () => createHttpsServer(certificate, (request, response) => request.pipe(response))],
  ] as const)('undici speaks %s, several requests on one connection', async (_title, to, serve) => {
    const server = serve();
    const port = await listening(server);
    const access = to(port);
    const client = new Client(`${access.over}://${address}:${port}`, { connect: undiciConnector(access, LONG_MS) });
    for (const body of ['one', 'x'.repeat(200_000)]) {
      const answer = await client.request({ method: 'POST', path: '/', body });
      expect(await answer.body.text()).toBe(body);
    }
    expect(opened.sockets).toHaveLength(1);
    await client.close();
    server.close();
    await once(server, 'close');
    const refused = new Client(`${access.over}://${address}:${port}`, { connect: undiciConnector(access, LONG_MS) });
    await expect(refused.request({ method: 'GET', path: '/' })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await refused.destroy();
  });

  it('undici gives up after the limit where a TLS handshake is not answered', async () => {
    const port = await listening(createServer());
    const client = new Client(`https://${address}:${port}`, { connect: undiciConnector(secure(port), 50) });
    await expect(client.request({ method: 'GET', path: '/' })).rejects.toThrow('no connection within 50 ms');
    await client.destroy();
  });
});
