import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { idleKeepAlive } from './idle-keep-alive.ts';
import { afterHead, httpService, httpsService, rawService, trial } from './testing.suite.ts';

const load = { shape: 'idle-keep-alive', count: 3 } as const;
const ok: RequestListener = (_, response) => response.end('ok');

describe('idle connections that are kept alive', () => {
  it.each([
    ['in the clear', httpService, 'http'],
    ['over TLS', httpsService, 'https'],
  ])('%s are open after one whole answer, with nothing admitted', async (_, serve, over) => {
    const service = await serve(ok);
    const run = trial(service.access);
    await run.start(idleKeepAlive(load, run.context));
    expect(run.of('work.held')).toMatchObject([
      {
        id: 'load-1-1',
        how: 'a connection that was answered GET / and is idle',
        over,
        admitted: false,
        ends: 'never',
      },
      { id: 'load-1-2' },
      { id: 'load-1-3' },
    ]);
    expect([...service.sockets].filter((socket) => !socket.readableEnded)).toHaveLength(3);
    expect(run.of('work.ended')).toEqual([]);
  });

  it.each<[string, (socket: Socket) => void, object]>([
    ['a FIN', (socket) => socket.end(), { fate: 'closed', by: 'FIN' }],
    ['a reset', (socket) => socket.resetAndDestroy(), { fate: 'reset', by: 'RST' }],
    [
      'something said unasked',
      (socket) => socket.end('HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n'),
      { fate: 'answered', status: 408 },
    ],
  ])('end by %s', async (_, act, end) => {
    const service = await httpService(ok);
    const run = trial(service.access);
    const { held } = await run.start(idleKeepAlive({ ...load, count: 1 }, run.context));
    for (const socket of service.sockets) act(socket);
    await held[0]?.ended;
    expect(run.of('work.ended')).toEqual([expect.objectContaining(end)]);
  });

  it('that nobody closes are held, without the status of their earlier answer', async () => {
    const run = trial((await httpService(ok)).access);
    const { held } = await run.start(idleKeepAlive({ ...load, count: 1 }, run.context));
    held[0]?.finish();
    await held[0]?.release();
    expect(run.of('work.ended')).toMatchObject([{ fate: 'held' }]);
    expect(run.of('work.ended')[0]).not.toHaveProperty('status');
  });

  it.each([
    ['says close', 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n', /closes after its answer 200$/],
    ['speaks HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n', /closes after its answer 200$/],
    ['has no length', 'HTTP/1.1 200 OK\r\n\r\nok', /closes after its answer 200$/],
    ['closes without a word', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', /closes (soon )?after its answer 200$/],
  ])('are not kept by a service that %s: that is no failure of it', async (_, answer, reason) => {
    const run = trial((await rawService(afterHead((socket) => socket.end(answer)))).access);
    const { missing } = await run.start(idleKeepAlive(load, run.context));
    expect(missing).toMatchObject({
      capability: 'held work',
      reason: expect.stringMatching(/keeps no connection alive/),
    });
    expect(missing?.reason).toMatch(reason);
    expect(run.of('work.failed')).toHaveLength(1);
    expect(run.of('work.held')).toEqual([]);
  });

  it('may be had from a control route where / is an error', async () => {
    const service = await httpService((request, response) => {
      response.writeHead(request.url === '/health' ? 200 : 500).end();
    });
    const run = trial(service.access, { control: [{ method: 'GET', path: '/health' }] });
    await run.start(idleKeepAlive(load, run.context));
    expect(run.of('work.held')).toHaveLength(3);
    expect(run.of('work.held')[0]?.how).toContain('GET /health');
  });

  it('may be had after a 404: it is an answer', async () => {
    const run = trial((await httpService((_, response) => response.writeHead(404).end())).access);
    await run.start(idleKeepAlive(load, run.context));
    expect(run.of('work.held')).toHaveLength(3);
  });
});
