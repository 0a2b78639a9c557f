import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { RequestListener, Server as HttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import { afterEach } from 'vitest';
import type { Observation, ObservationKind, ObservationOf } from '../model/observation.ts';
import type { Endpoints } from '../model/target.ts';
import { createRecorder } from '../observe/recorder.ts';
import type { Access } from '../wire/connection.ts';
import { serviceCertificate, serviceKey } from '../wire/testing/certificate.ts';
import type { HeldWork, Started, TrafficContext } from './traffic.ts';

/** The tests' services, each on a loopback port of its own; all of them are ended after each test. */
const running: { readonly server: Server; readonly sockets: Set<Socket> }[] = [];
const started: HeldWork[] = [];

afterEach(async () => {
  await Promise.all(started.splice(0).map((work) => work.release()));
  for (const { server, sockets } of running.splice(0)) {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});

async function listen(server: Server | HttpServer, tls = false): Promise<Service> {
  const sockets = new Set<Socket>();
  running.push({ server: server as Server, sockets });
  const transports = new Set<Socket>();
  server.on('connection', (socket: Socket) => transports.add(socket));
  server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const access: Access = tls
    ? { address: '127.0.0.1', port, over: 'https', tls: { port, ca: serviceCertificate, serverName: 'service.test' } }
    : { address: '127.0.0.1', port, over: 'http' };
  return { access, server, sockets, transports, close: () => server.close() };
}

/** A service under test and its connections. */
export interface Service {
  readonly access: Access;
  /** For what else it listens to: `upgrade`. */
  readonly server: Server | HttpServer;
  readonly sockets: ReadonlySet<Socket>;
  /** What TLS is spoken on: the only ones that can be reset. Without TLS the same. */
  readonly transports: ReadonlySet<Socket>;
  /** Take no more connections. */
  close(): void;
}

export const httpService = (answer: RequestListener): Promise<Service> => listen(createHttpServer(answer));
export const httpsService = (answer: RequestListener): Promise<Service> =>
  listen(createHttpsServer({ key: serviceKey, cert: serviceCertificate }, answer), true);
/** Misbehaviour that no HTTP server has: whatever is done with the raw connection. */
export const rawService = (serve: (socket: Socket) => void): Promise<Service> => listen(createTcpServer(serve));

/** Answers once it has read the whole body. */
export const readsBodies: RequestListener = (request, response) => {
  request.resume().on('end', () => response.end('ok'));
};

/** A raw service that calls `answer` with each whole head it got. */
export function afterHead(answer: (socket: Socket, head: string) => void): (socket: Socket) => void {
  return (socket) => {
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = text.slice(0, end);
      text = '';
      answer(socket, head);
    });
  };
}

/** What a shape recorded, and waits for what it is going to record. */
export interface Trial {
  readonly context: TrafficContext;
  readonly seen: readonly Observation[];
  of<K extends ObservationKind>(kind: K): ObservationOf<K>[];
  /** Runs a shape; what it holds is released after the test. */
  start(shape: Promise<Started>): Promise<{ held: readonly HeldWork[]; missing?: Missing }>;
}

type Missing = Extract<Started, { missing: unknown }>['missing'];

/** A context for a shape, on a clock that goes on by itself. Times are plain milliseconds. */
export function trial(access: Access, endpoints: Partial<Endpoints> = {}): Trial {
  const seen: Observation[] = [];
  const origin = process.hrtime.bigint();
  const recorder = createRecorder(
    { append: (entry) => seen.push(entry), close: () => undefined },
    () => Number(process.hrtime.bigint() - origin),
    [],
  );
  const none: Endpoints = { slow: [], stream: [], sse: [], upload: [], control: [] };
  return {
    context: {
      id: 'load-1',
      access,
      endpoints: { ...none, ...endpoints },
      recorder,
      time: (expression) => Number.parseInt(expression, 10),
    },
    seen,
    of: <K extends ObservationKind>(kind: K) => seen.filter((entry): entry is ObservationOf<K> => entry.kind === kind),
    async start(shape) {
      const result = await shape;
      if ('missing' in result) return { held: [], missing: result.missing };
      started.push(...result.held);
      return { held: result.held };
    },
  };
}
