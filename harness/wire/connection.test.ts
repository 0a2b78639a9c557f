import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import type { Access } from './connection.ts';
import { connectFailure, endedBy, openConnection, requestHead } from './connection.ts';
import { otherCertificate, serviceCertificate, serviceKey } from './testing/certificate.ts';

const LONG_MS = 20_000;
const opened: { readonly servers: Server[]; readonly sockets: Socket[] } = { servers: [], sockets: [] };
afterEach(() => {
  for (const socket of opened.sockets.splice(0)) socket.destroy();
  for (const server of opened.servers.splice(0)) server.close();
});

async function listening<S extends Server>(server: S): Promise<number> {
  opened.servers.push(server);
  server.on('connection', (socket: Socket) => opened.sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function open(access: Access, limitMs = LONG_MS) {
  let now = 0;
  const connected = await openConnection(access, { limitMs, now: () => (now += 1) });
  if (connected.socket) opened.sockets.push(connected.socket);
  return connected;
}

const clear = (port: number): Access => ({ address: '127.0.0.1', port, over: 'http' });

describe('a connection', () => {
  it('stands once the other side has accepted it, and carries what is written', async () => {
    const server = createServer((socket) => socket.pipe(socket));
    const connected = await open(clear(await listening(server)));
    expect(connected).toMatchObject({ begin: 1, connectedAt: 2 });
    connected.socket?.write('ping');
    const [echo] = connected.socket ? await once(connected.socket, 'data') : [];
    expect(String(echo)).toBe('ping');
  });

  it('is refused where nobody listens', async () => {
    const server = createServer();
    const port = await listening(server);
    server.close();
    await once(server, 'close');
    expect(await open(clear(port))).toMatchObject({ outcome: 'refused', message: 'ECONNREFUSED', begin: 1, t: 2 });
  });

  it('that ends in its TLS handshake is reset, one that says nothing there is hung', async () => {
    const silent = await listening(createServer());
    const resets = await listening(createServer((socket) => socket.once('data', () => socket.resetAndDestroy())));
    const tls = (port: number): Access => ({ address: '127.0.0.1', port, over: 'https', tls: { port } });
    expect(await open(tls(resets))).toMatchObject({ outcome: 'reset', message: 'ECONNRESET' });
    expect(await open(tls(silent), 50)).toMatchObject({ outcome: 'hung', message: 'no connection within 50 ms' });
  });

  it.each([
    ['ECONNREFUSED', 'refused'],
    ['ECONNRESET', 'reset'],
    ['ETIMEDOUT', 'hung'],
    ['EHOSTUNREACH', 'hung'],
    ['CERT_HAS_EXPIRED', 'reset'],
    ['EMFILE', 'ours'],
    ['EADDRNOTAVAIL', 'ours'],
  ])('that fails with %s is %s', (code, outcome) => {
    expect(connectFailure(Object.assign(new Error(code), { code }))).toBe(outcome);
  });

  it('tells a FIN from a reset', async () => {
    const seen = async (end: (socket: Socket) => void): Promise<string> => {
      const { socket } = await open(clear(await listening(createServer(end))));
      let error: Error | undefined;
      socket
        ?.on('error', (reason) => (error = reason))
        .resume()
        .write('x');
      if (socket) await once(socket, 'close').catch(() => once(socket, 'close'));
      return endedBy(error);
    };
    expect(await seen((socket) => socket.on('data', () => socket.end()))).toBe('FIN');
    expect(await seen((socket) => socket.on('data', () => socket.resetAndDestroy()))).toBe('RST');
    expect(endedBy(Object.assign(new Error('late'), { code: 'ETIMEDOUT' }))).toBe('timeout');
  });
});

describe('a TLS connection', () => {
  const certificate = { key: serviceKey, cert: serviceCertificate };
  const reach = async (tls: Omit<NonNullable<Access['tls']>, 'port'>) => {
    const port = await listening(createTlsServer({ ...certificate, ALPNProtocols: ['http/1.1', 'h2'] }));
    return await open({ address: '127.0.0.1', port, over: 'https', tls: { port, ...tls } });
  };

  it('stands without a CA, unverified, and with the right one', async () => {
    expect((await reach({})).socket).toMatchObject({ encrypted: true, authorized: false, alpnProtocol: 'http/1.1' });
    const verified = await reach({ ca: serviceCertificate, serverName: 'service.test' });
    expect(verified.socket).toMatchObject({ authorized: true });
  });

  it('is verified by its chain alone where no server name is given: no certificate names a container address', async () => {
    expect((await reach({ ca: serviceCertificate })).socket).toMatchObject({ authorized: true });
  });

  it('does not stand with the wrong CA or the wrong name, and says why', async () => {
    const wrongCa = await reach({ ca: otherCertificate, serverName: 'service.test' });
    const byCa =
      /^its certificate is not accepted: .*(SELF_SIGNED|UNABLE|SIGNATURE).*; the ca or serverName is not right$/;
    expect(wrongCa).toMatchObject({ outcome: 'reset', message: expect.stringMatching(byCa) });
    const wrongName = await reach({ ca: serviceCertificate, serverName: 'other.test' });
    expect(wrongName).toMatchObject({
      outcome: 'reset',
      message: expect.stringContaining('not accepted: ERR_TLS_CERT_ALT'),
    });
  });
});

describe('the head of a request', () => {
  it.each([
    [{ address: '10.0.0.2', port: 80, over: 'http' }, '10.0.0.2:80'],
    [{ address: 'fd00::2', port: 80, over: 'http' }, '[fd00::2]:80'],
    [{ address: '10.0.0.2', port: 443, over: 'https', tls: { port: 443, serverName: 'shop.test' } }, 'shop.test:443'],
  ] satisfies [Access, string][])('to %o names the host %s', (access, host) => {
    expect(requestHead(access, 'GET', '/x', { connection: 'keep-alive' })).toBe(
      `GET /x HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n\r\n`,
    );
  });
});
