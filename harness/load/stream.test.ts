import type { RequestListener, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { stream } from './stream.ts';
import { afterHead, httpService, httpsService, rawService, trial } from './testing.suite.ts';

const load = { shape: 'stream', kind: 'chunked', count: 2 } as const;
const endpoint = [{ method: 'GET', path: '/stream?ms={ms}' }];

/** Streams a piece every 20 ms for the milliseconds that its path says, and then ends in order. */
function streams(type: string, open: Set<ServerResponse> = new Set()): RequestListener {
  return (request, response) => {
    const ms = Number(new URL(request.url ?? '', 'http://x').searchParams.get('ms'));
    response.writeHead(200, { 'content-type': type, 'x-accept': request.headers.accept ?? '' });
    open.add(response);
    const piece = setInterval(() => response.write('data: x\n\n'), 20);
    const end = setTimeout(() => {
      clearInterval(piece);
      response.end();
    }, ms);
    response.on('close', () => {
      clearInterval(piece);
      clearTimeout(end);
    });
  };
}

describe('streaming answers', () => {
  it.each([
    ['chunked', 'in the clear', httpService],
    ['chunked', 'over TLS', httpsService],
    ['sse', 'in the clear', httpService],
    ['sse', 'over TLS', httpsService],
  ] as const)('%s %s are read until they end by themselves', async (kind, _, serve) => {
    const type = kind === 'sse' ? 'text/event-stream' : 'text/plain';
    const endpoints = kind === 'sse' ? { sse: endpoint } : { stream: endpoint };
    const run = trial((await serve(streams(type))).access, endpoints);
    const { held } = await run.start(stream({ ...load, kind, for: '600ms' }, run.context));
    const how = expect.stringMatching(/^declared GET \/stream\?ms=600, read as /);
    expect(run.of('work.held').toSorted((a, b) => a.id.localeCompare(b.id))).toMatchObject([
      { id: 'load-1-1', how, ends: 'itself' },
      { id: 'load-1-2' },
    ]);
    await Promise.all(held.map(({ ended }) => ended));
    expect(run.of('work.ended')).toMatchObject([{ fate: 'answered', status: 200 }, { fate: 'answered' }]);
    const [ended] = run.of('work.ended');
    expect(ended?.bytes).toBeGreaterThan(18);
    expect(ended?.by).toBeUndefined();
    expect(ended?.lastByteAt).toBeGreaterThan(ended?.firstByteAt ?? Number.POSITIVE_INFINITY);
  });

  it('without a time of their own never end, and a cut one is truncated', async () => {
    const open = new Set<ServerResponse>();
    const run = trial((await httpService(streams('text/plain', open))).access, { stream: endpoint });
    const { held } = await run.start(stream(load, run.context));
    expect(run.of('work.held')[0]).toMatchObject({ how: expect.stringContaining('ms=600000'), ends: 'never' });
    for (const response of open) response.socket?.end();
    await Promise.all(held.map(({ ended }) => ended));
    expect(run.of('work.ended')).toMatchObject([
      { fate: 'truncated', by: 'FIN', status: 200 },
      { fate: 'truncated', by: 'FIN', status: 200 },
    ]);
  });

  it('without a length that end with their connection are answered by FIN: nobody can tell a cut', async () => {
    const service = await rawService(
      afterHead((socket) => {
        socket.write('HTTP/1.0 200 OK\r\n\r\n');
        const piece = setInterval(() => socket.write('more'), 20);
        socket.on('close', () => clearInterval(piece));
      }),
    );
    const run = trial(service.access, { stream: endpoint });
    const { held } = await run.start(stream({ ...load, count: 1 }, run.context));
    for (const socket of service.sockets) socket.end();
    await held[0]?.ended;
    expect(run.of('work.ended')).toMatchObject([{ fate: 'answered', by: 'FIN', status: 200 }]);
  });

  it('that are let go while they go on are held, with what came so far', async () => {
    const run = trial((await httpService(streams('text/plain'))).access, { stream: endpoint });
    const { held } = await run.start(stream({ ...load, count: 1 }, run.context));
    await held[0]?.release();
    expect(run.of('work.ended')).toMatchObject([{ fate: 'held', status: 200, bytes: expect.any(Number) }]);
  });

  it('do not claim to end by themselves where the endpoint cannot be told when', async () => {
    const run = trial((await httpService(streams('text/plain'))).access, {
      stream: [{ method: 'GET', path: '/forever?ms=600000' }],
    });
    await run.start(stream({ ...load, for: '300ms' }, run.context));
    expect(run.of('work.held')[0]?.ends).toBe('never');
  });

  it.each<[string, 'chunked' | 'sse', RequestListener, RegExp]>([
    ['404', 'chunked', (_, r) => r.writeHead(404).end('no'), /not held: answered 404/],
    ['an error that goes on', 'chunked', (_, r) => every20(r.writeHead(500)), /not held: answered 500/],
    [
      'an answer that is there at once',
      'chunked',
      (_, r) => r.end('x'.repeat(500_000)),
      /answered 200 after \d+ piece/,
    ],
    [
      'something that is no event stream',
      'sse',
      streams('text/plain'),
      /answered with text\/plain, not with text\/event/,
    ],
    ['an end without an answer', 'chunked', (_, r) => r.socket?.end(), /not held: closed after 0 piece/],
  ])('are not had from %s, and that is said', async (_, kind, answer, reason) => {
    const run = trial((await httpService(answer)).access, { stream: endpoint, sse: endpoint });
    const { missing } = await run.start(stream({ ...load, kind }, run.context));
    expect(missing).toMatchObject({ capability: 'stream', reason: expect.stringMatching(reason) });
    expect(run.of('work.failed')).toMatchObject([{ tried: [expect.stringMatching(reason)] }]);
    expect(run.of('work.held')).toEqual([]);
  });

  it('ask for an event stream only where one is meant', async () => {
    const accepts: (string | undefined)[] = [];
    const service = await httpService((request, response) => {
      accepts.push(request.headers.accept);
      streams('text/event-stream')(request, response);
    });
    const run = trial(service.access, { stream: endpoint, sse: endpoint });
    await run.start(stream({ ...load, count: 1 }, run.context));
    await run.start(stream({ ...load, count: 1, kind: 'sse' }, run.context));
    expect(accepts).toEqual([undefined, 'text/event-stream']);
  });

  it.each([
    ['chunked', "endpoints: { stream: ['GET /stream?ms={ms}'] }"],
    ['sse', "endpoints: { sse: ['GET /events?ms={ms}'] }"],
  ] as const)('that are %s must be declared', async (kind, declare) => {
    const run = trial((await httpService(streams('text/plain'))).access);
    const { missing } = await run.start(stream({ ...load, kind }, run.context));
    expect(missing).toMatchObject({ capability: 'stream', declare });
  });
});

function every20(response: ServerResponse): void {
  const piece = setInterval(() => response.write('x'), 20);
  response.on('close', () => clearInterval(piece));
}
