import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import type { WebSocketEndpoint, WebSocketKind } from '../model/websocket.ts';
import { dialDirectly } from '../wire/dial.ts';
import { frame, text, upgrades } from '../wire/testing/web-socket-peer.ts';
import type { Service, Trial } from './testing.suite.ts';
import { httpService, httpsService, rawService, trial } from './testing.suite.ts';
import type { TrafficContext } from './traffic.ts';
import { webSockets } from './web-sockets.ts';

const BYTES = 16 * 1024 * 1024;
const endpoint: WebSocketEndpoint = {
  path: '/ws',
  register: { send: '{"register":true}', answer: 'registered' },
  ask: { send: 'ping', answer: '^pong$' },
  flood: { send: 'flood', bytes: BYTES },
  refused: { send: 'leave me' },
};

/** A service as a good one is: registers, answers, floods, and closes a connection when it is asked to. */
interface Peer {
  readonly service: Service;
  readonly sockets: Set<WebSocket>;
  readonly said: string[];
}

async function peer(listen = httpService): Promise<Peer> {
  const sockets = new Set<WebSocket>();
  const said: string[] = [];
  const handshakes = new WebSocketServer({ noServer: true });
  const service = await listen((_, response) => response.end('ok'));
  service.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    handshakes.handleUpgrade(request, socket, head, (webSocket) => {
      sockets.add(webSocket.on('error', () => undefined));
      webSocket.on('message', (data) => {
        const message = String(data);
        said.push(message);
        if (message === '{"register":true}') webSocket.send('{"registered":true}');
        if (message === 'ping') webSocket.send('pong');
        if (message === 'leave me') webSocket.close(4001, 'you asked');
        if (message !== 'flood') return;
        for (let left = BYTES; left > 0; left -= 65_536) webSocket.send('x'.repeat(65_536));
      });
    });
  });
  return { service, sockets, said };
}

async function hold(
  kind: WebSocketKind,
  count: number,
  { access }: Service,
  webSocket: readonly WebSocketEndpoint[] = [endpoint],
): Promise<Trial & Awaited<ReturnType<Trial['start']>>> {
  const it = trial(access, { webSocket });
  const started = await it.start(webSockets({ shape: 'web-sockets', kind, count }, it.context));
  return { ...it, ...started };
}

describe('a WebSocket is proven held', () => {
  it.each([
    ['idle', { registered: true }, 'never'],
    ['chatty', { registered: true }, 'never'],
    ['unregistered', { registered: false }, 'never'],
    ['never-closes', { registered: true }, 'never'],
    ['stops-reading', { registered: true, owed: BYTES }, 'never'],
    ['backlog', { registered: true, owed: BYTES }, 'finish'],
    ['half-upgrade', { registered: false }, 'finish'],
    ['refused', { registered: true }, 'finish'],
  ] as const)('%s', async (kind, more, ends) => {
    const { service } = await peer();
    const { of, held } = await hold(kind, 2, service);
    expect(held).toHaveLength(2);
    const recorded = of('work.held').toSorted((a, b) => a.id.localeCompare(b.id));
    expect(recorded.map(({ id }) => id)).toEqual(['load-1-1', 'load-1-2']);
    for (const one of recorded) {
      expect(one).toMatchObject({ shape: 'web-sockets', over: 'http', admitted: false, ends });
      expect(one.webSocket).toEqual({ kind, path: '/ws', ...more });
    }
    expect(of('work.ended')).toEqual([]);
  });

  it('over TLS too', async () => {
    const { service } = await peer(httpsService);
    const { of } = await hold('idle', 1, service);
    expect(of('work.held')[0]).toMatchObject({ over: 'https' });
  });

  it('a hundred of them, with nothing declared but the path', async () => {
    const { service, sockets } = await peer();
    const { held } = await hold('idle', 100, service, [{ path: '/ws' }]);
    expect(held).toHaveLength(100);
    expect(sockets.size).toBe(100);
  });

  it('chatty ones ask again and again', async () => {
    const { service, said } = await peer();
    await hold('chatty', 2, service);
    await expect.poll(() => said.filter((message) => message === 'ping').length).toBeGreaterThan(6);
  });
});

