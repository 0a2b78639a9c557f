import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import type { WebSocketEndpoint } from '../model/websocket.ts';
import type { Access } from './connection.ts';
import { openConnection } from './connection.ts';
import { closeFrame, frame, switching, text, upgrades } from './testing/web-socket-peer.ts';
import { WebSocketLine } from './web-socket.ts';
import { upgradeOutcome } from './web-socket-upgrade.ts';

const LIMIT_MS = 5000;
const open: { close(): void }[] = [];
const lines: WebSocketLine[] = [];

afterEach(async () => {
  await Promise.all(lines.splice(0).map((line) => line.destroy()));
  for (const one of open.splice(0)) one.close();
});

async function listening(server: Server): Promise<Access> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('error', () => undefined));
  });
  open.push({
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { address: '127.0.0.1', port: (server.address() as AddressInfo).port, over: 'http' };
}

const now = (): number => Number(process.hrtime.bigint());

async function lineTo(
  access: Access,
  endpoint: Partial<WebSocketEndpoint> = {},
  more: { readonly answersClose?: boolean; readonly halfOpen?: boolean } = {},
): Promise<WebSocketLine> {
  const connected = await openConnection(access, { limitMs: LIMIT_MS, now, halfOpen: more.halfOpen ?? false });
  if (!connected.socket) throw new Error(connected.message);
  const { socket, begin } = connected;
  const line = new WebSocketLine(socket, { begin, now, access, endpoint: { path: '/ws', ...endpoint }, ...more });
  lines.push(line);
  return line;
}

/** An upgraded line to a raw service that then does this. */
async function upgradedTo(
  serve: (socket: Socket, request: string) => void,
  more: Parameters<typeof lineTo>[2] = {},
): Promise<WebSocketLine> {
  const line = await lineTo(await listening(createServer(upgrades(serve))), {}, more);
  line.sendUpgrade();
  expect(await line.handshake(LIMIT_MS)).toBe('upgraded');
  return line;
}

describe('an upgrade', () => {
  it('sends what is declared, and believes only a 101 that answers its key', async () => {
    let request = '';
    const access = await listening(createServer(upgrades((_, head) => (request = head))));
    const line = await lineTo(access, {
      path: '/chat?v=2',
      protocol: 'chat.v1',
      headers: { authorization: 'Bearer x' },
    });
    line.sendUpgrade();
    expect(await line.handshake(LIMIT_MS)).toBe('upgraded');
    expect(request).toMatch(/^GET \/chat\?v=2 HTTP\/1\.1\r\n/);
    expect(request).toContain('sec-websocket-protocol: chat.v1\r\n');
    expect(request).toContain('authorization: Bearer x\r\n');
    expect(line.status).toBe(101);
    expect(line.answeredAt).toBeGreaterThanOrEqual(line.sentBegin ?? Number.POSITIVE_INFINITY);
  });

  it.each([
    ['a refusal', (): string => 'HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n', 503, undefined],
    [
      'a refusal after an interim answer',
      () => 'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 404 No\r\n\r\n',
      404,
      undefined,
    ],
    ['a 101 to another key', (head: string) => switching(head, 'nonsense'), 101, 'wrong Sec-WebSocket-Accept'],
    ['no HTTP', () => 'SSH-2.0-x\r\n\r\n', undefined, 'not HTTP/1.x'],
  ] as const)('%s is an answer, and no WebSocket', async (_, answer, status, problem) => {
    const access = await listening(
      createServer((socket) => socket.on('data', (chunk) => socket.write(answer(chunk.toString('latin1'))))),
    );
    const line = await lineTo(access);
    line.sendUpgrade();
    expect(await line.handshake(LIMIT_MS)).toBe('answered');
    expect(line.status).toBe(status);
    if (problem === undefined) expect(line.seen.problem).toBeUndefined();
    else expect(line.seen.problem).toContain(problem);
  });

  it('that is half sent is completed by the rest', async () => {
    const heads: string[] = [];
    const access = await listening(
      createServer((socket) => {
        socket.on('data', (chunk) => heads.push(chunk.toString('latin1')));
        upgrades(() => undefined)(socket);
      }),
    );
    const line = await lineTo(access);
    line.sendHalf();
    expect(await line.handshake(100)).toBe('hung');
    line.sendRest();
    expect(await line.handshake(LIMIT_MS)).toBe('upgraded');
    expect(heads[0]).not.toContain('\r\n\r\n');
  });

  it('on a connection that ends is over', async () => {
    const line = await lineTo(await listening(createServer((socket) => socket.on('data', () => socket.end()))));
    line.sendUpgrade();
    expect(await line.handshake(LIMIT_MS)).toBe('over');
    expect(line.over).toMatchObject({ fate: 'closed', by: 'FIN' });
  });
});

describe('what comes on a WebSocket', () => {
  const whole = { messages: 2, bytes: 70_005 };
  const messages = Buffer.concat([text('hello'), text('x'.repeat(70_000))]);
  it.each([
    [
      'a Close, then FIN',
      (s: Socket) => s.end(Buffer.concat([messages, closeFrame(1001, 'bye')])),
      'closed',
      { close: { code: 1001, reason: 'bye' } },
    ],
    [
      'a Close without a code',
      (s: Socket) => s.end(Buffer.concat([messages, frame(8)])),
      'closed',
      { close: { code: 1005, reason: '' } },
    ],
    ['FIN without a Close', (s: Socket) => s.end(messages), 'closed', {}],
    [
      'FIN in the middle of a frame',
      (s: Socket) => s.end(Buffer.concat([messages, text('hello').subarray(0, 4)])),
      'truncated',
      { partialFrame: true },
    ],
    [
      'FIN between the frames of a message',
      (s: Socket) => s.end(Buffer.concat([messages, frame(1, 'a', false)])),
      'truncated',
      { partialFrame: true },
    ],
    [
      'what breaks the protocol',
      (s: Socket) => s.end(Buffer.concat([messages, Buffer.from([0xf1, 0])])),
      'closed',
      { problem: 'Invalid WebSocket frame: RSV2 and RSV3 must be clear' },
    ],
    [
      'a code that no frame may carry',
      (s: Socket) => s.end(Buffer.concat([messages, closeFrame(1006)])),
      'closed',
      { problem: 'Invalid WebSocket frame: invalid status code 1006' },
    ],
  ] as const)('%s', async (_, serve, fate, seen) => {
    const line = await upgradedTo(serve);
    expect(await line.ended).toMatchObject({ fate, by: 'FIN' });
    const { close, ...rest } = line.seen;
    expect({ ...rest, ...(close && { close: { code: close.code, reason: close.reason } }) }).toEqual({
      ...whole,
      ...seen,
    });
    if (close) expect(close.t).toBeLessThanOrEqual(line.over?.t ?? 0);
  });

  it('a reset is told from an end', async () => {
    const line = await upgradedTo((socket) => socket.write(text('hello'), () => socket.resetAndDestroy()));
    expect(await line.ended).toMatchObject({ fate: 'reset', by: 'RST' });
    expect(line.seen.close).toBeUndefined();
  });

  it('messages are answered by the first that matches, a Ping by a Pong', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await once(server, 'listening');
    open.push({ close: () => server.close() });
    server.on('connection', (socket) => {
      socket.on('message', (data) => {
        socket.send('news');
        socket.send(`${String(data)}: pong`);
      });
    });
    const access: Access = { address: '127.0.0.1', port: (server.address() as AddressInfo).port, over: 'http' };
    const line = await lineTo(access);
    line.sendUpgrade();
    await line.handshake(LIMIT_MS);
    expect(await line.ask({ send: 'ping', answer: 'pong$' }, LIMIT_MS)).toBeUndefined();
    expect(await line.ask({ send: 'ping' }, LIMIT_MS)).toBeUndefined();
    expect(await line.ask(undefined, LIMIT_MS)).toBeUndefined();
    expect(await line.ask({ send: 'ping', answer: 'never' }, 50)).toBe('a message was not answered within 50 ms');
    expect(line.seen).toMatchObject({ messages: 6 });
    for (const socket of server.clients) socket.close(1012, 'away');
    expect(await line.ended).toMatchObject({ fate: 'closed' });
    expect(line.seen.close).toMatchObject({ code: 1012, reason: 'away' });
    expect(await line.ask(undefined, LIMIT_MS)).toBe('a Ping could not be sent: it is closed');
  });

  it('a Ping of the service is answered', async () => {
    const { promise, resolve } = Promise.withResolvers<Buffer>();
    await upgradedTo((socket) => {
      socket.once('data', resolve);
      socket.write(frame(9, 'x'));
    });
    expect((await promise)[0]).toBe(0x8a);
  });
});

