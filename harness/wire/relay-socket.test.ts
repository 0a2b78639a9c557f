import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Dial } from './dial.ts';
import { dialDirectly } from './dial.ts';
import type { Relay } from './relay.ts';
import { creditOf, RELAY_WINDOW, relayType } from './relay-frames.ts';
import { RelaySocket } from './relay-socket.ts';
import { startRelay } from './testing/relay-process.suite.ts';

let relay: Relay;
beforeAll(async () => {
  ({ relay } = await startRelay());
}, 60_000);
afterAll(async () => {
  relay.close();
  await relay.closed;
});

const host = '127.0.0.1';
const MIB = 1024 * 1024;
const opened: { readonly servers: Server[]; readonly sockets: Socket[] } = { servers: [], sockets: [] };
afterEach(() => {
  for (const socket of opened.sockets.splice(0)) socket.destroy();
  for (const server of opened.servers.splice(0)) server.close();
});

async function listen(onConnection: (socket: Socket) => void = () => undefined): Promise<number> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    opened.sockets.push(socket);
    onConnection(socket);
  });
  opened.servers.push(server);
  server.listen(0, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Everything that a socket tells, in order, what comes in pieces in one piece; and its end. */
function hear(socket: Socket, read = true): { readonly events: readonly string[]; readonly over: Promise<unknown> } {
  const events: string[] = [];
  socket.on('connect', () => events.push('connect'));
  if (read) {
    socket.on('data', (chunk: Buffer) => {
      if (events.at(-1)?.startsWith('data ')) events.push(`${events.pop()}${chunk}`);
      else events.push(`data ${chunk}`);
    });
  }
  socket.on('end', () => events.push('end'));
  socket.on('finish', () => events.push('finish'));
  socket.on('error', (error: NodeJS.ErrnoException) => events.push(`error ${error.code} ${error.syscall}`));
  socket.on('close', (hadError) => events.push(`close ${hadError}`));
  return { events, over: new Promise((resolve) => socket.once('close', resolve)) };
}

interface Conversation {
  readonly what: string;
  /** What the other side does. */
  readonly serve?: (socket: Socket) => void;
  readonly halfOpen?: boolean;
  /** What we do. */
  readonly act?: (socket: Socket) => void;
  readonly client: readonly string[];
  readonly server: readonly string[];
}

const say = (text: string) => (socket: Socket) => socket.write(text);
const answer =
  (then: (socket: Socket) => void) =>
  (socket: Socket): void => {
    socket.once('data', () => then(socket));
  };

const conversations: readonly Conversation[] = [
  {
    what: 'an answer and a FIN, which ends our side too',
    serve: answer((socket) => socket.end('pong')),
    act: say('ping'),
    client: ['connect', 'data pong', 'end', 'finish', 'close false'],
    server: ['data ping', 'finish', 'end', 'close false'],
  },
  {
    what: 'a FIN after which we may still talk, half-open',
    serve: (socket) => socket.end('bye'),
    halfOpen: true,
    act: (socket) => socket.on('end', () => setImmediate(() => socket.end('still here'))),
    client: ['connect', 'data bye', 'end', 'finish', 'close false'],
    server: ['finish', 'data still here', 'end', 'close false'],
  },
  {
    what: 'our FIN, after which the other side still talks',
    serve: (socket) => socket.on('end', () => socket.end('heard all')),
    halfOpen: true,
    act: (socket) => socket.end('that is all'),
    client: ['connect', 'finish', 'data heard all', 'end', 'close false'],
    server: ['data that is all', 'end', 'finish', 'close false'],
  },
  {
    what: 'a reset',
    serve: answer((socket) => socket.resetAndDestroy()),
    act: say('ping'),
    client: ['connect', 'error ECONNRESET read', 'close true'],
    server: ['data ping', 'close false'],
  },
  {
    what: 'an answer and right behind it a reset',
    serve: answer((socket) => socket.write('half of', () => socket.resetAndDestroy())),
    act: say('ping'),
    client: ['connect', 'data half of', 'error ECONNRESET read', 'close true'],
    server: ['data ping', 'close false'],
  },
  {
    what: 'our reset',
    act: (socket) => socket.once('connect', () => socket.resetAndDestroy()),
    client: ['connect', 'close false'],
    server: ['error ECONNRESET read', 'close true'],
  },
  {
    what: 'an orderly close by us',
    act: (socket) => socket.once('connect', () => socket.destroy()),
    serve: (socket) => socket.on('end', () => socket.end()),
    client: ['connect', 'close false'],
    server: ['end', 'finish', 'close false'],
  },
  {
    what: 'a write to who has closed',
    serve: (socket) => socket.destroy(),
    halfOpen: true,
    act: (socket) => socket.on('end', () => socket.write('one', () => socket.write('two'))),
    client: ['connect', 'end', 'error EPIPE write', 'close true'],
    server: ['close false'],
  },
  {
    what: 'a write after the FIN that ended our side',
    serve: (socket) => socket.end(),
    act: (socket) => socket.on('finish', () => socket.write('too late')),
    client: ['connect', 'end', 'finish', 'error EPIPE undefined', 'close true'],
    server: ['finish', 'end', 'close false'],
  },
];

const ways: readonly (readonly [string, Dial])[] = [
  ['directly', dialDirectly],
  ['through the relay', (to) => relay.dial(to)],
];

describe.each(ways)('a connection %s', (_, dial) => {
  it.each(conversations)('tells of $what', async ({ serve, halfOpen = false, act, client, server }) => {
    const there = Promise.withResolvers<ReturnType<typeof hear>>();
    const port = await listen((socket) => {
      there.resolve(hear(socket));
      serve?.(socket);
    });
    const socket = dial({ host, port, noDelay: true, allowHalfOpen: halfOpen });
    const here = hear(socket);
    act?.(socket);
    const accepted = await there.promise;
    await Promise.all([here.over, accepted.over]);
    expect({ client: here.events, server: accepted.events }).toEqual({ client, server });
  });

  it('is refused where nobody listens, with what node says of it', async () => {
    const port = await listen();
    const server = opened.servers.pop();
    server?.close();
    if (server) await once(server, 'close');
    const socket = dial({ host, port });
    const { events, over } = hear(socket);
    const written = new Promise((resolve) => socket.write('x', resolve));
    const [error] = (await once(socket, 'error')) as [Error];
    await over;
    expect({ ...error, message: error.message }).toEqual({
      ...{ address: host, code: 'ECONNREFUSED', errno: -111, port, syscall: 'connect' },
      message: `connect ECONNREFUSED ${host}:${port}`,
    });
    expect(events).toEqual(['error ECONNREFUSED connect', 'close true']);
    expect(await written).toBeInstanceOf(Error);
    expect(socket.connecting).toBe(false);
  });

  it('ends quietly where it is given up before it stands, its writes with an error', async () => {
    const socket = dial({ host, port: await listen() });
    const { events, over } = hear(socket);
    const written = new Promise((resolve) => socket.write('x', resolve));
    expect(socket.connecting).toBe(true);
    socket.destroy();
    await over;
    expect(events).toEqual(['close false']);
    expect(await written).toBeInstanceOf(Error);
  });

  it('carries megabytes both ways at once, every byte in order', async () => {
    const there = randomBytes(5 * MIB);
    const back = randomBytes(5 * MIB + 1);
    const received = Promise.withResolvers<string>();
    const port = await listen((socket) => {
      socket.end(back);
      void digest(socket).then(received.resolve);
    });
    const socket = dial({ host, port, allowHalfOpen: true });
    const { over } = hear(socket, false);
    socket.end(there);
    expect(await digest(socket)).toBe(createHash('sha256').update(back).digest('hex'));
    expect(await received.promise).toBe(createHash('sha256').update(there).digest('hex'));
    await over;
    expect([socket.bytesRead, socket.bytesWritten]).toEqual([back.length, there.length]);
  });

  it('whose reader stops is felt by the other side, until it reads on: then nothing is missing', async () => {
    const { socket, writer } = await stalled(dial);
    const all = digest(socket);
    socket.resume();
    await writer.over;
    expect(await all).toBe(ALL);
    expect(writer.events.at(-1)).toBe('close false');
  });

  it('that is closed with more unread than is read ahead is reset', async () => {
    const { socket, writer } = await stalled(dial);
    socket.destroy();
    await writer.over;
    expect(writer.events).toEqual([expect.stringMatching(/^error (ECONNRESET|EPIPE) (read|write)$/), 'close true']);
  });

  it('whose other side does not read takes no more, and all of it once it does', async () => {
    const there = Promise.withResolvers<Socket>();
    const port = await listen((socket) => there.resolve(socket.pause()));
    const socket = dial({ host, port });
    const sent = pour(socket);
    const reader = await there.promise;
    await standsStill(sent);
    expect(sent.pieces).toBeLessThan(PIECES);
    expect(await digest(reader)).toBe(ALL);
    expect(sent.pieces).toBe(PIECES);
  });

  it('tells that nothing was sent and nothing received for a while', async () => {
    const socket = dial({ host, port: await listen() });
    await once(socket.setTimeout(1), 'timeout');
    expect(socket.destroyed).toBe(false);
    socket.destroy();
  });

  it('closes after what was written is sent, where it is to be destroyed soon', async () => {
    const received = Promise.withResolvers<string>();
    const port = await listen((socket) => socket.on('data', (chunk) => received.resolve(String(chunk))));
    const socket = dial({ host, port });
    const { over } = hear(socket);
    socket.write('last words');
    socket.destroySoon();
    await over;
    expect(await received.promise).toBe('last words');
  });
});

describe('a connection through the relay', () => {
  it('stamps what it tells where it happens', async () => {
    const port = await listen((socket) => socket.once('data', () => socket.end('pong')));
    const begin = process.hrtime.bigint();
    const socket = relay.dial({ host, port }) as unknown as RelaySocket;
    const stamps: bigint[] = [];
    const stamp = (): unknown => stamps.push(socket.lastEventAt ?? 0n);
    for (const event of ['connect', 'data', 'end', 'close']) socket.once(event, stamp);
    socket.write('ping', stamp);
    await once(socket, 'close');
    const { connectBegunAt = 0n, connectedAt = 0n } = socket;
    expect(stamps).toHaveLength(5);
    expect(stamps[0]).toBe(connectedAt);
    // This process and the helper have one clock here.
    const all = [begin, connectBegunAt, ...stamps, process.hrtime.bigint()];
    expect(all).toEqual(all.toSorted((a, b) => Number(a - b)));
  });

  it('has never more under way than the helper has room for', () => {
    const sent: number[] = [];
    const carrier = {
      send: (_id: number, type: number, payload?: Uint8Array) => {
        if (type === relayType.data) sent.push(payload?.length ?? 0);
      },
      release: () => undefined,
    };
    const socket = new RelaySocket(carrier, 1, { host, port: 1 });
    const receive = (type: number, payload: Buffer): void =>
      socket.receive({ id: 1, type, stamp: 1n, payload, whole: payload });
    receive(relayType.opened, Buffer.alloc(8));
    let taken = false;
    socket.write(Buffer.alloc(RELAY_WINDOW + 100), () => (taken = true));
    expect(sent).toEqual([RELAY_WINDOW]);
    receive(relayType.credit, creditOf(10));
    receive(relayType.credit, creditOf(RELAY_WINDOW - 10));
    expect(sent).toEqual([RELAY_WINDOW, 10, 90]);
    expect(taken).toBe(false);
    receive(relayType.credit, creditOf(100));
    expect(taken).toBe(true);
    socket.destroy();
  });

  it('takes no host name: there is nobody to look it up', async () => {
    expect(() => relay.dial({ host: 'localhost', port: 80 })).toThrow(/IP addresses only, not to localhost/);
  });
});

/** More than a window, and nothing in it repeats. */
const PIECE = randomBytes(100_000);
/** More than both kernels keep for a connection (tcp_rmem and tcp_wmem at most 6 and 4 MiB). */
const PIECES = 320;

const ALL = createHash('sha256')
  .update(Buffer.concat(Array.from({ length: PIECES }, () => PIECE)))
  .digest('hex');

/** Writes piece by piece, each when the kernel has taken the one before, then FIN. */
function pour(socket: Socket): { readonly pieces: number } {
  const sent = { pieces: 0 };
  const next = (error?: Error | null): void => {
    if (error) return;
    sent.pieces += 1;
    if (sent.pieces === PIECES) socket.end();
    else socket.write(PIECE, next);
  };
  socket.write(PIECE, next);
  return sent;
}

/** Many turns in which whatever still moves moves on have changed nothing. */
async function standsStill(sent: { readonly pieces: number }): Promise<void> {
  let before = -1;
  while (sent.pieces !== before) {
    before = sent.pieces;
    for (let turn = 0; turn < 5; turn += 1) await relay.ping();
  }
}

/** A connection on which the other side writes and we have stopped to read, so that it can write no more. */
async function stalled(dial: Dial) {
  const there = Promise.withResolvers<Socket>();
  const port = await listen(there.resolve);
  const socket = dial({ host, port });
  socket.pause();
  const accepted = await there.promise;
  const writer = hear(accepted, false);
  accepted.resume();
  const sent = pour(accepted);
  await standsStill(sent);
  expect(sent.pieces).toBeLessThan(PIECES);
  return { socket, writer };
}

async function digest(socket: Socket): Promise<string> {
  const hash = createHash('sha256');
  socket.on('data', (chunk: Buffer) => hash.update(chunk)).resume();
  await once(socket, 'end');
  return hash.digest('hex');
}
