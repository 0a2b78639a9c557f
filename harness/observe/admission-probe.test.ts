import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { Socket } from 'node:net';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answering, Bench, benchWays, OK } from './admission-probe-bench.suite.ts';

describe.each(benchWays)('%s', (way) => {
  let bench: Bench;
  beforeEach(() => {
    bench = new Bench(way);
  });
  afterEach(async () => await bench.close());

  describe('the windows of a stop', () => {
    it('are seen: the last 2xx, the first 503, the first refusal, on new and on kept connections', async () => {
      let shutAt = Number.POSITIVE_INFINITY;
      const server = createHttpServer((_request, response) => {
        if (shutAt === Number.POSITIVE_INFINITY) response.end('ok');
        else response.writeHead(503, { connection: 'close', 'retry-after': '0' }).end();
      });
      const probe = await bench.probe(await bench.listening(server), { kept: 4 });
      expect(bench.of('probe.started')).toMatchObject([
        { kept: 4, normal: 200, everyMs: 5, request: 'GET /', over: 'http' },
      ]);
      await bench.until(() => bench.samples({ via: 'kept' })[5]);
      const turnedAway = probe.turnedAway(600_000);
      shutAt = bench.recorder.now();
      expect(await turnedAway).toBe(true);
      await bench.until(() => bench.samples({ via: 'kept', status: 503 })[3]);
      server.close();
      await bench.until(() => bench.samples({ outcome: 'refused' })[0]);
      await probe.stop('the test has seen enough');

      expect(bench.samples().filter(({ status, sentBegin }) => status === 200 && (sentBegin ?? 0) > shutAt)).toEqual(
        [],
      );
      for (const sample of bench.samples({ status: 503 })) {
        expect(sample.t).toBeGreaterThan(shutAt);
        expect(sample.headers).toMatchObject({ connection: 'close', 'retry-after': '0' });
      }
      expect(bench.samples({ via: 'kept', status: 503 })).toHaveLength(4); // each said close, so each dropped out
      expect(bench.samples({ via: 'new', status: 200 }).length).toBeGreaterThan(4);
      for (const { begin = 0, connectedAt = begin, sentBegin = 0, answeredAt = 0, t } of bench.samples({
        status: 200,
      })) {
        const order = [begin, connectedAt, sentBegin, answeredAt, t];
        expect(order).toEqual(order.toSorted((a, b) => a - b));
      }
      expect(bench.of('probe.ended')).toMatchObject([
        { samples: bench.samples().length, void: 0, unused: 0, reason: 'the test has seen enough' },
      ]);
    });

    it('are not seen where nothing is turned away: the wait for it ends by its limit', async () => {
      const probe = await bench.probe(await bench.listening(createServer(answering((socket) => socket.write(OK)))));
      expect(await probe.turnedAway(30)).toBe(false);
    });

    it('take 404 for a normal answer of a stranger', async () => {
      const server = createHttpServer((_request, response) => response.writeHead(404).end());
      const probe = await bench.probe(await bench.listening(server), { kept: 2 });
      expect(bench.of('probe.started')).toMatchObject([{ kept: 2, normal: 404 }]);
      expect(await probe.turnedAway(30)).toBe(false);
    });
  });

  describe('a new connection', () => {
    it.each<[string, (socket: Socket) => void, object]>([
      ['closed', (socket) => socket.end(), { outcome: 'reset', by: 'FIN' }],
      ['reset', (socket) => socket.resetAndDestroy(), { outcome: 'reset', by: 'RST' }],
      [
        'cut in the head',
        (socket) => socket.end('HTTP/1.1 20'),
        { outcome: 'reset', by: 'FIN', message: /in the head/ },
      ],
      [
        'cut in the body',
        (socket) => socket.end(OK.slice(0, -1)),
        { outcome: 'answered', status: 200, message: /cut short/ },
      ],
      ['told garbage', (socket) => socket.write('-ERR'), { outcome: 'answered', message: /not HTTP/ }],
      ['ignored', () => undefined, { outcome: 'hung', by: 'timeout' }],
    ])('that is %s says so, and is no race', async (_name, end, { message, ...expected }: { message?: RegExp }) => {
      let turn = false;
      const server = createServer(answering((socket) => (turn ? end(socket) : socket.write(OK))));
      await bench.probe(await bench.listening(server));
      turn = true;
      const odd = await bench.until(() =>
        bench.samples().find((one) => one.status !== 200 || one.message !== undefined),
      );
      expect(odd).toMatchObject({ via: 'new', purpose: 'admission', ...expected });
      expect(odd.message ?? '').toMatch(message ?? /./);
      expect(odd).not.toHaveProperty('race');
      expect(odd.connectedAt).toBeLessThanOrEqual(odd.sentBegin ?? 0);
    });

    it('is asked for without a Connection header, a kept one with keep-alive', async () => {
      const requests: string[] = [];
      const server = createServer(answering((socket, request) => requests.push(request) && socket.write(OK)));
      await bench.probe(await bench.listening(server), { kept: 1 });
      expect(requests[0]).not.toMatch(/connection:/i);
      expect(requests[1]).toMatch(/^connection: keep-alive\r$/im);
    });
  });

  describe('a kept connection', () => {
    it('that is closed before anything was sent on it is no sample', async () => {
      const kept: Socket[] = [];
      const take = (socket: Socket, request: string): void => {
        if (/keep-alive/.test(request) && !kept.includes(socket)) kept.push(socket);
        socket.write(OK);
      };
      const hour = 3_600_000;
      const probe = await bench.probe(await bench.listening(createServer(answering(take))), { kept: 6, everyMs: hour });
      await bench.until(() => bench.samples({ via: 'kept' })[0]); // the first turn is at once, the next in an hour
      const closed = kept.map((socket) => once(socket, 'close'));
      for (const socket of kept) socket.end();
      await Promise.all(closed);
      await probe.stop('over');
      expect(bench.samples({ via: 'kept' })).toHaveLength(1);
      expect(bench.of('probe.ended')).toMatchObject([{ withdrawn: 6, unused: 0 }]);
    });

    it('that was never asked again is counted as unused', async () => {
      const server = createServer(answering((socket) => socket.write(OK)));
      const probe = await bench.probe(await bench.listening(server), { kept: 3, everyMs: 3_600_000 });
      await bench.until(() => bench.samples({ via: 'kept' })[0]);
      await probe.stop('over');
      expect(bench.of('probe.ended')).toMatchObject([{ withdrawn: 0, unused: 2 }]);
    });

    it.each<[string, (socket: Socket) => void, object]>([
      ['FIN', (socket) => socket.end(), { by: 'FIN' }],
      ['RST', (socket) => socket.resetAndDestroy(), { by: 'RST' }],
    ])('that ends by %s after our first byte is the race of every client', async (_name, end, by) => {
      const server = createServer(answering((socket, _request, turn) => (turn === 1 ? socket.write(OK) : end(socket))));
      const probe = await bench.probe(await bench.listening(server), { kept: 2 });
      const turnedAway = probe.turnedAway(600_000);
      await bench.until(() => bench.samples({ via: 'kept' })[1]);
      expect(bench.samples({ via: 'kept' })).toMatchObject(Array(2).fill({ outcome: 'reset', race: true, ...by }));
      await probe.stop('over');
      expect(await turnedAway).toBe(false);
    });

    it('is not counted as kept where the service closes after each answer', async () => {
      const old = 'HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok';
      await bench.probe(await bench.listening(createServer(answering((socket) => socket.end(old)))), { kept: 3 });
      expect(bench.of('probe.started')).toMatchObject([{ kept: 0, normal: 200 }]);
    });
  });

  describe('a service that is asked once more', () => {
    it('gets each request on a new connection, also on another port, and nothing is left out', async () => {
      const app = createHttpServer(({ method, url }, response) =>
        response.writeHead(url === '/live' && method === 'GET' ? 200 : 503).end(),
      );
      const admin = createHttpServer((_request, response) => response.writeHead(503).end());
      const port = await bench.listening(app);
      const ready = await bench.listening(admin);
      const probe = await bench.probe(port, { request: { method: 'GET', path: '/live' } });
      await probe.ask([
        { purpose: 'readiness', method: 'GET', path: '/ready', at: { port: ready, tls: false } },
        { purpose: 'control', method: 'GET', path: '/live' },
        { purpose: 'near-miss', method: 'POST', path: '/live' },
        { purpose: 'near-miss', method: 'GET', path: '//live' },
      ]);
      const asked = bench.samples().filter(({ purpose }) => purpose !== 'admission');
      expect(asked.map(({ purpose, request, status }) => `${purpose} ${request} ${status}`).toSorted()).toEqual([
        'control GET /live 200',
        'near-miss GET //live 503',
        'near-miss POST /live 503',
        'readiness GET /ready 503',
      ]);
      expect(new Set(asked.map(({ connection }) => connection)).size).toBe(4);
    });
  });

  describe('a probe that cannot tell anything', () => {
    it.each([
      ['refuses', undefined, /refused ECONNREFUSED$/],
      ['answers 503 before the signal', 'HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n', /: answered 503$/],
      ['speaks no HTTP', '-ERR\r\n', /not HTTP/],
    ])('does not start on a service that %s', async (_name, text, why) => {
      const server = createServer(answering((socket) => socket.end(text ?? '')));
      const port = await bench.listening(server);
      if (text === undefined) {
        server.close();
        await once(server, 'close');
      }
      expect(await bench.start(port)).toBeUndefined();
      expect(bench.seen).toMatchObject([{ kind: 'probe.failed', tried: [expect.stringMatching(why)] }]);
    });

    it('does not even connect where the process is gone', async () => {
      const child = spawn('true');
      await once(child, 'exit');
      expect(
        await bench.start(await bench.listening(createServer()), { through: { pid: child.pid ?? 0 } }),
      ).toBeUndefined();
      expect(bench.seen).toMatchObject([{ kind: 'probe.failed', message: 'PID 1 is not there' }]);
      bench.target.abort();
      expect(await bench.start(await bench.listening(createServer()))).toBeUndefined();
      expect(bench.of('probe.failed')).toHaveLength(2);
      expect(bench.accepted).toBe(0);
    });
  });

  describe('a probe', () => {
    it('stops once, however often it is told, and waits for what is unanswered', async () => {
      const held = Promise.withResolvers<Socket>();
      const take = (socket: Socket, request: string): void => {
        if (/ \/held /.test(request)) held.resolve(socket);
        else socket.write(OK);
      };
      const probe = await bench.probe(await bench.listening(createServer(answering(take))), { kept: 1 });
      const asked = probe.ask([{ purpose: 'control', method: 'GET', path: '/held' }]);
      const unanswered = await held.promise;
      const stopped = Promise.all([probe.stop('first'), probe.stop('second')]);
      unanswered.write(OK);
      await Promise.all([stopped, asked, probe.stop('third')]);
      expect(bench.of('probe.ended')).toMatchObject([{ reason: 'first' }]);
      expect(bench.samples({ purpose: 'control' })).toMatchObject([{ status: 200 }]);
      expect(bench.seen.at(-1)?.kind).toBe('probe.ended');
    });

    it('does not flood a service that answers nothing: turns are left out, and the gap shows', async () => {
      let silent = false;
      const server = createServer(answering((socket) => silent || socket.write(OK)));
      const probe = await bench.probe(await bench.listening(server));
      silent = true;
      await bench.until(() => bench.samples({ outcome: 'hung' })[0]);
      await probe.stop('over');
      const hung = bench.samples({ outcome: 'hung' });
      const before = hung.filter(({ begin }) => (begin ?? 0) < (hung[0]?.t ?? 0));
      expect(before.length).toBeLessThanOrEqual(64);
      expect(bench.of('probe.ended')[0]?.longestGapMs).toBeGreaterThan(300);
    });
  });
});
