import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { halfHeaders } from './half-headers.ts';
import { otherCertificate } from '../wire/testing/certificate.ts';
import { afterHead, httpService, httpsService, rawService, trial } from './testing.suite.ts';

const load = { shape: 'half-headers', count: 2 } as const;

describe('connections with half their headers', () => {
  it.each([
    ['HTTP', httpService],
    ['TLS', httpsService],
  ])('over %s are held, not admitted, and answered once they are complete', async (_, serve) => {
    let asked = 0;
    const service = await serve((_request, response) => {
      asked += 1;
      response.writeHead(asked > 1 ? 503 : 200, { 'retry-after': '0' }).end('ok');
    });
    const { context, start, of } = trial(service.access);
    const { held } = await start(halfHeaders(load, context));
    expect(asked, 'only the baseline is whole').toBe(1);
    expect(of('work.held')).toMatchObject(
      ['load-1-1', 'load-1-2'].map((id) => ({
        id,
        shape: 'half-headers',
        over: service.access.over,
        admitted: false,
        ends: 'finish',
        normal: { status: 200, bytes: 2 },
      })),
    );
    for (const work of held) work.finish();
    await Promise.all(held.map(({ ended }) => ended));
    expect(of('work.ended')).toMatchObject(
      Array.from({ length: 2 }, () => ({ fate: 'answered', status: 503, headers: { 'retry-after': '0' }, bytes: 2 })),
    );
    for (const { id, t } of of('work.finished')) {
      const end = of('work.ended').find((entry) => entry.id === id);
      expect(t).toBeLessThanOrEqual(end?.t ?? 0);
    }
    expect(of('work.finished')).toHaveLength(2);
  });

  it.each([
    ['closes', (socket: Socket) => socket.end(), { fate: 'closed', by: 'FIN' }],
    ['resets', (socket: Socket) => socket.resetAndDestroy(), { fate: 'reset', by: 'RST' }],
    [
      'answers and closes',
      (socket: Socket) => socket.end('HTTP/1.1 503 x\r\ncontent-length: 0\r\n\r\n'),
      { status: 503 },
    ],
    [
      'cuts its answer',
      (socket: Socket) => socket.end('HTTP/1.1 200 x\r\ncontent-length: 9\r\n\r\n1'),
      { fate: 'truncated' },
    ],
  ])('a service that %s them is told apart, and nothing is finished any more', async (_, end, fate) => {
    const waiting: Socket[] = [];
    const service = await rawService((socket) => {
      waiting.push(socket);
      afterHead((to) => to.end('HTTP/1.0 404 no\r\n\r\nnothing here'))(socket);
    });
    const { context, start, of } = trial(service.access);
    const { held } = await start(halfHeaders({ ...load, count: 1 }, context));
    expect(of('work.held')[0]).toMatchObject({ normal: { status: 404, bytes: 12 } });
    end(waiting[1] as Socket);
    await held[0]?.ended;
    held[0]?.finish();
    expect(of('work.ended')).toMatchObject([{ id: 'load-1-1', ...fate }]);
    expect(of('work.finished')).toEqual([]);
  });

  it('that are let go while nothing has happened count as held, once', async () => {
    const service = await httpService((_request, response) => response.end());
    const { context, start, of } = trial(service.access);
    const { held } = await start(halfHeaders(load, context));
    await Promise.all(held.map((work) => work.release()));
    await Promise.all(held.map((work) => work.release()));
    expect(of('work.ended').map(({ fate }) => fate)).toEqual(['held', 'held']);
  });

  it.each([
    ['closes at once', (socket: Socket) => socket.end(), 'http', /GET \/.*not answered: (closed|reset)/],
    ['speaks no HTTP', (socket: Socket) => socket.end('-ERR what\r\n'), 'http', /not HTTP/],
    [
      'answers before the headers are whole',
      (socket: Socket) => answersEarly(socket),
      'held work',
      /not held: answered 200/,
    ],
  ] as const)('are missing where the service %s', async (_, serve, capability, message) => {
    const service = await rawService(serve);
    const { context, start, of } = trial(service.access);
    expect(await start(halfHeaders(load, context))).toMatchObject({ missing: { capability } });
    expect(of('work.held')).toEqual([]);
    expect(of('work.failed')).toMatchObject([{ id: 'load-1', shape: 'half-headers' }]);
    expect(JSON.stringify(of('work.failed'))).toMatch(message);
  });

  it.each([
    [
      'the CA is another',
      () => httpsService((_request, response) => response.end()),
      otherCertificate,
      /CERT|SIGNED|VERIFY/i,
    ],
    ['no TLS is spoken', () => httpService((_request, response) => response.end()), undefined, /no connection: reset/],
  ])('are missing, TLS by name, where %s', async (_, serve, ca, message) => {
    const { access } = await serve();
    const tls = { port: access.port, ...(ca === undefined ? {} : { ca }) };
    const { context, start, of } = trial({ ...access, over: 'https', tls });
    const { missing } = await start(halfHeaders(load, context));
    expect(missing).toMatchObject({ capability: 'tls', declare: expect.stringContaining('tls:') });
    expect(missing?.reason).toMatch(message);
    expect(of('work.failed')).toHaveLength(1);
  });
});

function answersEarly(socket: Socket): void {
  socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'));
}
