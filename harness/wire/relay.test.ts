import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer } from 'node:net';
import { PassThrough } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { HarnessError } from '../model/errors.ts';
import { connectFailure, openConnection } from './connection.ts';
import { openRelay, relayOverPort } from './relay.ts';
import { encodeRelayFrame, relayType } from './relay-frames.ts';
import type { RelayProcess } from './testing/relay-process.suite.ts';
import { startHelper, startRelay } from './testing/relay-process.suite.ts';

const host = '127.0.0.1';
const opened: { readonly children: RelayProcess[]; readonly servers: Server[]; readonly sockets: Socket[] } = {
  children: [],
  servers: [],
  sockets: [],
};
afterEach(() => {
  for (const child of opened.children.splice(0)) child.kill('SIGKILL');
  for (const socket of opened.sockets.splice(0)) socket.destroy();
  for (const server of opened.servers.splice(0)) server.close();
});

async function start() {
  const started = await startRelay();
  opened.children.push(started.child);
  return started;
}

async function helper(): Promise<RelayProcess> {
  const child = await startHelper();
  opened.children.push(child);
  return child;
}

async function listen(onConnection: (socket: Socket) => void = () => undefined): Promise<number> {
  const server = createServer((socket) => {
    opened.sockets.push(socket);
    onConnection(socket);
  });
  opened.servers.push(server);
  server.listen(0, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const echo = (socket: Socket): unknown => socket.pipe(socket);

/** Says something over a connection and gives back what is answered. */
async function asked(socket: Socket, text: string): Promise<string> {
  socket.end(text);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(socket, 'close');
  return String(Buffer.concat(chunks));
}

describe('a relay', { timeout: 60_000 }, () => {
  it('knows the helper and its kernel, whose clock is ours', async () => {
    const begin = process.hrtime.bigint();
    const { relay } = await start();
    expect(relay.hello).toMatchObject({
      version: 1,
      unwatched: 'none is named',
      monotonic: expect.any(BigInt),
      realtime: expect.any(BigInt),
      bootId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(relay.hello.monotonic).toBeGreaterThan(begin);
    expect(relay.sameKernel).toBe(true);
    expect(await relay.ping()).toEqual({ offsetNs: 0n, errorNs: 0n });
  });

  it('measures the offset of a clock that is another one, by its fastest round trip', async () => {
    const ahead = 3_600_000_000_000n;
    const begin = process.hrtime.bigint();
    const { relay } = fakeHelper((id) => frame(id, relayType.pong, process.hrtime.bigint() + ahead));
    const { offsetNs, errorNs } = await (await relay).ping();
    expect(errorNs).toBeLessThanOrEqual(process.hrtime.bigint() - begin);
    expect(offsetNs - ahead).toBeGreaterThanOrEqual(-errorNs);
    expect(offsetNs - ahead).toBeLessThanOrEqual(errorNs);
  });

  it('ends with its helper, in an orderly way, when it is closed', async () => {
    const { relay, child } = await start();
    const socket = relay.dial({ host, port: await listen(echo) });
    await once(socket, 'connect');
    const failed = once(socket, 'error');
    const exited = once(child, 'exit');
    relay.close();
    await relay.closed;
    expect(await exited).toEqual([0, null]);
    expect(await failed).toEqual([expect.objectContaining({ code: 'ERELAYLOST', message: 'the relay was closed' })]);
  });

  it.each(['the end of its input', 'QUIT'])('lets its helper end with 0 at %s', async (how) => {
    const child = await helper();
    child.stdin.end(how === 'QUIT' ? encodeRelayFrame(0, relayType.quit) : undefined);
    child.stdout.resume();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it.each([
    ['a type that does not exist', encodeRelayFrame(1, 99), 'there is no such type'],
    ['a host name', encodeRelayFrame(1, relayType.open, Buffer.from('\x50\x00localhost')), 'no IP address'],
    ['no address', encodeRelayFrame(1, relayType.open, Buffer.from('\x50')), 'no port and address'],
    ['more than the longest payload', Buffer.from(`${'\xff'.repeat(17)}`, 'latin1'), 'longer than 65536 bytes'],
    ['a credit without a number', encodeRelayFrame(1, relayType.credit), 'no count of bytes'],
  ])('has its helper refuse %s with 65 and a sentence', async (_, bytes, sentence) => {
    const child = await helper();
    child.stdin.write(bytes);
    child.stdout.resume();
    let said = '';
    child.stderr.on('data', (chunk) => (said += chunk));
    expect(await once(child, 'close')).toEqual([65, null]);
    expect(said).toMatch(new RegExp(`^lfq-helper: relay: frame of type \\d+ for connection \\d+, .*${sentence}\n$`));
  });

  it.each([
    ['ends before it says hello', Buffer.alloc(0), /sidecar was lost: its output ended/],
    ['says something else', Buffer.from('not a relay, but a text that is long enough'), /none of the relay's/],
    ['speaks of another version', hello(9), /version 9 of the relay's frames, not 1/],
    ['says hello late', encodeRelayFrame(1, relayType.closed), /did not say hello first/],
  ])('is none where what should be the helper %s', async (_, said, why) => {
    const output = new PassThrough();
    const opening = openRelay({ input: new PassThrough().resume(), output });
    output.end(said);
    await expect(opening).rejects.toThrow(HarnessError);
    await expect(opening).rejects.toThrow(why);
  });

  it('carries 500 connections at once, each with its own bytes', async () => {
    const { relay } = await start();
    const port = await listen(echo);
    const texts = Array.from({ length: 500 }, (_, n) => `connection ${n}`);
    const answers = texts.map((text) => asked(relay.dial({ host, port }), text));
    expect(await Promise.all(answers)).toEqual(texts);
  });

  it('that is lost ends every connection with an error of its own, never with one of the other side', async () => {
    const { relay, child } = await start();
    const port = await listen();
    const sockets = Array.from({ length: 20 }, () => relay.dial({ host, port }));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    const told: string[] = [];
    for (const event of ['end', 'data']) for (const socket of sockets) socket.on(event, () => told.push(event));
    const closes = sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    const errors = sockets.map((socket) => once(socket, 'error'));
    const hanging = relay.dial({ host, port });
    const hung = once(hanging, 'error');
    child.kill('SIGKILL');
    const lost = { code: 'ERELAYLOST', message: 'the sidecar was lost: its output ended' };
    for (const error of await Promise.all([...errors, hung])) expect(error).toEqual([expect.objectContaining(lost)]);
    expect(await Promise.all(closes)).toEqual(sockets.map(() => true));
    await relay.closed;
    expect(told).toEqual([]);
    expect(await once(relay.dial({ host, port }), 'error')).toEqual([expect.objectContaining(lost)]);
    await expect(relay.ping()).rejects.toMatchObject(lost);
  });

  it('that is lost tells whoever opened it before anything becomes of its connections', async () => {
    const told: string[] = [];
    const { relay, child } = await startRelay({ onLost: (reason) => told.push(reason) });
    opened.children.push(child);
    const port = await listen();
    const socket = relay.dial({ host, port });
    await once(socket, 'connect');
    for (const event of ['end', 'error', 'close']) socket.on(event, () => told.push(event));
    const pinging = relay.ping().catch(() => told.push('ping'));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    child.kill('SIGKILL');
    await Promise.all([closed, pinging, relay.closed]);
    expect(told[0]).toMatch(/^the sidecar was lost: /);
    expect(told.slice(1).toSorted()).toEqual(['close', 'error', 'ping']);
  });

  it('that is closed is not lost', async () => {
    const told: string[] = [];
    const { relay } = await startRelay({ onLost: (reason) => told.push(reason) });
    relay.close();
    await relay.closed;
    expect(told).toEqual([]);
  });

  it('that is lost is no outcome of a connect: the reason is ours', async () => {
    const { relay, child } = await start();
    const silent = await listen();
    const access = { address: host, port: silent, over: 'https', tls: { port: silent }, dial: relay.dial } as const;
    const opening = openConnection(access, { limitMs: 20_000, now: () => 0 });
    child.kill('SIGKILL');
    await expect(opening).rejects.toThrow(/this host cannot connect: ERELAYLOST \(the sidecar was lost/);
    expect(connectFailure(Object.assign(new Error('lost'), { code: 'ERELAYLOST' }))).toBe('ours');
  });
});

describe('a connect that nobody answers', { timeout: 60_000 }, () => {
  it('hangs through the relay as it does directly', async () => {
    // A thread that listens and never accepts, with room for two connections: a third is not answered.
    const block = new SharedArrayBuffer(4);
    const deaf = new Worker(
      `const { parentPort, workerData } = require('node:worker_threads');
       const server = require('node:net').createServer();
       server.listen({ port: 0, host: '${host}', backlog: 1 }, () => {
         parentPort.postMessage(server.address().port);
         Atomics.wait(new Int32Array(workerData), 0, 0);
         process.exit();
       });`,
      { eval: true, workerData: block },
    );
    const [port] = (await once(deaf, 'message')) as [number];
    const { relay } = await start();
    const access = { address: host, port, over: 'http', dial: relay.dial } as const;
    const open = async (limitMs: number) => await openConnection(access, { limitMs, now: () => 0 });
    const standing = await Promise.all([open(20_000), open(20_000)]);
    expect(standing).toEqual([
      { ...standing[0], socket: expect.anything() },
      { ...standing[1], socket: expect.anything() },
    ]);
    expect(await open(50)).toMatchObject({ outcome: 'hung', message: 'no connection within 50 ms' });
    Atomics.store(new Int32Array(block), 0, 1);
    Atomics.notify(new Int32Array(block), 0);
    await once(deaf, 'exit');
  });
});

describe('a relay in another thread', { timeout: 60_000 }, () => {
  /** A thread that connects, says whether it stands, and does what it is told. */
  const share = async (relay: Awaited<ReturnType<typeof start>>['relay'], port: number) => {
    const way = relay.port();
    const options = { workerData: { relay: way, host, port }, transferList: [way] };
    const worker = new Worker(new URL('./testing/relay-thread.ts', import.meta.url), options);
    return { worker, next: async (): Promise<unknown> => ((await once(worker, 'message')) as [unknown])[0] };
  };

  it('connects, asks and is asked beside the others', async () => {
    const { relay } = await start();
    const port = await listen(echo);
    const threads = await Promise.all([share(relay, port), share(relay, port)]);
    expect(await Promise.all(threads.map(({ next }) => next()))).toEqual([
      { offset: { offsetNs: 0n, errorNs: 0n }, events: ['connect', 'data hello', 'end', 'close false'] },
      { offset: { offsetNs: 0n, errorNs: 0n }, events: ['connect', 'data hello', 'end', 'close false'] },
    ]);
    expect(await asked(relay.dial({ host, port }), 'and here')).toBe('and here');
    await Promise.all(threads.map(({ worker }) => worker.terminate()));
  });

  it('hears that the relay is lost, and leaves nothing open when it goes', async () => {
    const { relay, child } = await start();
    const ends: unknown[] = [];
    const accepted: Socket[] = [];
    const port = await listen((socket) => {
      accepted.push(socket);
      socket.on('error', (error) => ends.push(error)).on('end', () => ends.push('end'));
      socket.pipe(socket);
    });
    const [going, staying] = [await share(relay, port), await share(relay, port)];
    await Promise.all([going.next(), staying.next()]);
    for (const { worker } of [going, staying]) worker.postMessage('stay connected');
    await Promise.all([going.next(), staying.next()]);
    const before = ends.length;
    const closed = new Promise((resolve) => {
      for (const socket of accepted.filter((one) => !one.destroyed)) socket.once('close', resolve);
    });
    await going.worker.terminate();
    await closed;
    expect(ends.length).toBe(before + 1);
    const lost = staying.next();
    child.kill('SIGKILL');
    expect(await lost).toEqual({ lost: 'ERELAYLOST the sidecar was lost: its output ended' });
    await staying.worker.terminate();
  });

  it('hears of the end of the target also where it comes after it', async () => {
    const gone = frame(0, relayType.gone, 20n, Buffer.from(new BigInt64Array([10n]).buffer));
    const relay = await fakeHelper(() => gone).relay;
    const before = relay.port();
    void relay.ping().catch(() => undefined); // asks, and hears of the end instead
    expect(await relay.ended).toEqual({ alive: 10n, gone: 20n });
    for (const port of [before, relay.port()]) {
      const there = relayOverPort(port);
      await once(port, 'message');
      expect(there.gone).toEqual({ alive: 10n, gone: 20n });
      there.close();
    }
    relay.close();
  });

  it('is none at the end of any other port', () => {
    const { port1, port2 } = new MessageChannel();
    try {
      expect(() => relayOverPort(port1 as never)).toThrow(HarnessError);
    } finally {
      port1.close();
      port2.close();
    }
  });
});

function frame(id: number, type: number, stamp: bigint, payload = Buffer.alloc(0)): Buffer {
  const bytes = encodeRelayFrame(id, type, payload);
  bytes.writeBigInt64LE(stamp, 9);
  return bytes;
}

function hello(version: number): Buffer {
  return frame(0, relayType.hello, 1n, Buffer.concat([Buffer.alloc(8), Buffer.from(`${version} another-kernel`)]));
}

/** What answers every frame as told. */
function fakeHelper(answer: (id: number) => Buffer) {
  const input = new PassThrough();
  const output = new PassThrough();
  input.on('data', (chunk: Buffer) => output.write(answer(chunk.readUInt32LE(0))));
  output.write(hello(1));
  return { relay: openRelay({ input, output }) };
}
