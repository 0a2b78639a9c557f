import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { dockerDriver } from './docker.ts';
import type { EngineDriver } from './driver.ts';

const CANARY = 'canary-hunter2';
const credentials = { serveraddress: 'registry.example', username: 'u', password: CANARY };
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** A driver for an engine that answers a pull like this, and what it was asked. */
async function pulling(answer: (response: ServerResponse) => void) {
  const folder = await mkdtemp(join(tmpdir(), 'lfq-images-'));
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    if (request.url?.includes('/images/create')) {
      asked.push(request);
      answer(response);
    } else response.end(JSON.stringify({ Version: '1', ApiVersion: '1.41', Components: [{ Name: 'Engine' }] }));
  });
  server.listen(join(folder, 'engine.sock'));
  await once(server, 'listening');
  const driver: EngineDriver = dockerDriver(`unix://${join(folder, 'engine.sock')}`);
  closers.push(async () => {
    driver.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true, force: true });
  });
  const said: string[] = [];
  const pull = driver.pullImage('registry.example/shop:1', (line) => said.push(line), {
    platform: 'linux/arm64',
    credentials,
  });
  const failure: unknown = await pull.then(
    () => undefined,
    (error: unknown) => error,
  );
  return { driver, asked, said, failure };
}

describe('a pull', () => {
  it('asks for the platform, and sends credentials in the one header that is for them', async () => {
    const { asked, said } = await pulling((response) => {
      response.end(`{"status":"Pulling ${CANARY}"}\n{"status":"Download complete","id":"abc"}\n`);
    });
    const { url = '', headers = {} } = asked[0] ?? {};
    const query = new URL(url, 'http://engine').searchParams;
    expect(Object.fromEntries(query)).toEqual({
      fromImage: 'registry.example/shop',
      tag: '1',
      platform: 'linux/arm64',
    });
    const sent = Buffer.from(String(headers['x-registry-auth']), 'base64').toString('utf8');
    expect(JSON.parse(sent)).toEqual(credentials);
    expect(said).toEqual(['Pulling ***', 'abc Download complete']);
  });

  it.each([
    ['answered', (response: ServerResponse) => response.writeHead(500).end(`{"message":"bad ${CANARY}"}`)],
    ['said on the way', (response: ServerResponse) => response.end(`{"error":"bad ${CANARY}"}\n`)],
  ])('that fails gives the reason that the engine %s, without the credentials in it', async (_, answer) => {
    const { failure } = await pulling(answer);
    expect((failure as Error).message).toMatch(/pull image registry\.example\/shop:1 failed: bad \*\*\*$/);
    const { cause, stack } = failure as Error;
    expect(`${String(cause)} ${stack}`).not.toContain(CANARY);
  });

  it('that fails while the engine keeps its answer open is over: what the connection does later is no error', async () => {
    let cut: (() => void) | undefined;
    const { driver, failure } = await pulling((response) => {
      response.write('{"error":"denied"}\n');
      cut = () => response.destroy();
    });
    expect((failure as Error).message).toMatch(/denied$/);
    driver.close();
    cut?.();
    // an unhandled error of the stream would fail the test run here
    await new Promise((resolve) => setImmediate(resolve));
  });
});
