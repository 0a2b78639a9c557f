import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Observation } from '../model/observation.ts';
import type { Dial } from '../wire/dial.ts';
import { dialDirectly } from '../wire/dial.ts';
import { startEarlyProbe } from './early-probe.ts';
import { createRecorder } from './recorder.ts';

const open: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

type Sample = Extract<Observation, { kind: 'early.sample' }>;

/** A port that nobody listens on until told. */
async function service() {
  const finder = createServer().listen(0, '127.0.0.1');
  await once(finder, 'listening');
  const { port } = finder.address() as { port: number };
  finder.close();
  await once(finder, 'close');
  const listen = async (answer: string | 'closes' | 'hangs'): Promise<Server> => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        if (answer === 'closes') socket.destroy();
        else if (answer !== 'hangs') socket.end(answer);
      });
      open.push(() => void socket.destroy());
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    open.push(() => void server.close());
    return server;
  };
  return { port, listen };
}

function probe(port: number, ended = new AbortController()) {
  const samples: Sample[] = [];
  const watchers = new Set<() => void>();
  const others: Observation[] = [];
  const append = (entry: Observation): void => {
    if (entry.kind === 'early.sample') samples.push(entry);
    else others.push(entry);
    for (const watch of watchers) watch();
  };
  const recorder = createRecorder({ append, close: () => undefined }, () => Number(process.hrtime.bigint()), []);
  const sockets: Socket[] = [];
  const dial: Dial = (to) => {
    const socket = dialDirectly(to);
    sockets.push(socket);
    return socket;
  };
  const early = startEarlyProbe({
    access: { address: '127.0.0.1', port, over: 'http', dial },
    request: { method: 'GET', path: '/orders' },
    everyMs: 1,
    recorder,
    ended: ended.signal,
  });
  open.push(() => early.stop());
  const until = (found: (sample: Sample) => boolean): Promise<void> =>
    new Promise((resolve) => {
      const watch = (): void => {
        if (samples.some(found)) resolve();
      };
      watchers.add(watch);
      watch();
    });
  return { early, samples, others, sockets, until, end: () => ended.abort() };
}

describe('the probe of a start-up', () => {
  it('is refused while nobody listens, and answered on a new connection once somebody does', async () => {
    const { port, listen } = await service();
    const { samples, until, others } = probe(port);
    await until(({ outcome }) => outcome === 'refused');
    await listen('HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n');
    await until(({ outcome }) => outcome === 'answered');
    const answered = samples.find(({ outcome }) => outcome === 'answered');
    expect(answered).toMatchObject({ request: 'GET /orders', status: 503, answeredAt: expect.any(Number) });
    for (const { begin = 0, t, answeredAt = t } of samples) {
      expect(begin).toBeLessThanOrEqual(answeredAt);
      expect(answeredAt).toBeLessThanOrEqual(t);
    }
    expect(others).toEqual([]);
  });

  it('makes one request after the other', async () => {
    const { port, listen } = await service();
    await listen('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    const { samples, until } = probe(port);
    await until(() => samples.length >= 3);
    for (const [at, { begin = 0 }] of samples.slice(1).entries())
      expect(begin).toBeGreaterThanOrEqual(samples[at]?.t ?? 0);
  });

  it.each([
    ['the end of the connection', 'closes', { outcome: 'reset' }],
    ['what is no HTTP', 'SSH-2.0-x\r\n', { outcome: 'answered' }],
    [
      'an answer whose body is not whole',
      'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nab',
      { outcome: 'answered', status: 200 },
    ],
  ])('tells %s', async (_, answer, outcome) => {
    const { port, listen } = await service();
    await listen(answer);
    const { until, samples } = probe(port);
    await until(() => true);
    expect(samples[0]).toMatchObject(outcome);
  });

  it('gives up a request that hangs', async () => {
    const { port, listen } = await service();
    await listen('hangs');
    const { until, samples } = probe(port);
    await until(() => true);
    expect(samples[0]).toMatchObject({ outcome: 'hung' });
  });

  it('ends with PID 1: a connection that goes with it is no sample', async () => {
    const { port, listen } = await service();
    const server = await listen('hangs');
    const { samples, sockets, early, end } = probe(port);
    const [socket] = await once(server, 'connection');
    end();
    const closed = once(sockets[0] as Socket, 'close');
    socket.destroy();
    await closed;
    await early.stop();
    expect(samples).toEqual([]);
  });

  it('makes none where PID 1 has ended', async () => {
    const { port } = await service();
    const ended = new AbortController();
    ended.abort();
    expect(probe(port, ended).sockets).toEqual([]);
  });

  it('drops a request that is under way when it is stopped, and makes none after', async () => {
    const { port, listen } = await service();
    const server = await listen('hangs');
    const { samples, others, early } = probe(port);
    const [socket] = await once(server, 'connection');
    const closed = once(socket, 'close');
    await early.stop();
    await early.stop();
    await closed;
    expect([samples, others]).toEqual([[], []]);
  });
});
