import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Observation } from '../model/observation.ts';
import type { Endpoint } from '../model/target.ts';
import { createRecorder } from '../observe/recorder.ts';
import type { HeldWork } from './slow-request.ts';
import { holdSlowRequest } from './slow-request.ts';

const servers: (Server | HttpServer)[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  }
});

async function listening(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function hold(
  port: number,
  endpoints: readonly Endpoint[] = [],
): Promise<{ work: HeldWork | undefined; seen: Observation[] }> {
  const seen: Observation[] = [];
  let now = 0;
  const recorder = createRecorder(
    { append: (entry) => seen.push(entry), close: () => undefined },
    () => (now += 1),
    [],
  );
  const work = await holdSlowRequest({ id: 'slow-1', address: '127.0.0.1', port, endpoints, recorder });
  return { work, seen };
}

const reads = createServer((request, response) => {
  request.resume().on('end', () => response.end('ok'));
});

describe('a request whose body is sent slowly', () => {
  it('is held by a service that reads bodies, and its end is told apart', async () => {
    const sockets: Socket[] = [];
    const server = createServer((request, response) => {
      request.resume().on('end', () => response.end('ok'));
    }).on('connection', (socket: Socket) => sockets.push(socket));
    const { work, seen } = await hold(await listening(server));
    expect(seen.at(-1)).toMatchObject({ kind: 'work.held', how: 'POST / with a body sent slowly' });
    for (const socket of sockets) socket.resetAndDestroy();
    await work?.ended;
    expect(seen.at(-1)).toMatchObject({ kind: 'work.ended', fate: 'reset' });
  });

  it.each([
    ['a FIN before any answer', (socket: Socket) => socket.end(), { fate: 'closed' }],
    [
      'an answer before the body',
      (socket: Socket) => socket.end('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 2\r\n\r\nno'),
      { fate: 'answered', status: 503, bytes: 2 },
    ],
    [
      'an answer that is cut',
      (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhal'),
      { fate: 'truncated', status: 200, bytes: 3 },
    ],
  ])('ends by %s', async (_, finish, fate) => {
    let slow: Socket | undefined;
    const server = createServer((request, response) => {
      if (Number(request.headers['content-length']) > 1000) slow = request.socket;
      request.resume().on('end', () => response.end('ok'));
    });
    const { work, seen } = await hold(await listening(server));
    if (slow) finish(slow);
    await work?.ended;
    expect(seen.at(-1)).toMatchObject({ kind: 'work.ended', ...fate });
  });

  it('that is let go while nothing has happened to it counts as held', async () => {
    const { work, seen } = await hold(await listening(reads));
    await work?.release();
    expect(seen.at(-1)).toMatchObject({ kind: 'work.ended', fate: 'held' });
  });

  it('is not held by a service that answers before it has read the body: everything tried is named', async () => {
    const server = createServer((_request, response) => response.writeHead(404).end());
    const { work, seen } = await hold(await listening(server));
    expect(work).toBeUndefined();
    expect(seen.at(-1)).toMatchObject({ kind: 'work.failed' });
    const tried = seen.flatMap((entry) => (entry.kind === 'work.failed' ? entry.tried : []));
    expect(tried).toEqual([
      'POST / with a body sent slowly: not held: answered 404',
      'PUT / with a body sent slowly: not held: answered 404',
      'POST / with a chunked body sent slowly: not held: answered 404',
    ]);
  });

  it('is not taken as held where no HTTP is spoken: silence alone proves nothing', async () => {
    const server = createTcpServer((socket) => socket.on('data', () => socket.end('-ERR unknown command\r\n')));
    const { work, seen } = await hold(await listening(server));
    expect(work).toBeUndefined();
    expect(JSON.stringify(seen.at(-1))).toMatch(/a complete request of this form was not answered/);
  });

  it('tries declared endpoints first', async () => {
    const server = createServer((request, response) => {
      if (request.url !== '/slow') response.end('ok');
    });
    const { work, seen } = await hold(await listening(server), [{ method: 'GET', path: '/slow' }]);
    expect(seen.at(-1)).toMatchObject({ kind: 'work.held', how: 'declared GET /slow' });
    await work?.release();
  });
});
