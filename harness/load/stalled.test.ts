import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { StalledKind } from '../model/scenario.ts';
import type { Endpoints } from '../model/target.ts';
import { stalledSocket } from './stalled.ts';
import { afterHead, httpService, httpsService, rawService, readsBodies, trial } from './testing.suite.ts';

const load = (kind: StalledKind) => ({ shape: 'stalled', kind }) as const;
const get = (path: string) => [{ method: 'GET', path }];

/** Reads bodies; /stream/… answers for ever. */
const service: RequestListener = (request, response) => {
  if (!request.url?.startsWith('/stream')) {
    readsBodies(request, response);
    return;
  }
  const timer = setInterval(() => response.write('data: 1\n\n'), 5);
  response.on('close', () => clearInterval(timer));
};

const kinds: readonly (readonly [StalledKind, RegExp, boolean, Partial<Endpoints>?])[] = [
  ['silent', /nothing sent/, false],
  ['half-request-line', /GET \/he/, false],
  ['half-headers', /one header and no empty line/, false],
  ['half-body', /POST \/ with half of a body/, true],
  ['reader-stops', /GET \/stream\/600000/, true, { stream: get('/stream/{ms}') }],
];

describe('a connection that does not go on', () => {
  it.each(kinds.flatMap((row) => (['http', 'https'] as const).map((over) => [row[0], over, row] as const)))(
    '%s over %s is held, and nobody ends it',
    async (kind, over, [, how, admitted, endpoints]) => {
      const { access } = await (over === 'http' ? httpService(service) : httpsService(service));
      const { context, start, of } = trial(access, endpoints);
      const { held, missing } = await start(stalledSocket(load(kind), context));
      expect(missing).toBeUndefined();
      expect(of('work.held')).toMatchObject([{ id: 'load-1-1', shape: 'stalled', over, admitted, ends: 'never' }]);
      expect(of('work.held')[0]?.how).toMatch(how);
      expect(of('work.held')[0]?.how.startsWith(`${kind}: `)).toBe(true);
      held[0]?.finish();
      await held[0]?.release();
      expect(of('work.finished')).toEqual([]);
      expect(of('work.ended')).toMatchObject([{ id: 'load-1-1', fate: 'held' }]);
    },
  );

  it.each([
    ['an end', (socket: Socket) => socket.destroy(), { fate: 'closed', by: 'FIN' }],
    ['a reset', (socket: Socket) => socket.resetAndDestroy(), { fate: 'reset', by: 'RST' }],
  ])('sees %s by the service', async (_, end, fate) => {
    const { access, sockets } = await httpService(service);
    const { context, start, of } = trial(access);
    const { held } = await start(stalledSocket(load('silent'), context));
    end([...sockets].at(-1) as Socket);
    await held[0]?.ended;
    expect(of('work.ended')).toMatchObject([fate]);
  });

  it('with half a body is not held where the answer does not wait for it: everything tried is named', async () => {
    const { access } = await httpService((_request, response) => response.writeHead(404).end());
    const { context, start, of } = trial(access, { upload: [{ method: 'POST', path: '/up' }] });
    expect(await start(stalledSocket(load('half-body'), context))).toMatchObject({
      missing: { capability: 'held work' },
    });
    expect(of('work.failed')[0]?.tried).toEqual(
      ['POST /up', 'POST /', 'PUT /'].map(
        (form) => `${form} with half of a body of 2000 bytes: not held: answered 404`,
      ),
    );
  });

  it('takes up reading at its release: a stream that was cut meanwhile is not held', async () => {
    const { access, sockets } = await httpService(service);
    const { context, start, of } = trial(access, { sse: get('/stream') });
    const { held } = await start(stalledSocket(load('reader-stops'), context));
    ([...sockets].at(-1) as Socket).destroy();
    await held[0]?.release();
    expect(of('work.ended')).toMatchObject([{ fate: 'truncated', status: 200 }]);
  });

  it('stops reading no answer that is whole at once', async () => {
    const { access } = await httpService(readsBodies);
    const { context, start, of } = trial(access, { stream: get('/short') });
    expect(await start(stalledSocket(load('reader-stops'), context))).toMatchObject({
      missing: { capability: 'held work' },
    });
    expect(of('work.failed')[0]?.tried[0]).toMatch(/not held: answered 200 when it was read/);
  });

  it.each([
    ['reader-stops', 'stream', "endpoints: { stream: ['GET /path'] }"],
    ['half-tls-handshake', 'tls', 'tls: { port: 8443 }'],
  ] as const)('%s says what to declare', async (kind, capability, declare) => {
    const { access } = await httpService(service);
    const { context, start, of } = trial(access);
    expect(await start(stalledSocket(load(kind), context))).toMatchObject({ missing: { capability, declare } });
    expect(of('work.failed')).toHaveLength(1);
  });

  it('in half a TLS handshake is bare TCP, and its first half is that of a real one', async () => {
    const { access } = await httpsService(service);
    const { context, start, of } = trial(access);
    await start(stalledSocket(load('half-tls-handshake'), context));
    expect(of('work.held')).toMatchObject([
      { over: 'tcp', admitted: false, how: expect.stringMatching(/ClientHello/) },
    ]);
  });

  it('is not there where nobody answers', async () => {
    const { access } = await rawService((socket) => socket.destroy());
    const { context, start, of } = trial(access);
    expect(await start(stalledSocket(load('silent'), context))).toMatchObject({ missing: { capability: 'http' } });
    expect(of('work.failed')).toHaveLength(1);
  });
});

describe('a half-closed connection', () => {
  const keepsHalfOpen = (answer: (socket: Socket, head: string) => void) => {
    const serve = afterHead(answer);
    return rawService((socket) => {
      socket.allowHalfOpen = true;
      serve(socket);
    });
  };
  const ok = (socket: Socket): void => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');

  it('is held after a complete request whose answer is still due', async () => {
    const { access } = await keepsHalfOpen((socket, head) => (head.startsWith('GET /slow') ? undefined : ok(socket)));
    const { context, start, of } = trial(access, { slow: get('/slow?ms={ms}') });
    await start(stalledSocket(load('half-closed'), context));
    expect(of('work.held')).toMatchObject([
      { admitted: true, how: 'half-closed: GET /slow?ms=600000, then FIN before its answer is due' },
    ]);
  });

  it('is held with nothing sent where no slow endpoint is declared', async () => {
    const { access } = await keepsHalfOpen(ok);
    const { context, start, of } = trial(access);
    await start(stalledSocket(load('half-closed'), context));
    expect(of('work.held')).toMatchObject([{ admitted: false, how: 'half-closed: connected, nothing sent, then FIN' }]);
  });

  it.each([
    ['HTTP', httpService],
    ['TLS', httpsService],
  ])('over %s that the service closes at once is right: nothing to judge, and said so', async (_, serve) => {
    const { access } = await serve(service);
    const { context, start, of } = trial(access);
    const { missing } = await start(stalledSocket(load('half-closed'), context));
    expect(missing).toMatchObject({
      capability: 'held work',
      reason: 'the service closes a half-closed connection at once',
    });
    expect(of('work.failed')[0]?.tried).toHaveLength(2);
  });
});
