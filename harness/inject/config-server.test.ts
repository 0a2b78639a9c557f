import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { BootstrapBehaviour } from '../model/scenario.ts';
import type { ConfigServer } from './config-server.ts';
import { playConfigServer } from './config-server.ts';
import { listenAt } from './listen-when-there.ts';
import { watchedRecorder } from './testing.suite.ts';

const CONFIGS = '/config-server/configs';

const open: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function play(behaviour: BootstrapBehaviour['kind']) {
  const watched = watchedRecorder();
  const { recorder } = watched;
  const server = await playConfigServer({ listen: listenAt('127.0.0.1'), behaviour, recorder });
  open.push(() => server.close());
  const bootstrap = () => watched.seen.filter(({ kind }) => kind.startsWith('bootstrap.'));
  return { ...watched, server, bootstrap };
}

/** Ask as a service does; the answer's head, or the error. */
function ask({ url }: ConfigServer, path: string, agent = new Agent({ keepAlive: true })) {
  open.push(() => agent.destroy());
  const headers = { authorization: 'Bearer hush' };
  const request = get(`${url}${path}?host=dev&serviceId=hush`, { agent, headers });
  const answer = once(request, 'response').then(([response]) => response as IncomingMessage);
  answer.catch(() => undefined);
  return { request, answer };
}

async function whole(server: ConfigServer, path: string, agent?: Agent) {
  const response = await ask(server, path, agent).answer;
  const body = await buffer(response);
  return { status: response.statusCode, type: response.headers['content-type'], body };
}

describe('a config server that answers', () => {
  it('gives each path in the form that the services read, and knows the files that come of it', async () => {
    const { server } = await play('answers');
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const values = await whole(server, CONFIGS, agent);
    expect(values).toMatchObject({ status: 200, type: 'application/yaml', body: server.files.get('values.yml') });
    expect(values.body.length).toBe(65_536);
    const names: string[] = ['values.yml'];
    for (const path of ['/config-server/certs', '/config-server/files']) {
      const { status, type, body } = await whole(server, path, agent);
      expect([status, type]).toEqual([200, 'application/json']);
      for (const [name, content] of Object.entries<string>(JSON.parse(body.toString()))) {
        names.push(name);
        expect(Buffer.from(content, 'base64')).toEqual(server.files.get(name));
      }
    }
    expect(names.toSorted()).toEqual([...server.files.keys()].toSorted());
  });

  it('records what is asked and answered, without the query and its secrets', async () => {
    const { server, bootstrap } = await play('answers');
    await whole(server, CONFIGS);
    await whole(server, '/config-server/other');
    expect(bootstrap()).toMatchObject([
      { kind: 'bootstrap.listening', url: server.url, behaviour: 'answers' },
      { kind: 'bootstrap.received', request: 1, path: CONFIGS },
      { kind: 'bootstrap.answered', request: 1, path: CONFIGS, status: 200, bytes: 65_536, whole: true },
      { kind: 'bootstrap.received', request: 2, path: '/config-server/other' },
      { kind: 'bootstrap.answered', request: 2, status: 404, bytes: 0, whole: true },
    ]);
    expect(JSON.stringify(bootstrap())).not.toContain('hush');
  });

  it('knows that it was asked, and has nothing to release', async () => {
    const { server } = await play('answers');
    await whole(server, CONFIGS);
    await server.asked;
    expect(await server.release()).toBe(false);
  });
});

describe('a config server that fails', () => {
  it.each([CONFIGS, '/config-server/certs', '/config-server/files'])('answers 500 for %s', async (path) => {
    const { server, bootstrap } = await play('fails');
    expect(await whole(server, path)).toMatchObject({ status: 500, body: Buffer.alloc(0) });
    await server.asked;
    expect(bootstrap().at(-1)).toMatchObject({ kind: 'bootstrap.answered', status: 500, whole: true });
  });
});