describe('a Close of the service', () => {
  async function answerTo(answersClose: boolean): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>();
    await upgradedTo(
      (socket) => {
        socket.once('data', (chunk) => resolve(chunk[0] === 0x88 ? 'Close' : 'something else'));
        socket.once('end', () => resolve('FIN'));
        socket.write(closeFrame(1001, 'bye'));
        setTimeout(() => resolve('nothing'), 300);
      },
      { answersClose, halfOpen: !answersClose },
    );
    return await promise;
  }

  it('is answered by a Close where that is wanted', async () => {
    expect(await answerTo(true)).toBe('Close');
  });

  it('is never answered, and the connection stays open on our side, where it is not', async () => {
    expect(await answerTo(false)).toBe('nothing');
  });
});

describe('a reader that stops', () => {
  it('leaves what comes to the kernel, and gets all of it when it reads on', async () => {
    const flood = Buffer.concat(Array.from({ length: 64 }, () => frame(2, Buffer.alloc(262_144))));
    const line = await upgradedTo((socket) =>
      socket.once('data', () => socket.end(Buffer.concat([flood, closeFrame(1001)]))),
    );
    const begun = Promise.withResolvers<void>();
    line.onBytes = () => {
      line.stopReading();
      begun.resolve();
    };
    line.say('go');
    await begun.promise;
    line.onBytes = undefined;
    expect(line.received).toBeLessThan(flood.length);
    line.readOn();
    await line.ended;
    expect(line.seen).toMatchObject({ messages: 64, bytes: 16_777_216, close: { code: 1001 } });
  });
});

