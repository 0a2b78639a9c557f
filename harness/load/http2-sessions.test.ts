import { once } from 'node:events';
import type { Http2ServerRequest, Http2ServerResponse, ServerHttp2Session } from 'node:http2';
import { createSecureServer } from 'node:http2';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Access } from '../wire/connection.ts';
import { encodeFields } from '../wire/hpack.ts';
import { frameFlag, frameType, words } from '../wire/http2-frames.ts';
import type { Peer } from '../wire/testing/http2-peer.ts';
import { http2Peer } from '../wire/testing/http2-peer.ts';
import { otherCertificate, serviceCertificate, serviceKey } from '../wire/testing/certificate.ts';
import { http2Sessions } from './http2-sessions.ts';
import { httpService, httpsService, readsBodies, trial } from './testing.suite.ts';
import type { HeldWork } from './traffic.ts';

const load = { shape: 'http2-sessions', streams: 3 } as const;
const pem = { key: serviceKey, cert: serviceCertificate };

const running: { readonly server: Server; readonly sessions: readonly { destroy(): void }[] }[] = [];
afterEach(() => {
  for (const { server, sessions } of running.splice(0)) {
    for (const session of sessions) session.destroy();
    server.close();
  }
});

type Answer = (request: Http2ServerRequest, response: Http2ServerResponse) => void;

const waits: Answer = (request, response) => {
  request.resume().on('end', () => response.writeHead(200, { 'retry-after': '0', server: 'one' }).end('fine'));
};

async function serve(answer: Answer = waits) {
  const sessions: ServerHttp2Session[] = [];
  const server = createSecureServer(pem, answer);
  server.on('session', (session) => {
    sessions.push(session);
    session.on('error', () => undefined);
  });
  running.push({ server, sessions });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const access: Access = { address: '127.0.0.1', port, over: 'h2', tls: { port, ca: serviceCertificate } };
  return { access, sessions, server };
}

/** Answers what is whole, by hand: no HTTP/2 library would after GOAWAY. */
async function framedService(made: (peer: Peer) => void): Promise<Access> {
  const answer = encodeFields({ ':status': '200' });
  const port = await raw((socket) => {
    const peer = http2Peer(socket, ({ flags, stream }, { send }) => {
      const whole = stream > 0 && (flags & frameFlag.endStream) !== 0;
      if (whole) send(frameType.headers, frameFlag.endHeaders | frameFlag.endStream, stream, answer);
    });
    peer.send(frameType.settings, 0, 0);
    made(peer);
  }, true);
  return { address: '127.0.0.1', port, over: 'h2', tls: { port, ca: serviceCertificate } };
}