describe('a config server that holds', () => {
  it('sends nothing until it is released, then all of it, and what comes after at once', async () => {
    const { server, bootstrap } = await play('holds');
    const { answer } = ask(server, CONFIGS);
    await server.asked;
    expect(bootstrap().map(({ kind }) => kind)).toEqual(['bootstrap.listening', 'bootstrap.received']);
    expect(await server.release()).toBe(true);
    expect(bootstrap().at(-1)).toMatchObject({ kind: 'bootstrap.answered', bytes: 65_536, whole: true });
    expect(await buffer(await answer)).toEqual(server.files.get('values.yml'));
    expect(await whole(server, '/config-server/certs')).toMatchObject({ status: 200 });
    expect(await server.release()).toBe(false);
  });

  it('is not asked by another path or method', async () => {
    const { server } = await play('holds');
    await whole(server, '/health');
    expect(await Promise.race([server.asked.then(() => 'asked'), setImmediate('not yet')])).toBe('not yet');
  });

  it.each([
    ['FIN', 'end'],
    ['RST', 'resetAndDestroy'],
  ] as const)('records a service that leaves by %s, and then there is nobody to answer', async (by, leave) => {
    const { server, until, seen } = await play('holds');
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    socket.write(`GET ${CONFIGS} HTTP/1.1\r\nhost: x\r\n\r\n`);
    await server.asked;
    socket[leave]();
    await until(({ kind }) => kind === 'bootstrap.abandoned');
    expect(seen.at(-1)).toMatchObject({ kind: 'bootstrap.abandoned', request: 1, path: CONFIGS, by });
    expect(await server.release()).toBe(false);
    expect(seen).not.toContainEqual(expect.objectContaining({ kind: 'bootstrap.answered' }));
  });

  it('is closed with a request held: that is not the service leaving, and nothing listens any more', async () => {
    const { server, seen } = await play('holds');
    const { request } = ask(server, CONFIGS);
    await server.asked;
    const failed = once(request, 'error').catch((error: unknown) => [error]);
    await server.close();
    await server.close();
    expect((await failed)[0]).toMatchObject({ code: 'ECONNRESET' });
    expect(seen).not.toContainEqual(expect.objectContaining({ kind: 'bootstrap.abandoned' }));
    const { hostname, port } = new URL(server.url);
    const refused = await once(connect(Number(port), hostname), 'error').catch((error: unknown) => [error]);
    expect(refused[0]).toMatchObject({ code: 'ECONNREFUSED' });
  });
});

describe('a config server that holds half', () => {
  it('sends the head and half of the body, and the rest when it is released', async () => {
    const { server, bootstrap } = await play('holds-half');
    const { answer } = ask(server, CONFIGS);
    const response = await answer;
    expect(response.headers['content-length']).toBe('65536');
    let got = 0;
    const half = new Promise<void>((resolve) => {
      response.on('data', (chunk: Buffer) => {
        got += chunk.length;
        if (got === 32_768) resolve();
      });
    });
    await Promise.all([server.asked, half]);
    expect(bootstrap().at(-1)).toMatchObject({ kind: 'bootstrap.answered', bytes: 32_768, whole: false });
    const ended = once(response, 'end');
    expect(await server.release()).toBe(true);
    await ended;
    expect([got, response.complete]).toEqual([65_536, true]);
    expect(bootstrap().at(-1)).toMatchObject({ kind: 'bootstrap.answered', bytes: 65_536, whole: true });
  });

  it('records a service that leaves in the middle', async () => {
    const { server, until, bootstrap } = await play('holds-half');
    const { request, answer } = ask(server, CONFIGS);
    await Promise.all([server.asked, answer]);
    request.destroy();
    await until(({ kind }) => kind === 'bootstrap.abandoned');
    expect(await server.release()).toBe(false);
    expect(bootstrap().filter(({ kind }) => kind === 'bootstrap.answered')).toMatchObject([{ whole: false }]);
  });
});
