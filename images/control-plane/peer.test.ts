import { EventEmitter } from 'node:events';
import type { WebSocket } from 'ws';
import { describe, expect, it } from 'vitest';
import { Peer } from './peer.ts';
import { answer } from './protocol.ts';

/** A socket that takes one frame at a time, when it is told to. */
class SlowSocket extends EventEmitter {
  readonly sent: string[] = [];
  #written: (() => void) | undefined;

  send(text: string, written: () => void): void {
    this.sent.push(text);
    this.#written = written;
  }

  close(code: number, reason: string): void {
    this.sent.push(`Close ${code} ${reason}`);
  }

  terminate(): void {
    this.sent.push('gone');
    this.emit('close');
  }

  async take(): Promise<void> {
    this.#written?.();
    await new Promise(setImmediate);
  }
}

const peerOn = (socket: SlowSocket): Peer => new Peer(socket as unknown as WebSocket);
const RESTART = 'Close 1012 control plane shutting down';
const call = (method: string, params: object = {}): string => JSON.stringify({ jsonrpc: '2.0', id: 7, method, params });

describe('a peer', () => {
  it('gets its Close at once where nothing is queued, registered or not', () => {
    const socket = new SlowSocket();
    peerOn(socket).leave();
    expect(socket.sent).toEqual([RESTART]);
  });

  it('gets what is queued before its Close, one frame at a time', async () => {
    const socket = new SlowSocket();
    const peer = peerOn(socket);
    peer.send('one');
    peer.send('two');
    peer.leave();
    expect(socket.sent).toEqual(['one']);
    await socket.take();
    expect(socket.sent).toEqual(['one', 'two']);
    await socket.take();
    expect(socket.sent).toEqual(['one', 'two', RESTART]);
  });

  it.each([
    ['a close of its own comes before the stop', 'first', ['first', 'Close 1008 registration refused']],
    ['the stop comes before a close of its own', 'second', ['first', RESTART]],
  ])('gets one whole Close where %s', async (_when, refused, expected) => {
    const socket = new SlowSocket();
    const peer = peerOn(socket);
    peer.send('first');
    if (refused === 'first') peer.close(1008, 'registration refused');
    peer.leave();
    if (refused === 'second') peer.close(1008, 'registration refused');
    await socket.take();
    expect([...new Set(socket.sent)]).toEqual(expected);
  });

  it('is told SATURATED in front of its Close, and gets no new work done', async () => {
    const socket = new SlowSocket();
    const peer = peerOn(socket);
    peer.send('first');
    peer.leave();
    answer(peer, call('cp/register', { runtime: 'late' }));
    await socket.take();
    expect(socket.sent[1]).toContain('SATURATED');
    expect(peer.registered).toBe(false);
    await socket.take();
    expect(socket.sent.at(-1)).toBe(RESTART);
  });

  it('can be dropped while it takes nothing', async () => {
    const socket = new SlowSocket();
    const peer = peerOn(socket);
    peer.send('first');
    peer.drop();
    await peer.closed;
    expect(socket.sent).toEqual(['first', 'gone']);
  });
});

describe('the protocol', () => {
  it.each([
    ['a registration', call('cp/register', { runtime: 'r' }), /"id":7.*"status":"registered"/],
    ['a ping', call('cp/ping'), /"id":7,"result":"pong"/],
    ['a method that there is not', call('constructor'), /"id":7,"error":.*no method constructor/],
    ['no JSON', 'nonsense', /"id":null,"error":.*not a JSON-RPC request/],
    ['a registration without a name', call('cp/register'), /^Close 1008 registration refused$/],
  ])('answers %s', (_what, text, expected) => {
    const socket = new SlowSocket();
    answer(peerOn(socket), text);
    expect(socket.sent).toEqual([expect.stringMatching(expected)]);
  });

  it('floods with as many bytes as it is asked for', async () => {
    const socket = new SlowSocket();
    answer(peerOn(socket), call('cp/flood', { bytes: 150_000 }));
    for (let frame = 0; frame < 3; frame += 1) await socket.take();
    expect(socket.sent.map(({ length }) => length)).toEqual([65_536, 65_536, 18_928]);
  });
});
