import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Observation } from '../model/observation.ts';
import type { ReadySpec, TlsAccess } from '../model/target.ts';
import type { Dial } from '../wire/dial.ts';
import { dialDirectly } from '../wire/dial.ts';
import { otherCertificate, serviceCertificate, serviceKey } from '../wire/testing/certificate.ts';
import { awaitReady, look } from './readiness.ts';
import type { Recorder } from './recorder.ts';
import { createRecorder } from './recorder.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

function recorder(): { made: Recorder; seen: Observation[] } {
  const seen: Observation[] = [];
  const start = process.hrtime.bigint();
  const made = createRecorder(
    { append: (entry) => seen.push(entry), close: () => undefined },
    () => Number(process.hrtime.bigint() - start),
    [],
  );
  return { made, seen };
}

async function serve(...statuses: readonly number[]): Promise<number> {
  let asked = 0;
  const server = createServer((_request, response) =>
    response.writeHead(statuses[Math.min(asked++, statuses.length - 1)] ?? 200).end(),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

async function serveTls(): Promise<number> {
  const server = createTlsServer({ cert: serviceCertificate, key: serviceKey }, (_request, response) => response.end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

const local = { address: '127.0.0.1' };
const http = (port: number): ReadySpec => ({ kind: 'http', port, path: '/up', origin: 'profile' });

describe('one look', () => {
  it.each([
    [200, true],
    [302, true],
    [404, false],
    [503, false],
  ])('HTTP %d: %s', async (status, ok) => {
    expect((await look(http(await serve(status)), local, recorder().made)).ok).toBe(ok);
  });

  it('names the port and the reason of a refusal', async () => {
    const port = await serve(200);
    for (const cleanup of cleanups.splice(0)) cleanup();
    expect(await look({ kind: 'tcp', port, origin: 'x' }, local, recorder().made)).toEqual({
      ok: false,
      detail: expect.stringMatching(new RegExp(`connect to port ${port}: ECONNREFUSED`)),
    });
  });

  it.each<[string, (socket: Socket) => void, boolean, RegExp]>([
    ['that greets is ready', (socket) => socket.write('220 ready\r\n'), true, /greeted/],
    ['that takes connections and does not speak yet is not', () => undefined, false, /no answer within/],
    ['that closes them without a word is not', (socket) => socket.end(), false, /closed without a greeting/],
  ])('a service %s, where it speaks first', async (_, say, ok, detail) => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      cleanups.push(() => socket.destroy());
      say(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    cleanups.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    const spec: ReadySpec = { kind: 'tcp', port, greets: true, origin: 'x' };
    expect(await look(spec, local, recorder().made, 300)).toEqual({ ok, detail: expect.stringMatching(detail) });
  });

  it.each<[string, Partial<TlsAccess> | undefined, boolean, RegExp]>([
    ['without a CA nothing is verified', {}, true, /GET \/up on port \d+ over TLS answered 200/],
    ['without any TLS declared too', undefined, true, /over TLS answered 200/],
    ['the CA and the name are right', { ca: serviceCertificate, serverName: 'service.test' }, true, /answered 200/],
    ['the CA is a wrong one', { ca: otherCertificate, serverName: 'service.test' }, false, /over TLS: .*self-signed/],
    ['the name is a wrong one', { ca: serviceCertificate, serverName: 'other.test' }, false, /over TLS: .*altnames/],
  ])('over TLS: %s', async (_, declared, ok, detail) => {
    const port = await serveTls();
    const tls = declared && { tls: { port, ...declared } };
    const spec: ReadySpec = { kind: 'http', port, path: '/up', origin: 'x', tls: true };
    const seen = await look(spec, { ...local, ...tls }, recorder().made);
    expect(seen).toEqual({ ok, detail: expect.stringMatching(detail) });
  });

  it('a service that speaks no TLS is not ready over TLS', async () => {
    const spec: ReadySpec = { kind: 'http', port: await serve(200), path: '/up', origin: 'x', tls: true };
    expect(await look(spec, local, recorder().made)).toMatchObject({ ok: false });
  });

  it.each([
    ['tcp', false],
    ['http', false],
    ['http', true],
  ] as const)('goes where its vantage dials: %s, TLS %s', async (kind, tls) => {
    const port = tls ? await serveTls() : await serve(200);
    const dialled: number[] = [];
    const dial: Dial = (to) => {
      dialled.push(to.port);
      return dialDirectly({ ...to, port });
    };
    const at = { port: 1, origin: 'x' } as const;
    const spec: ReadySpec = kind === 'tcp' ? { kind, ...at } : { kind, path: '/up', ...(tls && { tls }), ...at };
    expect(await look(spec, { ...local, dial }, recorder().made)).toMatchObject({ ok: true });
    expect(dialled).toEqual([1]);
  });

  it('finds a log line that was recorded', async () => {
    const { made } = recorder();
    const spec: ReadySpec = { kind: 'log', pattern: 'ready to serve', origin: 'x' };
    expect((await look(spec, local, made)).ok).toBe(false);
    made.record({ kind: 'log', stream: 'stdout', text: 'now ready to serve' });
    expect((await look(spec, local, made)).ok).toBe(true);
  });

  it('sends nothing where there is no address', async () => {
    expect((await look(http(80), { address: undefined }, recorder().made)).detail).toMatch(
      /cannot be reached from here/,
    );
  });
});

describe('waiting for readiness', () => {
  const wait = async (spec: ReadySpec, more: Partial<Parameters<typeof awaitReady>[0]> = {}) => {
    const { made, seen } = recorder();
    const ready = await awaitReady({
      spec,
      vantage: local,
      answers: 2,
      limitMs: 5000,
      recorder: made,
      ended: new AbortController().signal,
      ...more,
    });
    return { ready, last: seen.at(-1) };
  };

  it('wants answers in a row: one that fails in between starts the count again', async () => {
    const { ready, last } = await wait(http(await serve(200, 503, 200, 200)));
    expect(ready).toBe(true);
    expect(last).toMatchObject({ kind: 'ready', attempts: 4, answers: 2 });
  });

  it('ends at once when the container has ended, with what was last seen', async () => {
    const ended = new AbortController();
    ended.abort();
    const { ready, last } = await wait(http(await serve(200)), { ended: ended.signal });
    expect(ready).toBe(false);
    expect(last).toMatchObject({ kind: 'ready.failed', reason: 'exited' });
  });

  it('gives up after its limit and says why it was not ready', async () => {
    const { ready, last } = await wait(http(await serve(503)), { limitMs: 30 });
    expect(ready).toBe(false);
    expect(last).toMatchObject({
      kind: 'ready.failed',
      reason: 'timeout',
      lastError: expect.stringMatching(/answered 503/),
    });
  });
});
