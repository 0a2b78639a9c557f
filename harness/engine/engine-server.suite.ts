import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Answers with a status and a message; none has no body. */
export type Respond = (status: number, message?: string) => void;

/** What the server answers, by path; a function may do anything with the connection. */
export type Answers = Readonly<Record<string, unknown | ((end: () => void, respond: Respond) => void)>>;

/** A tiny HTTP server on a unix socket in a temporary folder, in place of an engine. */
export interface EngineServer {
  readonly address: string;
  readonly socketPath: string;
  close(): Promise<void>;
}

/** What a Docker engine says to `/version` and `/info`, as far as the driver reads it. */
export function dockerAnswers(id = 'D1'): Answers {
  return {
    '/_ping': 'OK',
    '/version': { Version: '20.10.24', ApiVersion: '1.41', Components: [{ Name: 'Engine' }], KernelVersion: '0.0.1' },
    '/info': { ID: id, SystemTime: '2026-11-30T13:15:41.5Z', SecurityOptions: ['name=rootless'], CgroupVersion: '1' },
  };
}

/** The same for Podman, whose ID is another one in each answer. */
export function podmanAnswers(root = '/var/lib/containers/storage'): Answers {
  return {
    '/_ping': 'OK',
    '/version': {
      Version: '4.3.1',
      ApiVersion: '1.41',
      Components: [{ Name: 'Podman Engine' }],
      KernelVersion: '0.0.1',
    },
    '/info': { ID: String(Math.random()), Name: 'host', DockerRootDir: root, Rootless: false },
  };
}

/** Serves `answers`, on the socket `at` if one is given; paths that are missing get 404. A function is called with a way to cut the connection. */
export async function engineServer(answers: Answers, at?: string): Promise<EngineServer> {
  const folder = await mkdtemp(join(tmpdir(), 'lfq-engine-'));
  const socketPath = at ?? join(folder, 'engine.sock');
  const server = createServer((request, response) => {
    const answer = answers[(request.url ?? '').replace(/\?.*/, '')];
    if (typeof answer === 'function') {
      const respond: Respond = (status, message) => {
        response.writeHead(status, { 'Content-Type': 'application/json' });
        response.end(message === undefined ? undefined : JSON.stringify({ message }));
      };
      answer(() => request.socket.destroy(), respond);
      return;
    }
    response.writeHead(answer === undefined ? 404 : 200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(answer ?? { message: 'no such thing' }));
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  return {
    address: `unix://${socketPath}`,
    socketPath,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
