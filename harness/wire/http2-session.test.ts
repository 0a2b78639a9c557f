import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import { Duplex } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { openConnection } from './connection.ts';
import { encodeFields } from './hpack.ts';
import { encodeFrame, encodeSettings, frameFlag, frameType, words } from './http2-frames.ts';
import type { Goaway } from './http2-session.ts';
import { Http2Session } from './http2-session.ts';
import { relayLost } from './relay-errors.ts';
import type { Peer } from './testing/http2-peer.ts';
import { http2Peer } from './testing/http2-peer.ts';

const { endHeaders, endStream, ack, padded, priority } = frameFlag;
const LONG_MS = 20_000;

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** A session and the service's side of it. */
async function session(leaves = false): Promise<{ client: Http2Session; peer: Peer; goaways: Goaway[] }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const access = { address: '127.0.0.1', port, over: 'h2' } as const;
  let clock = 0;
  const now = (): number => (clock += 1);
  const accepted = once(server, 'connection');
  const connected = await openConnection(access, { limitMs: LONG_MS, now });
  if (!connected.socket) throw new Error(connected.message);
  const goaways: Goaway[] = [];
  const client = new Http2Session(connected.socket, access, {
    begin: connected.begin,
    now,
    leaves,
    onGoaway: (_session, goaway) => goaways.push(goaway),
  });
  const [socket] = (await accepted) as [Socket];
  ends.push(() => {
    client.giveUp();
    socket.destroy();
    server.close();
  });
  return { client, peer: http2Peer(socket), goaways };
}

/** A session with a request on stream 1. */
async function asked(options: { readonly body?: boolean; readonly leaves?: boolean } = {}) {
  const made = await session(options.leaves);
  const stream = made.client.request('POST', '/x', options.body ?? false);
  if (!stream) throw new Error('no stream');
  await made.peer.next(({ type }) => type === frameType.headers);
  return { ...made, stream };
}

const ok = encodeFields({ ':status': '200', server: 'test' });

