import { once } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { otherCertificate } from '../wire/testing/certificate.ts';
import { slowBody } from './slow-body.ts';
import type { Trial } from './testing.suite.ts';
import { afterHead, httpService, httpsService, rawService, readsBodies, trial } from './testing.suite.ts';

const load = (count: number): { readonly shape: 'slow-body'; readonly count: number } => ({
  shape: 'slow-body',
  count,
});

/** The connections on which a body is awaited: the baseline is answered at once and closed. */
function waiting(): {
  readonly requests: { readonly request: IncomingMessage; readonly response: ServerResponse }[];
  readonly answer: (request: IncomingMessage, response: ServerResponse) => void;
} {
  const requests: { request: IncomingMessage; response: ServerResponse }[] = [];
  return {
    requests,
    answer(request, response) {
      if (request.headers.connection !== 'close') requests.push({ request, response });
      readsBodies(request, response);
    },
  };
}

async function holdOne(
  answer: Parameters<typeof httpService>[0],
): Promise<Trial & { readonly finish: () => void; readonly ended: Promise<void> }> {
  const service = await httpService(answer);
  const run = trial(service.access);
  const { held } = await run.start(slowBody(load(1), run.context));
  const [work] = held;
  if (!work) throw new Error(JSON.stringify(run.seen));
  return { ...run, finish: () => work.finish(), ended: work.ended };
}

