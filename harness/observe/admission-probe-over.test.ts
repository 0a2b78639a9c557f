import { once } from 'node:events';
import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import { constants, createSecureServer as createHttp2Server } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import type { Server, Socket } from 'node:net';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Over } from '../model/observation.ts';
import type { Access } from '../wire/connection.ts';
import { otherCertificate, serviceCertificate, serviceKey } from '../wire/testing/certificate.ts';
import { Bench, benchWays } from './admission-probe-bench.suite.ts';

const certificate = { key: serviceKey, cert: serviceCertificate };
const access = (over: Exclude<Over, 'tcp'>, port: number, ca = serviceCertificate): Access => ({
  address: '127.0.0.1',
  port,
  over,
  tls: { port, ca, serverName: 'service.test' },
});

describe.each(benchWays)('%s', (way) => {
  let bench: Bench;
  beforeEach(() => {
    bench = new Bench(way);
  });
  afterEach(async () => await bench.close());

  describe('a probe over TLS', () => {
    it('sees the gate close on new and on kept connections', async () => {
      let shut = false;
      const server = createHttpsServer(certificate, (_request, response) => {
        if (shut) response.writeHead(503, { connection: 'close', 'retry-after': '0' });
        response.end();
      });
      const port = await bench.listening(server);
      const probe = await bench.probe(port, { access: access('https', port), kept: 2, everyMs: 20 });
      await bench.until(() => bench.samples({ via: 'kept', status: 200 })[2]);
      shut = true;
      expect(await probe.turnedAway(600_000)).toBe(true);
      await bench.until(() => bench.samples({ via: 'kept', status: 503 })[1]);
      server.close();
      await bench.until(() => bench.samples({ outcome: 'refused' })[0]);
      for (const { connectedAt = 0, sentBegin = 0 } of bench.samples({ via: 'new', status: 503 })) {
        expect(connectedAt).toBeLessThan(sentBegin); // the connect is TCP's, the handshake comes after it
      }
    });

    it('does not start where the CA is the wrong one, and says so before the signal', async () => {
      const port = await bench.listening(createHttpsServer(certificate, (_request, response) => response.end()));
      expect(await bench.start(port, { access: access('https', port, otherCertificate) })).toBeUndefined();
      expect(bench.seen).toMatchObject([
        { kind: 'probe.failed', tried: [expect.stringMatching(/SELF_SIGNED|SIGNATURE/)] },
      ]);
    });

    it('takes a handshake that is never answered for hung, one that is cut for reset', async () => {
      let odd: ((socket: Socket) => void) | undefined;
      const server = createHttpsServer(certificate, (_request, response) => response.end());
      const plain = createServer((socket) => (odd ? odd(socket) : server.emit('connection', socket)));
      const port = await bench.listening(plain);
      const probe = await bench.probe(port, { access: access('https', port), everyMs: 20 });
      odd = (socket) => socket.once('data', () => socket.end());
      expect(await bench.until(() => bench.samples({ outcome: 'reset' })[0])).toMatchObject({ by: 'FIN' });
      odd = (socket) => socket.once('data', () => socket.resetAndDestroy());
      await bench.until(() => bench.samples({ outcome: 'reset', by: 'RST' })[0]);
      odd = () => undefined;
      const hung = await bench.until(() => bench.samples({ outcome: 'hung' })[0]);
      expect(hung).toMatchObject({ by: 'timeout', connectedAt: expect.any(Number) });
      expect(hung).not.toHaveProperty('sentBegin');
      await probe.stop('over'); // hangs itself if such a handshake keeps the thread
    });
  });

  describe('a probe over HTTP/2', () => {
    const sessions: ServerHttp2Session[] = [];
    const service = (take: (stream: ServerHttp2Stream) => void): Server =>
      createHttp2Server(certificate)
        .on('session', (session: ServerHttp2Session) => sessions.push(session))
        .on('stream', (stream: ServerHttp2Stream) => {
          stream.on('error', () => undefined);
          take(stream);
        });
    beforeEach(() => sessions.splice(0));
    const ok = (stream: ServerHttp2Stream): void => {
      stream.respond({ ':status': 200 });
      stream.end('ok');
    };

    it('sees the gate close on new sessions and on kept ones', async () => {
      let shut = false;
      const server = service((stream) => {
        if (!shut) return ok(stream);
        stream.respond({ ':status': 503, 'retry-after': '0' });
        stream.end();
      });
      const port = await bench.listening(server);
      const probe = await bench.probe(port, { access: access('h2', port), kept: 2, everyMs: 20 });
      expect(bench.of('probe.started')).toMatchObject([{ kept: 2, normal: 200, over: 'h2' }]);
      await bench.until(() => bench.samples({ via: 'kept', status: 200 })[2]);
      shut = true;
      expect(await probe.turnedAway(600_000)).toBe(true);
      const kept = await bench.until(() => bench.samples({ via: 'kept', status: 503 })[3]);
      expect(kept).toMatchObject({ outcome: 'answered', headers: { 'retry-after': '0' }, sentAt: expect.any(Number) });
      server.close();
      await bench.until(() => bench.samples({ outcome: 'refused', via: 'new' })[0]);
      await probe.stop('over');
    });

    it('counts a kept session that gets GOAWAY while it carries nothing as withdrawn: no sample', async () => {
      const port = await bench.listening(service(ok));
      const probe = await bench.probe(port, { access: access('h2', port), kept: 3, everyMs: 3_600_000 });
      await bench.until(() => bench.samples({ via: 'kept' })[0]);
      const closed = sessions.filter(({ closed }) => !closed).map((session) => once(session, 'close'));
      for (const session of sessions) if (!session.closed) session.close();
      await Promise.all(closed);
      await probe.stop('over');
      expect(bench.samples({ via: 'kept' })).toHaveLength(1);
      expect(bench.of('probe.ended')).toMatchObject([{ withdrawn: 3, unused: 0 }]);
    });

    it.each<[string, (stream: ServerHttp2Stream) => void, object]>([
      [
        'a refused stream',
        (stream) => stream.close(constants.NGHTTP2_REFUSED_STREAM),
        { outcome: 'refused', by: 'RST' },
      ],
      [
        'GOAWAY without it',
        (stream) => (stream.id === 1 ? ok(stream) : stream.session?.goaway(0, 1)),
        { outcome: 'refused', by: 'GOAWAY' },
      ],
      ['a cancelled stream', (stream) => stream.close(constants.NGHTTP2_CANCEL), { outcome: 'reset', by: 'RST' }],
      ['a FIN', (stream) => stream.session?.socket.destroySoon(), { outcome: 'reset' }],
      ['nothing', () => undefined, { outcome: 'hung', by: 'timeout' }],
    ])('tells %s', async (_name, end, expected) => {
      let odd = false;
      const port = await bench.listening(service((stream) => (odd ? end(stream) : ok(stream))));
      const probe = await bench.probe(port, { access: access('h2', port), kept: 1, everyMs: 20 });
      odd = true;
      const sample = await bench.until(() => bench.samples().find(({ status }) => status === undefined));
      expect(sample).toMatchObject({ ...expected, sentBegin: expect.any(Number) });
      await probe.stop('over');
    });

    it('does not start where HTTP/2 is not spoken', async () => {
      const port = await bench.listening(createHttpsServer(certificate, (_request, response) => response.end()));
      expect(await bench.start(port, { access: access('h2', port) })).toBeUndefined();
      expect(bench.seen).toMatchObject([
        { kind: 'probe.failed', tried: [expect.stringMatching(/NO_APPLICATION_PROTOCOL|ALPN/)] },
      ]);
    });
  });
});