describe('what comes of an upgrade after the gate', () => {
  const endpoint: WebSocketEndpoint = { path: '/ws', register: { send: 'me', answer: 'registered' } };

  it.each([
    ['refused by an answer', (s: Socket) => s.end('HTTP/1.1 503 No\r\n\r\n'), { outcome: 'answered', status: 503 }],
    ['dropped', (s: Socket) => s.destroy(), { outcome: 'reset' }],
  ] as const)('%s', async (_, serve, expected) => {
    const line = await lineTo(
      await listening(createServer((socket) => socket.once('data', () => serve(socket)))),
      endpoint,
    );
    line.sendUpgrade();
    const seen = await upgradeOutcome(line, endpoint, now);
    expect(seen).toMatchObject(expected);
    expect(seen.sentBegin).toBeDefined();
  });

  it.each([
    [
      'a Close at once',
      (s: Socket) => s.end(closeFrame(1001, 'bye')),
      { served: false, end: { close: { code: 1001 }, by: 'FIN' } },
    ],
    [
      'an answer to the registration',
      (s: Socket) => s.once('data', () => s.end(text('registered'))),
      { served: true, end: { by: 'FIN' } },
    ],
    [
      'a farewell that is no registration',
      (s: Socket) => s.end(text('going away')),
      { served: false, end: { by: 'FIN' } },
    ],
  ] as const)('upgraded, then %s', async (_, serve, expected) => {
    const line = await lineTo(await listening(createServer(upgrades(serve))), endpoint);
    line.sendUpgrade();
    expect(await upgradeOutcome(line, endpoint, now)).toMatchObject({ outcome: 'upgraded', status: 101, ...expected });
  });

  it('without a declared answer nobody can say whether it is served', async () => {
    const line = await lineTo(await listening(createServer(upgrades((s) => s.end(text('hello'))))));
    line.sendUpgrade();
    expect(await upgradeOutcome(line, { path: '/ws', ask: { send: 'x' } }, now)).not.toHaveProperty('served');
  });
});