describe('an HTTP/2 session', () => {
  it('begins with the preface and promises to keep no header table', async () => {
    const { peer } = await session();
    const settings = await peer.next(({ type }) => type === frameType.settings);
    expect(settings.payload).toEqual(
      encodeSettings([
        [1, 0],
        [2, 0],
      ]),
    );
  });

  it('acknowledges settings and answers pings, and neither of their acknowledgements', async () => {
    const { peer } = await session();
    peer.send(frameType.settings, ack, 0);
    peer.send(frameType.settings, 0, 0);
    peer.send(frameType.ping, ack, 0, Buffer.from('ignored!'));
    peer.send(frameType.ping, 0, 0, Buffer.from('12345678'));
    const pong = await peer.next(({ type }) => type === frameType.ping);
    expect([pong.flags, String(pong.payload)]).toEqual([ack, '12345678']);
    expect(peer.frames.filter(({ type, flags }) => type === frameType.settings && flags === ack)).toHaveLength(1);
  });

  it.each([
    ['whole at once', (peer: Peer) => peer.send(frameType.headers, endHeaders | endStream, 1, ok), 0],
    [
      'in pieces, padded, after an interim answer',
      (peer: Peer) => {
        peer.send(frameType.headers, endHeaders, 1, encodeFields({ ':status': '103' }));
        const start = Buffer.concat([Buffer.of(2), Buffer.alloc(5), ok.subarray(0, 4), Buffer.alloc(2)]);
        peer.send(frameType.headers, padded | priority, 1, start);
        peer.send(frameType.continuation, 0, 1, ok.subarray(4, 9));
        peer.send(frameType.continuation, endHeaders, 1, ok.subarray(9));
        peer.send(frameType.data, padded, 1, Buffer.from('\u0003abc\0\0\0'));
        peer.send(frameType.data, 0, 1, Buffer.from('de'));
        peer.send(frameType.headers, endHeaders | endStream, 1, encodeFields({ trailer: 'x' }));
      },
      5,
    ],
  ])('reads an answer that comes %s', async (_, answer, bytes) => {
    const { peer, stream } = await asked();
    answer(peer);
    const end = await stream.ended;
    expect(end).toMatchObject({ fate: 'answered', status: 200, bytes, headers: { server: 'test' } });
    expect(end.firstByteAt).toBeLessThanOrEqual(end.lastByteAt ?? 0);
  });

  it('gives back the window of what it has read', async () => {
    const { peer } = await asked();
    peer.send(frameType.headers, endHeaders, 1, ok);
    peer.send(frameType.data, 0, 1, Buffer.alloc(700));
    const isUpdate = (id: number) => (frame: { type: number; stream: number }) =>
      frame.type === frameType.windowUpdate && frame.stream === id;
    expect((await peer.next(isUpdate(0))).payload).toEqual(words(700));
    expect((await peer.next(isUpdate(1))).payload).toEqual(words(700));
  });

  it('sends no more body than the service takes, and its end in any case', async () => {
    const { client, peer } = await session();
    peer.send(frameType.settings, 0, 0, encodeSettings([[4, 1]]));
    await peer.next(({ type, flags }) => type === frameType.settings && flags === ack);
    const stream = client.request('POST', '/', true);
    stream?.trickle();
    stream?.trickle();
    expect(await stream?.finish()).toBeTypeOf('number');
    await peer.next(({ type, flags }) => type === frameType.data && flags === endStream);
    expect(peer.frames.filter(({ type }) => type === frameType.data).map(({ payload }) => payload.length)).toEqual([
      1, 0,
    ]);
    expect(await stream?.finish(), 'it ends once').toBeUndefined();
  });

  it('cancels the rest of a body whose answer is whole', async () => {
    const { peer, stream } = await asked({ body: true });
    peer.send(frameType.headers, endHeaders | endStream, 1, encodeFields({ ':status': '503', 'retry-after': '0' }));
    expect(await stream.ended).toMatchObject({ fate: 'answered', status: 503, headers: { 'retry-after': '0' } });
    expect((await peer.next(({ type }) => type === frameType.rstStream)).payload).toEqual(words(8));
  });

  it.each([
    ['a refusal', (peer: Peer) => peer.send(frameType.rstStream, 0, 1, words(7)), { fate: 'refused' }],
    [
      'another reset',
      (peer: Peer) => peer.send(frameType.rstStream, 0, 1, words(2)),
      { fate: 'reset', message: 'RST_STREAM with code 2' },
    ],
    [
      'a GOAWAY before it',
      (peer: Peer) => peer.send(frameType.goaway, 0, 0, words(0, 0)),
      { fate: 'refused', by: 'GOAWAY' },
    ],
    ['an end of the connection', (peer: Peer) => peer.socket.end(), { fate: 'closed', by: 'FIN' }],
    ['a reset of the connection', (peer: Peer) => peer.socket.resetAndDestroy(), { fate: 'reset', by: 'RST' }],
    [
      'an end in its answer',
      (peer: Peer) => {
        peer.send(frameType.headers, endHeaders, 1, ok);
        peer.socket.end(encodeFrame(frameType.data, 0, 1, Buffer.from('12')));
      },
      { fate: 'truncated', status: 200, bytes: 2, by: 'FIN' },
    ],
    [
      'a reset in its answer',
      (peer: Peer) => {
        peer.send(frameType.headers, endHeaders, 1, ok);
        peer.send(frameType.rstStream, 0, 1, words(0));
      },
      { fate: 'truncated', status: 200, bytes: 0 },
    ],
    [
      'headers that make no sense',
      (peer: Peer) => peer.send(frameType.headers, endHeaders, 1, Buffer.of(0xff)),
      { fate: 'truncated' },
    ],
    [
      'a frame that is too long',
      (peer: Peer) => peer.socket.write('HTTP/1.1 400 Bad Request\r\n'),
      { fate: 'truncated', message: /not HTTP\/2/ },
    ],
  ])('tells %s from an answer', async (_, end, fate) => {
    const { peer, stream } = await asked();
    end(peer);
    const { message, ...rest } = { message: undefined, ...fate };
    const seen = await stream.ended;
    expect(seen).toMatchObject(rest);
    if (message !== undefined) expect(seen.message).toMatch(message);
    if (!('by' in fate)) expect(seen).not.toHaveProperty('by');
  });

  it('that leaves does so after GOAWAY when its last stream is over', async () => {
    const { client, peer, stream, goaways } = await asked({ leaves: true });
    const ended = once(peer.socket, 'end');
    peer.send(frameType.goaway, 0, 0, words(1, 0));
    peer.send(frameType.ping, 0, 0, Buffer.alloc(8));
    await peer.next(({ type }) => type === frameType.ping);
    expect(client.end, 'a stream is in flight').toBeUndefined();
    expect(goaways).toMatchObject([{ code: 0, lastStream: 1 }]);
    peer.send(frameType.headers, endHeaders | endStream, 1, ok);
    expect(await stream.ended).toMatchObject({ fate: 'answered' });
    expect(await client.ended).toMatchObject({ fate: 'closed', by: 'GOAWAY' });
    await ended;
    expect(client.request('GET', '/', false)).toBeUndefined();
  });

  it('that is deaf asks for new streams after GOAWAY', async () => {
    const { client, peer } = await session();
    peer.send(frameType.goaway, 0, 0, words(0, 0));
    peer.send(frameType.ping, 0, 0, Buffer.alloc(8));
    await peer.next(({ type }) => type === frameType.ping);
    const stream = client.request('GET', '/', false);
    expect(await peer.next(({ type }) => type === frameType.headers)).toMatchObject({ stream: 1 });
    peer.send(frameType.headers, endHeaders | endStream, 1, ok);
    expect(await stream?.ended).toMatchObject({ fate: 'answered' });
    peer.socket.end();
    expect(await client.ended).toMatchObject({ fate: 'closed', by: 'FIN' });
  });

  it('that is given up leaves its streams as held', async () => {
    const { client, stream } = await asked({ body: true });
    client.giveUp();
    expect(await stream.ended).toMatchObject({ fate: 'held' });
    expect(await client.ended).toMatchObject({ fate: 'held' });
    expect(await stream.finish()).toBeUndefined();
  });

  it('over a way that is lost knows nothing of its end, nor of that of its streams', async () => {
    const socket = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
    const options = { begin: 0, now: () => 1, leaves: false, onGoaway: () => undefined };
    const client = new Http2Session(socket as Socket, { address: '10.0.0.2', port: 443, over: 'h2' }, options);
    const stream = client.request('GET', '/', false);
    socket.destroy(relayLost('the sidecar was lost'));
    await new Promise((resolve) => socket.once('close', resolve));
    expect([client.end, stream?.end]).toEqual([undefined, undefined]);
    expect(client.request('GET', '/', false)).toBeUndefined();
    client.giveUp();
    expect([client.end, stream?.end]).toEqual([
      { t: 1, fate: 'held' },
      { t: 1, fate: 'held' },
    ]);
  });
});