async function raw(serveSocket: (socket: Socket) => void, tls = false): Promise<number> {
  const quiet = (socket: Socket): void => {
    socket.on('error', () => undefined);
    serveSocket(socket);
  };
  const server = tls ? createTlsServer({ ...pem, ALPNProtocols: ['h2'] }, quiet) : createTcpServer(quiet);
  const sockets: Socket[] = [];
  server.on('connection', (socket: Socket) => sockets.push(socket));
  running.push({ server, sessions: sockets });
  server.on('tlsClientError', () => undefined).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const ended = (held: readonly HeldWork[]) => Promise.all(held.map((work) => work.ended));

describe('HTTP/2 sessions', () => {
  it('are held: one with streams in flight, one idle, one deaf', async () => {
    const { access, sessions } = await serve();
    const { context, start, of } = trial(access);
    const { held } = await start(http2Sessions(load, context));
    expect(sessions).toHaveLength(3);
    const stream = {
      shape: 'h2-stream',
      over: 'h2',
      admitted: true,
      ends: 'finish',
      normal: { status: 200, bytes: 4 },
    };
    const session = { shape: 'h2-session', over: 'h2', admitted: false, ends: 'never' };
    expect(of('work.held')).toMatchObject([
      ...[1, 2, 3].map((n) => ({ id: `load-1-busy-${n}`, how: 'POST / with a body sent slowly', ...stream })),
      { id: 'load-1-deaf-1', ...stream },
      ...['busy', 'idle', 'deaf'].map((name) => ({ id: `load-1-${name}`, ...session })),
    ]);
    for (const work of held) work.finish();
    await ended(held.slice(0, 4));
    const answer = { fate: 'answered', status: 200, bytes: 4, headers: { 'retry-after': '0', server: 'one' } };
    expect(of('work.ended')).toMatchObject(Array.from({ length: 4 }, () => answer));
    expect(
      of('work.finished')
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(['busy-1', 'busy-2', 'busy-3', 'deaf-1'].map((name) => `load-1-${name}`));
  });

  it('hear GOAWAY: the idle one leaves, streams in flight complete, and new streams of the deaf one are refused', async () => {
    const { access, sessions, server } = await serve();
    const { context, start, of } = trial(access);
    const { held } = await start(http2Sessions(load, context));
    server.close();
    for (const session of sessions) session.close();
    await held[5]?.ended;
    expect(of('work.ended')[0]).toMatchObject({ id: 'load-1-idle', shape: 'h2-session', fate: 'closed', by: 'GOAWAY' });
    for (const work of held) work.finish();
    await ended(held);
    await held[6]?.release(); // its new streams are recorded by then
    expect(
      of('h2.goaway')
        .map(({ id, code }) => `${id} ${code}`)
        .toSorted(),
    ).toEqual(['busy', 'deaf', 'idle'].map((name) => `load-1-${name} 0`));
    const fates = new Map(of('work.ended').map(({ id, fate, by }) => [id, [fate, by]]));
    for (const id of ['busy-1', 'busy-2', 'busy-3', 'deaf-1']) expect(fates.get(`load-1-${id}`)?.[0]).toBe('answered');
    expect(fates.get('load-1-busy')).toEqual(['closed', 'GOAWAY']);
    expect(fates.get('load-1-deaf'), 'closed by the service alone').toEqual(['closed', 'FIN']);
    const asked = of('work.ended').filter(({ shape }) => shape === 'h2-new-stream');
    expect(asked[0]).toMatchObject({
      id: 'load-1-deaf-new-1',
      message: expect.stringMatching(/after GOAWAY with last/),
    });
    expect(new Set(asked.map(({ fate }) => fate))).toEqual(new Set(['refused']));
  });

  it('tell a service that serves new streams after its GOAWAY', async () => {
    const peers: Peer[] = [];
    const access = await framedService((peer) => peers.push(peer));
    const { context, start, of } = trial(access);
    await start(http2Sessions(load, context));
    for (const peer of peers) peer.send(frameType.goaway, 0, 0, words(1, 0));
    const news = () => of('work.ended').filter(({ shape }) => shape === 'h2-new-stream');
    await vi.waitFor(() => expect(news().length).toBeGreaterThan(1));
    expect(news()[1]).toMatchObject({ id: 'load-1-deaf-new-2', fate: 'answered', status: 200 });
    expect(of('h2.goaway')[0]).toMatchObject({ code: 0, lastStream: 1 });
  });

  it('ask for nothing new after a GOAWAY that only announces', async () => {
    let asked = 0;
    const { access, sessions } = await serve((request, response) => {
      asked += request.method === 'GET' ? 1 : 0;
      waits(request, response);
    });
    const { context, start, of } = trial(access);
    const { held } = await start(http2Sessions(load, context));
    for (const session of sessions) session.goaway(0, 2 ** 31 - 1);
    await vi.waitFor(() => expect(of('h2.goaway')).toHaveLength(3));
    await Promise.all(held.map((work) => work.release()));
    expect(asked, 'the three of the baseline').toBe(3);
    expect(of('work.ended').filter(({ shape }) => shape === 'h2-new-stream')).toEqual([]);
  });

  it.each([
    [
      'closes its connections',
      (session: ServerHttp2Session) => session.destroy(),
      'FIN',
      ['refused', 'closed', 'reset'],
    ],
    ['ignores a new stream', (session: ServerHttp2Session) => session.goaway(0, 1), undefined, ['hung', 'refused']],
  ])('have an exact end where the service %s', async (_, end, by, fates) => {
    const { access, sessions } = await serve();
    const { context, start, of } = trial(access);
    const { held } = await start(http2Sessions(load, context));
    for (const session of sessions) end(session);
    if (by) await ended(held);
    else await vi.waitFor(() => expect(of('h2.goaway')).toHaveLength(3));
    await Promise.all(held.map((work) => work.release()));
    for (const { id, fate } of of('work.ended').filter(({ shape }) => shape !== 'h2-session')) {
      expect(fates, id).toContain(fate);
    }
    expect(of('work.ended').length).toBeGreaterThanOrEqual(7);
  });

  it('that are let go while nothing has happened count as held, once', async () => {
    const { access } = await serve();
    const { context, start, of } = trial(access);
    const { held } = await start(http2Sessions(load, context));
    await Promise.all(held.toReversed().map((work) => work.release()));
    await Promise.all(held.map((work) => work.release()));
    expect(of('work.ended').map(({ fate }) => fate)).toEqual(Array.from({ length: 7 }, () => 'held'));
  });

  it('try declared endpoints first, and name everything tried where no stream is held', async () => {
    const { access } = await serve((_request, response) => response.writeHead(404).end());
    const { context, start, of } = trial(access, { upload: [{ method: 'PUT', path: '/up' }] });
    expect(await start(http2Sessions(load, context))).toMatchObject({ missing: { capability: 'held work' } });
    expect(of('work.failed')).toMatchObject([
      {
        id: 'load-1',
        tried: ['PUT /up', 'POST /', 'PUT /'].map((form) => `${form} with a body sent slowly: not held: answered 404`),
      },
    ]);
    expect(of('work.held')).toEqual([]);
  });
});

describe('HTTP/2 sessions with a stranger', () => {
  it.each([
    [
      'knows no HTTP/2',
      async () => (await httpsService(readsBodies)).access.port,
      undefined,
      'http2',
      /does not offer HTTP\/2/,
    ],
    ['speaks no TLS', async () => (await httpService(readsBodies)).access.port, undefined, 'tls', /no TLS on port/],
    ['closes at once', () => raw((socket) => socket.destroy()), undefined, 'tls', /no TLS on port/],
    ['has another CA', async () => (await serve()).access.port, otherCertificate, 'tls', /CERT|SIGNED|VERIFY/i],
    ['has a CA that is none', async () => (await serve()).access.port, 'none', 'tls', /./],
    ['says HTTP/2 and ends', () => raw((socket) => socket.end(), true), undefined, 'http2', /GET \/ over HTTP\/2/],
    [
      'says HTTP/2 and speaks another',
      () => raw((socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'), true),
      undefined,
      'http2',
      /not HTTP\/2/,
    ],
  ] as const)('that %s are missing by name', async (_, start, ca, capability, reason) => {
    const port = await start();
    const tls = { port, ...(ca === undefined ? {} : { ca }) };
    const { context, start: run, of } = trial({ address: '127.0.0.1', port, over: 'h2', tls });
    const { missing } = await run(http2Sessions(load, context));
    expect(missing).toMatchObject({ capability, declare: expect.stringContaining('tls:') });
    expect(missing?.reason).toMatch(reason);
    expect(of('work.failed')).toHaveLength(1);
  });

  it('without TLS are missing by name', async () => {
    const { access } = await httpService(readsBodies);
    const { context, start } = trial(access);
    expect(await start(http2Sessions(load, context))).toMatchObject({ missing: { capability: 'http2' } });
  });
});