describe('what the service does to it is on record', () => {
  const away = (socket: WebSocket): void => socket.close(1001, 'going away');

  it.each([
    ['idle', away, { fate: 'closed', by: 'FIN', close: { code: 1001, reason: 'going away' } }],
    ['idle', (socket: WebSocket) => socket.terminate(), { fate: 'closed', close: undefined }],
    ['unregistered', away, { fate: 'closed', close: { code: 1001 } }],
  ] as const)('%s', async (kind, act, { close, ...expected }) => {
    const { service, sockets } = await peer();
    const { of, held } = await hold(kind, 1, service);
    for (const socket of sockets) act(socket);
    await held[0]?.ended;
    const [ended] = of('work.ended');
    expect(ended).toMatchObject({ id: 'load-1-1', ...expected });
    if (close === undefined) expect(ended?.webSocket?.close).toBeUndefined();
    else expect(ended?.webSocket?.close).toMatchObject(close);
  });

  it('a reset', async () => {
    const { service } = await peer();
    const { of, held } = await hold('idle', 1, service);
    for (const socket of service.sockets) socket.resetAndDestroy();
    await held[0]?.ended;
    expect(of('work.ended')[0]).toMatchObject({ fate: 'reset', by: 'RST' });
  });

  it('one that answers no Close stays open, with the Close on record', async () => {
    const { service, sockets } = await peer();
    const { of, held } = await hold('never-closes', 1, service);
    for (const socket of sockets) away(socket);
    const heard = await Promise.race([
      held[0]?.ended.then(() => 'ended'),
      new Promise((resolve) => setTimeout(() => resolve('open'), 300)),
    ]);
    expect(heard).toBe('open');
    expect([...sockets].map(({ readyState }) => readyState)).toEqual([2]);
    await held[0]?.release();
    expect(of('work.ended')[0]).toMatchObject({ fate: 'held', webSocket: { close: { code: 1001 } } });
  });

  it('a backlog comes whole once it is read, then the Close', async () => {
    const { service, sockets } = await peer();
    const { of, held } = await hold('backlog', 1, service);
    for (const socket of sockets) away(socket);
    held[0]?.finish();
    await held[0]?.ended;
    expect(of('work.finished')).toHaveLength(1);
    expect(of('work.ended')[0]?.webSocket).toMatchObject({ bytes: BYTES, messages: 256, close: { code: 1001 } });
  });

  it('a backlog that is dropped comes short', async () => {
    const { service } = await peer();
    const { of, held } = await hold('backlog', 1, service);
    for (const socket of service.sockets) socket.destroy();
    held[0]?.finish();
    await held[0]?.ended;
    expect(of('work.ended')[0]?.webSocket?.bytes).toBeLessThan(BYTES);
    expect(of('work.ended')[0]?.webSocket?.close).toBeUndefined();
  });

  it('a reader that stopped learns of its end when it is given up', async () => {
    const { service } = await peer();
    const { of, held } = await hold('stops-reading', 1, service);
    for (const socket of service.sockets) socket.destroy();
    await held[0]?.release();
    expect(of('work.ended')[0]?.fate).not.toBe('held');
  });

  it('one that is being closed for its own reasons gets that Close, behind what is queued', async () => {
    const { service, said } = await peer();
    const { of, held } = await hold('refused', 2, service);
    expect(said.filter((message) => message === 'leave me')).toHaveLength(1);
    for (const work of held) work.finish();
    await Promise.all(held.map((work) => work.ended));
    expect(said.filter((message) => message === 'leave me')).toHaveLength(2);
    for (const { webSocket } of of('work.ended')) {
      expect(webSocket).toMatchObject({ bytes: BYTES, close: { code: 4001, reason: 'you asked' } });
    }
  });
});

describe('half an upgrade', () => {
  it.each(['upgrade', 'finish'] as const)('is completed by %s, once, and what came of it is on record', async (by) => {
    const { service } = await peer();
    const { of, held } = await hold('half-upgrade', 1, service);
    void held[0]?.[by]?.();
    await held[0]?.upgrade?.();
    held[0]?.finish();
    expect(of('ws.upgrade')).toHaveLength(1);
    expect(of('ws.upgrade')[0]).toMatchObject({ id: 'load-1-1', via: 'half-sent', outcome: 'upgraded', served: true });
    expect(of('ws.upgrade')[0]?.sentBegin).toBeGreaterThan(of('work.held')[0]?.t ?? Number.POSITIVE_INFINITY);
    expect(of('work.finished')).toHaveLength(1);
  });

  it('that the service closes before is not completed', async () => {
    const { service } = await peer();
    const { of, held } = await hold('half-upgrade', 1, service);
    for (const socket of service.sockets) socket.destroy();
    await held[0]?.ended;
    await held[0]?.upgrade?.();
    expect(of('ws.upgrade')).toEqual([]);
  });
});