describe('requests whose body is sent slowly', () => {
  it.each([
    ['in the clear', httpService, 'http'],
    ['over TLS', httpsService, 'https'],
  ])('%s are held until we finish, and then answered whole', async (_, service, over) => {
    const run = trial((await service(readsBodies)).access);
    const { held } = await run.start(slowBody(load(3), run.context));
    expect(run.of('work.held').map(({ id }) => id)).toEqual(['load-1-1', 'load-1-2', 'load-1-3']);
    expect(run.of('work.held')[0]).toMatchObject({
      shape: 'slow-body',
      how: 'POST / with a body sent slowly',
      over,
      ends: 'finish',
      normal: { status: 200 },
    });
    expect(run.of('work.ended')).toEqual([]);
    for (const work of [...held, ...held]) work.finish(); // twice is once
    await Promise.all(held.map(({ ended }) => ended));
    expect(run.of('work.finished')).toHaveLength(3);
    for (const ended of run.of('work.ended')) {
      expect(ended).toMatchObject({ fate: 'answered', status: 200, bytes: 2 });
      expect(ended.by).toBeUndefined();
      expect(ended.firstByteAt).toBeGreaterThan(ended.begin ?? Number.POSITIVE_INFINITY);
      expect(ended.lastByteAt).toBeGreaterThanOrEqual(ended.firstByteAt ?? Number.POSITIVE_INFINITY);
    }
  });

  it('are proven all at once: 64 are begun before the first is proven', async () => {
    const run = trial((await httpService(readsBodies)).access);
    await run.start(slowBody(load(64), run.context));
    const held = run.of('work.held');
    expect(held).toHaveLength(64);
    const firstProof = Math.min(...held.map(({ t }) => t));
    expect(held.every(({ begin }) => begin !== undefined && begin < firstProof)).toBe(true);
    expect(held.every(({ begin, t }) => begin !== undefined && t - begin >= 250e6 - 2e6)).toBe(true);
  });

  it('keep sending, byte by byte, while they are held', async () => {
    const { requests, answer } = waiting();
    await holdOne(answer);
    let bytes = 0;
    const more = Promise.withResolvers<void>();
    requests[0]?.request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > 3) more.resolve();
    });
    await more.promise;
    expect(bytes).toBeLessThan(100);
  });

  it.each<[string, (socket: Socket) => void, object]>([
    ['a FIN before any answer', (socket) => socket.end(), { fate: 'closed', by: 'FIN' }],
    ['a reset', (socket) => socket.resetAndDestroy(), { fate: 'reset', by: 'RST' }],
    [
      'an answer before the body, and a close',
      (socket) =>
        socket.end('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 2\r\nConnection: close\r\nX: y\r\n\r\nno'),
      { fate: 'answered', status: 503, bytes: 2, headers: { connection: 'close', 'content-length': '2' } },
    ],
    [
      'an answer that is cut by its FIN',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhal'),
      { fate: 'truncated', status: 200, bytes: 3, by: 'FIN' },
    ],
    [
      'an answer that is cut by a reset',
      (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhal', () => socket.resetAndDestroy()),
      { fate: 'truncated', status: 200, bytes: 3, by: 'RST' },
    ],
    [
      'an answer in chunks without the last one',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhal\r\n'),
      { fate: 'truncated', status: 200, bytes: 3, by: 'FIN' },
    ],
    [
      'an answer that only its FIN completes',
      (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nhal'),
      { fate: 'answered', status: 200, bytes: 3, by: 'FIN' },
    ],
    ['half a head', (socket) => socket.end('HTTP/1.1 20'), { fate: 'truncated', by: 'FIN' }],
    ['what is not HTTP', (socket) => socket.write('-ERR\r\n'), { fate: 'truncated' }],
  ])('end by %s', async (_, act, end) => {
    const { requests, answer } = waiting();
    const { ended, of } = await holdOne(answer);
    const socket = requests[0]?.request.socket;
    if (socket) act(socket);
    await ended;
    expect(of('work.ended')).toEqual([expect.objectContaining({ kind: 'work.ended', id: 'load-1-1', ...end })]);
  });

  it.each<[string, (socket: Socket | undefined, transport: Socket | undefined) => void, object]>([
    ['a FIN', (socket) => socket?.end(), { fate: 'closed', by: 'FIN' }],
    ['a FIN without a word of TLS', (_, transport) => transport?.end(), { fate: 'closed', by: 'FIN' }],
    ['a reset', (_, transport) => transport?.resetAndDestroy(), { fate: 'reset', by: 'RST' }],
    [
      'an answer that is cut by a reset',
      (socket, transport) =>
        socket?.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhal', () => transport?.resetAndDestroy()),
      { fate: 'truncated', status: 200, bytes: 3, by: 'RST' },
    ],
  ])('end over TLS by %s', async (_, act, end) => {
    const service = await httpsService(readsBodies);
    const run = trial(service.access);
    const { held } = await run.start(slowBody(load(1), run.context));
    act([...service.sockets].at(-1), [...service.transports].at(-1));
    await held[0]?.ended;
    expect(run.of('work.ended')).toEqual([expect.objectContaining(end)]);
  });

  it('end once: what happens to the connection after the answer is no second end', async () => {
    const { requests, answer } = waiting();
    const { ended, finish, of } = await holdOne(answer);
    finish();
    await ended;
    const socket = requests[0]?.request.socket;
    expect(socket?.readableEnded).toBe(false); // left open, as it was kept alive
    const closed = socket && once(socket, 'close');
    socket?.end();
    await closed; // our side ended it too
    expect(of('work.ended')).toHaveLength(1);
  });

  it('that were answered early are let go: a body that never comes must not hold the stop', async () => {
    const { requests, answer } = waiting();
    const { ended, finish, of } = await holdOne(answer);
    const { request } = requests[0] ?? {};
    const closed = new Promise<unknown>((resolve) => request?.socket.once('close', resolve));
    request?.socket.write('HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n');
    await ended;
    await closed;
    finish();
    expect(of('work.ended')).toMatchObject([{ fate: 'answered', status: 503 }]);
    expect(of('work.finished')).toEqual([]);
  });

  it('that are let go while nothing has happened to them count as held, once', async () => {
    const run = trial((await httpService(readsBodies)).access);
    const { held } = await run.start(slowBody(load(2), run.context));
    await Promise.all(held.map((work) => work.release()));
    await Promise.all(held.map((work) => work.release()));
    for (const work of held) work.finish();
    await Promise.all(held.map(({ ended }) => ended));
    expect(run.of('work.ended')).toMatchObject([{ fate: 'held' }, { fate: 'held' }]);
    expect(run.of('work.finished')).toEqual([]);
  });

  it('that the service does not hold are named, each by its id, beside those that it does', async () => {
    let n = 0;
    const service = await httpService((request, response) => {
      n += 1;
      if (n === 3) response.writeHead(429, { connection: 'close' }).end();
      else readsBodies(request, response);
    });
    const run = trial(service.access);
    const { held } = await run.start(slowBody(load(4), run.context));
    expect(held).toHaveLength(3);
    expect(run.of('work.failed')).toMatchObject([
      {
        tried: ['POST / with a body sent slowly: not held: answered 429 before its body was complete'],
        message: '3 of 4 were held, this one was not',
      },
    ]);
    const ids = [...run.of('work.held'), ...run.of('work.failed')].map(({ id }) => id);
    expect(ids.toSorted()).toEqual(['load-1-1', 'load-1-2', 'load-1-3', 'load-1-4']);
  });

  it('that nobody reads count as held: their headers are with the service', async () => {
    let connections = 0;
    const service = await rawService((socket) => {
      connections += 1;
      if (connections > 1) return; // no worker left: accepted and not read
      afterHead((one) => one.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'))(socket);
    });
    const run = trial(service.access);
    const { held } = await run.start(slowBody(load(2), run.context));
    expect(held).toHaveLength(2);
  });
});

describe('how a body is made to be awaited', () => {
  const answersAtOnce = (_: IncomingMessage, response: ServerResponse): unknown => response.writeHead(404).end();

  it.each<[string, (request: IncomingMessage) => boolean, object, string]>([
    [
      'a declared slow endpoint before all others, due at once',
      ({ method }) => method === 'POST',
      { slow: [{ method: 'POST', path: '/slow?ms={ms}' }] },
      'declared POST /slow?ms=0 with a body sent slowly',
    ],
    [
      'a declared upload before the general forms',
      ({ method }) => method === 'PUT',
      { upload: [{ method: 'PUT', path: '/file' }] },
      'declared PUT /file with a body sent slowly',
    ],
    ['PUT where POST is answered early', ({ method }) => method === 'PUT', {}, 'PUT / with a body sent slowly'],
    [
      'chunks where a promised length is answered early',
      ({ headers }) => headers['transfer-encoding'] === 'chunked',
      {},
      'POST / with a chunked body sent slowly',
    ],
    [
      'a declared slow GET where no body is awaited, which nothing of ours ends',
      ({ method, url }) => method === 'GET' && url !== '/slow?ms=0',
      { slow: [{ method: 'GET', path: '/slow?ms={ms}' }] },
      'declared GET /slow?ms=600000',
    ],
  ])('%s', async (_, holds, endpoints, how) => {
    const service = await httpService((request, response) => {
      if (!holds(request)) response.writeHead(request.method === 'GET' ? 200 : 404).end();
      else if (request.method !== 'GET') readsBodies(request, response);
    });
    const run = trial(service.access, endpoints);
    await run.start(slowBody(load(2), run.context));
    expect(run.of('work.held')).toMatchObject([{ how }, { how }]);
    expect(run.of('work.held')[0]?.ends).toBe(how.includes('GET') ? 'never' : 'finish');
  });

  it('finishes a chunked body with its last chunk', async () => {
    const service = await httpService((request, response) => {
      if (request.headers['transfer-encoding'] === 'chunked') readsBodies(request, response);
      else response.writeHead(404).end();
    });
    const run = trial(service.access);
    const { held } = await run.start(slowBody(load(1), run.context));
    held[0]?.finish();
    await held[0]?.ended;
    expect(run.of('work.ended')).toMatchObject([{ fate: 'answered', status: 200, bytes: 2 }]);
  });

  it('a service that answers before it has read the body holds none: everything tried is named', async () => {
    const run = trial((await httpService(answersAtOnce)).access);
    const { missing } = await run.start(slowBody(load(2), run.context));
    expect(missing).toEqual({
      capability: 'held work',
      reason: 'nothing held a request in flight (not held: answered 404 before its body was complete)',
      declare: "endpoints: { slow: ['POST /path'] }",
    });
    expect(run.seen).toMatchObject([
      {
        kind: 'work.failed',
        id: 'load-1',
        tried: [
          'POST / with a body sent slowly: not held: answered 404 before its body was complete',
          'PUT / with a body sent slowly: not held: answered 404 before its body was complete',
          'POST / with a chunked body sent slowly: not held: answered 404 before its body was complete',
        ],
      },
    ]);
  });

  it('one that is not answered yet is late, not held, where others were answered early as a whole request is', async () => {
    let n = 0;
    const run = trial(
      (
        await httpService((request, response) => {
          n += 1;
          // a starved service: one of them is answered long after the others
          if (n % 4 !== 0) answersAtOnce(request, response);
        })
      ).access,
    );
    const { missing } = await run.start(slowBody(load(3), run.context));
    expect(missing?.reason).toMatch(/not held: answered 404 before its body was complete/);
    expect(missing?.reason).toMatch(/not held: others were answered 404 before their body was complete/);
    expect(run.of('work.held')).toEqual([]);
  });

  it('silence that is no longer than a whole request takes proves nothing', async () => {
    const slowly: RequestListener = (_, response) => void setTimeout(() => response.end('ok'), 300);
    const run = trial((await httpService(slowly)).access);
    const { missing } = await run.start(slowBody(load(1), run.context));
    expect(missing?.reason).toMatch(/answered 200 before its body was complete/);
    expect(run.of('work.held')).toEqual([]);
  });

  it('silence alone proves nothing where no HTTP is spoken', async () => {
    const run = trial((await rawService((socket) => socket.on('data', () => socket.end('-ERR unknown\r\n')))).access);
    const { missing } = await run.start(slowBody(load(1), run.context));
    expect(missing).toMatchObject({ capability: 'http', declare: expect.stringMatching(/^port: /) });
    expect(missing?.reason).toMatch(/not HTTP\/1\.x: "-ERR/);
    expect(run.of('work.held')).toEqual([]);
    expect(run.of('work.failed')[0]?.tried[0]).toMatch(/a complete request of this form was not answered: .*not HTTP/);
  });

  it('an HTTP/1.0 service is held too', async () => {
    const service = await rawService(
      afterHead((socket, head) => {
        if (head.includes('connection: close')) socket.end('HTTP/1.0 200 OK\r\n\r\nok');
      }),
    );
    const run = trial(service.access);
    await run.start(slowBody(load(1), run.context));
    expect(run.of('work.held')).toMatchObject([{ normal: { status: 200 } }]);
  });

  it('a port that refuses is said at once and nothing else is tried', async () => {
    const service = await httpService(readsBodies);
    service.close();
    const run = trial(service.access);
    const { missing } = await run.start(slowBody(load(2), run.context));
    expect(missing).toMatchObject({ capability: 'http', reason: expect.stringMatching(/no connection: refused/) });
    expect(run.of('work.failed')).toMatchObject([{ tried: [expect.stringMatching(/POST \/ .*refused/)] }]);
  });

  it('TLS with another CA is said as such', async () => {
    const { access } = await httpsService(readsBodies);
    const run = trial({ ...access, tls: { port: access.port, ca: otherCertificate } });
    const { missing } = await run.start(slowBody(load(1), run.context));
    expect(missing).toMatchObject({
      capability: 'tls',
      reason: expect.stringMatching(/no connection: reset \(.*(CERT|SIGNATURE)/),
    });
    expect(run.of('work.failed')).toHaveLength(1);
  });
});
