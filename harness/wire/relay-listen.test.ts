import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Server as HttpServer } from 'node:http';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { request } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import WebSocket, { WebSocketServer } from 'ws';
import type { RelayOptions } from './testing/relay-process.suite.ts';
import { startRelay } from './testing/relay-process.suite.ts';

const host = '127.0.0.1';
const ending: (() => unknown)[] = [];
afterEach(() => {
  for (const end of ending.splice(0)) end();
});

async function start(options: RelayOptions = {}) {
  const started = await startRelay(options);
  ending.push(() => started.child.kill('SIGKILL'));
  return started;
}

function call(port: number): Socket {
  const socket = connect(port, host).on('error', () => undefined);
  ending.push(() => socket.destroy());
  return socket;
}

/** A server whose connections come through the relay. */
function served(server: HttpServer): (socket: Socket) => void {
  return (socket) => server.emit('connection', socket);
}

describe('a relay that listens', { timeout: 60_000 }, () => {
  it('hands its callers over, who talk both ways and end in an orderly way', async () => {
    const { relay } = await start();
    const accepted = Promise.withResolvers<Socket>();
    const port = await relay.listen(accepted.resolve);
    const caller = call(port);
    await once(caller, 'connect');
    const { localPort } = caller;
    caller.end(Buffer.alloc(300_000, 'a'));
    const socket = await accepted.promise;
    expect((await buffer(socket)).length).toBe(300_000);
    socket.end(Buffer.alloc(400_000, 'b'));
    expect((await buffer(caller)).length).toBe(400_000);
    expect([socket.remoteAddress, socket.remotePort]).toEqual([host, localPort]);
    if (!socket.closed) await once(socket, 'close');
  });

  it('tells a reset as one', async () => {
    const { relay } = await start();
    const accepted = Promise.withResolvers<Socket>();
    const caller = call(await relay.listen(accepted.resolve));
    const socket = await accepted.promise;
    const failed = once(socket.resume(), 'error');
    caller.resetAndDestroy();
    expect(await failed).toMatchObject([{ code: 'ECONNRESET' }]);
  });

  it('serves HTTP to 50 callers at once', async () => {
    const { relay } = await start();
    const server = createServer((asked, response) => response.end(`you asked for ${asked.url}`));
    const port = await relay.listen(served(server));
    const paths = Array.from({ length: 50 }, (_, n) => `/${n}`);
    const answers = paths.map(async (path) => (await request(`http://${host}:${port}${path}`)).body.text());
    expect(await Promise.all(answers)).toEqual(paths.map((path) => `you asked for ${path}`));
  });

  it('serves WebSockets', async () => {
    const { relay } = await start();
    const server = createServer();
    new WebSocketServer({ server }).on('connection', (socket) =>
      socket.on('message', (said) => socket.send(`heard ${String(said)}`)),
    );
    const client = new WebSocket(`ws://${host}:${await relay.listen(served(server))}`);
    ending.push(() => client.terminate());
    await once(client, 'open');
    client.send('hello');
    expect(String((await once(client, 'message'))[0])).toBe('heard hello');
    client.close(1000);
    expect((await once(client, 'close'))[0]).toBe(1000);
  });

  it('listens on several ports, each with callers of its own', async () => {
    const { relay } = await start();
    const ports = await Promise.all(['one', 'two'].map((name) => relay.listen((socket) => socket.end(name))));
    expect(await Promise.all(ports.map((port) => text(call(port))))).toEqual(['one', 'two']);
  });

  it('ends with its callers when it is closed, and listens no more', async () => {
    const { relay } = await start();
    const accepted = Promise.withResolvers<Socket>();
    const port = await relay.listen(accepted.resolve);
    const caller = call(port);
    const socket = await accepted.promise;
    const failed = once(socket, 'error');
    const closed = once(caller.resume(), 'close');
    relay.close();
    expect(await failed).toMatchObject([{ code: 'ERELAYLOST' }]);
    await closed;
    await relay.closed;
    expect(await once(connect(port, host), 'error')).toMatchObject([{ code: 'ECONNREFUSED' }]);
    await expect(relay.listen(() => undefined)).rejects.toMatchObject({ code: 'ERELAYLOST' });
  });

  it('is at rest while it has no room for a caller, and lets one in when another has left', async () => {
    const { relay, child } = await start({ mostFiles: 12 });
    const accepted: Socket[] = [];
    let came = Promise.withResolvers<void>();
    const port = await relay.listen((socket) => {
      accepted.push(socket.on('error', () => undefined));
      came.resolve();
    });
    const callers = Array.from({ length: 20 }, () => call(port));
    await Promise.all(callers.map((caller) => once(caller, 'connect'))); // by the kernel
    const state = (): string => /^State:\s+(\w)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? '';
    while (accepted.length < 2) await setImmediate();
    await relay.ping();
    const full = accepted.length;
    expect(full).toBeLessThan(12);
    while (state() !== 'S') await setImmediate(); // a relay that spins never sleeps
    came = Promise.withResolvers();
    accepted[0]?.destroy();
    await came.promise;
    expect(accepted.length).toBe(full + 1);
  });
});
