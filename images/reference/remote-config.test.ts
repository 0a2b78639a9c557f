import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { remoteConfig } from './remote-config.ts';
import { collectedLog } from './testing/collected-log.ts';
import { settle } from './testing/virtual-clock.ts';

/** `held` is called when all that will come has left. */
type Answer = (response: ServerResponse, held: () => void) => void;

const says =
  (body: string, status = 200): Answer =>
  (response) =>
    void response.writeHead(status).end(body);

const none = says('', 404);
const values = says('a: 1\n');
const encoded = (files: Readonly<Record<string, string>>): Answer =>
  says(JSON.stringify(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, btoa(text)]))));

describe('the configuration from a config server', () => {
  const cleanUp: (() => unknown)[] = [];
  afterEach(async () => {
    for (const end of cleanUp.splice(0).toReversed()) await end();
  });

  /** A config server that answers each path in its way, and a cache in memory. */
  const played = async (
    answers: Readonly<Record<string, Answer>>,
    cached: Readonly<Record<string, string>> = {},
    writes = 'at once',
  ) => {
    const asked: string[] = [];
    const requests: IncomingMessage[] = [];
    const held = Promise.withResolvers<void>();
    const server = createServer((request, response) => {
      const what = request.url?.replace('/config-server/', '') ?? '';
      asked.push(what);
      requests.push(request);
      (answers[what] ?? none)(response, held.resolve);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    cleanUp.push(async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    });
    const kept = new Map(Object.entries(cached));
    const writing = Promise.withResolvers<() => void>();
    const cache = {
      write: async (name: string, content: Uint8Array, cancel: AbortSignal) => {
        if (writes === 'held') await new Promise<void>((resolve) => writing.resolve(resolve));
        cancel.throwIfAborted();
        kept.set(name, Buffer.from(content).toString());
      },
      has: async (name: string) => kept.has(name),
    };
    const log = collectedLog();
    const cancel = new AbortController();
    const phase = remoteConfig(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, cache, log);
    const files = (): Readonly<Record<string, string>> => Object.fromEntries(kept);
    return { phase, cancel, log, asked, requests, held: held.promise, writing: writing.promise, files };
  };

  it('asks for values, certificates and files, and keeps all of them', async () => {
    const { phase, cancel, asked, files, log } = await played({
      configs: values,
      certs: encoded({ 'ca.pem': 'pem' }),
      files: encoded({ 'a.txt': 'A', 'b.txt': 'B' }),
    });
    await phase.run(cancel.signal);
    expect(asked).toEqual(['configs', 'certs', 'files']);
    expect(files()).toEqual({ 'values.yml': 'a: 1\n', 'ca.pem': 'pem', 'a.txt': 'A', 'b.txt': 'B' });
    expect(log.lines).toEqual([]);
  });

  it.each([
    ['404', none],
    ['an empty answer', says('')],
  ])('takes %s for no certificates, and asks for files all the same', async (_what, certs) => {
    const { phase, cancel, files, log } = await played({ configs: values, certs, files: encoded({ 'a.txt': 'A' }) });
    await phase.run(cancel.signal);
    expect(files()).toEqual({ 'values.yml': 'a: 1\n', 'a.txt': 'A' });
    expect(log.lines).toEqual([]);
  });

  it.each([
    ['a failure', says('', 500)],
    ['an answer that is no JSON', says('<html>')],
  ])('starts without new certificates after %s, and says so', async (_what, certs) => {
    const { phase, cancel, files, log } = await played({ configs: values, certs, files: encoded({ 'a.txt': 'A' }) });
    await phase.run(cancel.signal);
    expect(files()).toEqual({ 'values.yml': 'a: 1\n', 'a.txt': 'A' });
    expect(log.lines).toEqual([expect.stringContaining('warn config server failed; starting without new certs')]);
  });

  it('starts with what is cached where the server fails, and asks it for nothing more', async () => {
    const { phase, cancel, asked, files, log } = await played({ configs: says('', 500) }, { 'values.yml': 'old' });
    await phase.run(cancel.signal);
    expect(asked).toEqual(['configs']);
    expect(files()).toEqual({ 'values.yml': 'old' });
    expect(log.lines).toEqual([
      'warn config server failed; starting with the cached configuration error=Error: the config server answered configs with 500',
    ]);
  });

  it('fails where the server fails and nothing is cached', async () => {
    const { phase, cancel } = await played({ configs: says('', 500) });
    await expect(phase.run(cancel.signal)).rejects.toThrow(
      'no configuration: Error: the config server answered configs with 500',
    );
  });

  it('does not take a body that was cut short for the whole', async () => {
    const cut: Answer = (response) => {
      response.writeHead(200, { 'content-length': 10 });
      response.write('a: 1\n', () => response.destroy());
    };
    const { phase, cancel, files } = await played({ configs: cut });
    await expect(phase.run(cancel.signal)).rejects.toThrow('no configuration');
    expect(files()).toEqual({});
  });

  const half: Answer = (response, held) => {
    response.writeHead(200, { 'content-length': 10 });
    response.write('a: 1\n', held);
  };
  it.each<[string, Answer]>([
    ['is silent', (_response, held) => held()],
    ['has sent half of its answer', half],
  ])('lets go at once of a server that %s, and keeps nothing, even if there is a cache', async (_what, configs) => {
    const { phase, cancel, held, requests, files, log } = await played({ configs }, { 'values.yml': 'old' });
    const run = phase.run(cancel.signal);
    await held;
    const [request] = requests;
    const gone = new Promise((resolve) => request?.socket.on('error', () => undefined).once('close', resolve));
    cancel.abort();
    await expect(run).rejects.toThrow('aborted');
    await phase.undo?.();
    await gone;
    expect(files()).toEqual({ 'values.yml': 'old' });
    expect(log.lines).toEqual([]);
  });

  it('cancelled between two answers asks for nothing more', async () => {
    const parts = await played({
      configs: values,
      certs: (response) => {
        parts.cancel.abort();
        response.writeHead(404).end();
      },
    });
    await expect(parts.phase.run(parts.cancel.signal)).rejects.toThrow('aborted');
    expect(parts.asked).toEqual(['configs', 'certs']);
  });

  it('is taken back only once what it was writing is over', async () => {
    const { phase, cancel, writing, files } = await played({ configs: values }, {}, 'held');
    const run = phase.run(cancel.signal);
    const release = await writing;
    cancel.abort();
    const said: string[] = [];
    const undone = phase.undo?.().then(() => said.push('undone'));
    await settle();
    expect(said).toEqual([]);
    release();
    await expect(run).rejects.toThrow('aborted');
    await undone;
    expect(files()).toEqual({});
  });
});