describe('what is not held', () => {
  const answers404 = (): Promise<Service> => httpService((_, response) => response.writeHead(404).end('no'));

  it.each<[string, WebSocketKind, () => Promise<Service>, WebSocketEndpoint, string]>([
    [
      'a route that upgrades nothing',
      'idle',
      answers404,
      { path: '/ws' },
      'the upgrade was answered 404 instead of 101',
    ],
    [
      'half of such an upgrade',
      'half-upgrade',
      answers404,
      { path: '/ws' },
      'the upgrade was answered 404 instead of 101',
    ],
    [
      'one that is closed at once',
      'unregistered',
      () => rawService(upgrades((s) => s.end(frame(8)))),
      { path: '/ws' },
      'not held: closed with 1005',
    ],
    [
      'one whose registration is refused',
      'idle',
      () => rawService(upgrades((s) => s.end(text('no')))),
      endpoint,
      'not registered: closed instead of an answer to a message',
    ],
    [
      'a flood that comes all at once',
      'backlog',
      () => rawService(upgrades((s) => s.once('data', () => s.write(text('x'.repeat(100)))))),
      { path: '/ws', flood: { send: 'go', bytes: 100 } },
      'all of 100 bytes came at once: nothing is left to wait',
    ],
  ])('%s', async (_, kind, service, declared, reason) => {
    const { missing, of } = await hold(kind, 1, await service(), [declared]);
    expect(missing).toMatchObject({ capability: 'websocket' });
    expect(missing?.reason).toContain(reason);
    expect(of('work.failed')[0]?.tried[0]).toBe(`${kind}: /ws: ${reason}`);
    expect(of('work.held')).toEqual([]);
  });

  it.each([
    ['idle', [], 'no route is declared that takes a WebSocket', 'endpoints: { websocket: [/ws] }'],
    [
      'backlog',
      [{ path: '/ws' }],
      'no message is declared upon which the service sends more than the sockets between hold (backlog)',
      'flood',
    ],
    [
      'refused',
      [{ path: '/ws' }],
      'no message is declared upon which the service closes a WebSocket (refused)',
      'refused',
    ],
  ] as const)('%s, of which nothing is declared', async (kind, declared, reason, declare) => {
    const { service } = await peer();
    const { missing } = await hold(kind, 1, service, declared);
    expect(missing?.reason).toBe(reason);
    expect(missing?.declare).toContain(declare);
  });

  it('some of several: the others are held', async () => {
    let count = 0;
    const service = await rawService((socket) => {
      count += 1;
      if (count > 2) socket.destroy();
      else upgrades(() => undefined)(socket);
    });
    const { held, of } = await hold('unregistered', 3, service, [{ path: '/ws' }]);
    expect(held).toHaveLength(2);
    expect(of('work.failed')[0]).toMatchObject({ message: '2 of 3 were held, this one was not' });
  });

  it('a fault of this host lets go of what is held already', async () => {
    const { service, sockets } = await peer();
    const { context } = trial(service.access, { webSocket: [{ path: '/ws' }] });
    let dialled = 0;
    const access: TrafficContext['access'] = {
      ...service.access,
      dial: (to) => {
        dialled += 1;
        const socket = dialDirectly(to);
        if (dialled > 1)
          queueMicrotask(() => socket.destroy(Object.assign(new Error('no descriptors'), { code: 'EMFILE' })));
        return socket;
      },
    };
    const load = { shape: 'web-sockets', kind: 'idle', count: 2 } as const;
    await expect(webSockets(load, { ...context, access })).rejects.toThrow(
      'this host cannot connect: EMFILE (no descriptors)',
    );
    await expect.poll(() => [...sockets].filter(({ readyState }) => readyState < 3).length).toBe(0);
  });
});
