import type { IncomingMessage, Server } from 'node:http';
import { createServer } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { hostInUrl } from '../model/network.ts';
import type { Recorder } from '../observe/recorder.ts';
import type { ControllerConduct } from './controller-session.ts';
import { playSession } from './controller-session.ts';
import { MOST_MESSAGE_BYTES } from './registry-message.ts';

const PATH = '/ws/microservice';
const JSON_PROFILE = 'light-controller-runtime-json-v1';
/** How long a closed server is waited for, ms: everything on it was destroyed before. */
const CLOSE_LIMIT_MS = 1000;

/** The controller that the harness plays for one run, in the legacy JSON of light-fabric's registry protocol. */
export interface Controller {
  /** What the service is told: `http://address:port`. */
  readonly url: string;
  /** Whether a service has registered, waiting at most `limitMs`. */
  registered(limitMs: number): Promise<boolean>;
  /** Ends the server and all sessions. Never throws, and leaves nothing behind that keeps the process alive. */
  close(): Promise<void>;
}

/**
 * Makes a server listen where the run's network reaches it: on the host's address there, or through a sidecar that hands
 * its connections over. Says where. Rejects with an Error that says why nothing can listen there.
 */
export type ListenThere = (server: Server) => Promise<{ readonly host: string; readonly port: number }>;

/**
 * Listen where `listen` says. Records `controller.listening`, and all that comes and goes from then on.
 */
export async function playController(options: {
  readonly listen: ListenThere;
  readonly behaviour: ControllerConduct;
  readonly recorder: Recorder;
}): Promise<Controller> {
  const { listen, behaviour: conduct, recorder } = options;
  const server = createServer((_request, response) => response.writeHead(404, { connection: 'close' }).end());
  const sockets = new Set<Duplex>();
  const sessionEnds = new Set<Promise<void>>();
  const registered = Promise.withResolvers<boolean>();
  const handshakes = new WebSocketServer({
    noServer: true,
    maxPayload: MOST_MESSAGE_BYTES,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has(JSON_PROFILE) ? JSON_PROFILE : false),
  });
  let session = 0;

  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('upgrade', (request, socket, head) => {
    session += 1;
    const number = session;
    // Before ws takes over, an error of the socket is nobody's.
    socket.on('error', () => undefined);
    const problem = refusal(request);
    if (problem !== undefined) {
      recorder.record({ kind: 'controller.received', session: number, method: '(handshake)', text: problem.text });
      socket.end(`HTTP/1.1 ${problem.status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    handshakes.handleUpgrade(request, socket, head, (webSocket) => {
      const onRegistered = (): void => registered.resolve(true);
      playSession({ socket: webSocket, session: number, conduct, recorder, onRegistered });
      sessionEnds.add(new Promise((resolve) => webSocket.once('close', () => resolve())));
    });
  });

  const begin = recorder.now();
  const { host, port } = await listen(server);
  server.on('error', (error) => {
    recorder.record({ kind: 'fault', where: 'harness', message: `played controller: ${error.message}` });
  });
  server.unref();
  const url = `http://${hostInUrl(host)}:${port}`;
  const said = conduct.kind === 'silent' ? 'silent' : `acknowledges after ${conduct.afterMs} ms`;
  recorder.record({ kind: 'controller.listening', begin, url, behaviour: said });

  return {
    url,
    registered: (limitMs) => within(limitMs, registered.promise, false),
    close: async () => {
      registered.resolve(false);
      // one that never listened itself has nothing to close, and says so
      const ended = Promise.all([new Promise<void>((resolve) => server.close(() => resolve())), ...sessionEnds]);
      for (const socket of sockets) socket.destroy();
      await within(CLOSE_LIMIT_MS, ended, undefined);
    },
  };
}

/** Why a handshake is not accepted. The binary codec is not played yet. */
function refusal(request: IncomingMessage): { readonly status: string; readonly text: string } | undefined {
  const path = (request.url ?? '').replace(/\?.*$/s, '');
  if (path !== PATH) return { status: '404 Not Found', text: `refused: the registry is at ${PATH} only` };
  const offered = request.headers['sec-websocket-protocol']?.split(',').map((name) => name.trim()) ?? [];
  if (offered.length === 0 || offered.includes(JSON_PROFILE)) return undefined;
  return { status: '400 Bad Request', text: `refused: only ${JSON_PROFILE} or no profile is played` };
}

/** The value, or `otherwise` once the time is over; its timer does not outlive it. */
async function within<T, U>(limitMs: number, value: Promise<T>, otherwise: U): Promise<T | U> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<U>((resolve) => {
    timer = setTimeout(() => resolve(otherwise), limitMs);
  });
  try {
    return await Promise.race([value, late]);
  } finally {
    clearTimeout(timer);
  }
}
