import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { Recorder } from '../observe/recorder.ts';
import type { ControllerConduct } from './controller-session.ts';
import { playSession } from './controller-session.ts';
import type { Hold, Holder } from './hold.ts';
import { createHolder } from './hold.ts';
import type { ListenThere } from './listen-when-there.ts';
import { inTime, openPlayedServer } from './played-server.ts';
import { MOST_MESSAGE_BYTES } from './registry-message.ts';

const PATH = '/ws/microservice';
const JSON_PROFILE = 'light-controller-runtime-json-v1';

/**
 * The controller that the harness plays for one run, in the legacy JSON of light-fabric's registry protocol. What it holds
 * is the handshake or the registration; `asked` resolves for one that holds nothing too, once a service asks to register.
 */
export interface Controller extends Hold {
  /** What the service is told: `http://address:port`. */
  readonly url: string;
  /** Whether a service has registered, waiting at most `limitMs`. */
  registered(limitMs: number): Promise<boolean>;
  /** Ends the server and all sessions. Never throws, and leaves nothing behind that keeps the process alive. */
  close(): Promise<void>;
}

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
  const handshake = createHolder(conduct.kind === 'holds-handshake');
  const registration = createHolder(conduct.kind === 'holds-registration');
  const sessionEnds = new Set<Promise<void>>();
  const registered = Promise.withResolvers<boolean>();
  const handshakes = new WebSocketServer({
    noServer: true,
    maxPayload: MOST_MESSAGE_BYTES,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has(JSON_PROFILE) ? JSON_PROFILE : false),
  });
  let session = 0;

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
    const accept = (): void =>
      handshakes.handleUpgrade(request, socket, head, (webSocket) => {
        const onRegistered = (): void => registered.resolve(true);
        playSession({ socket: webSocket, session: number, conduct, recorder, registration, onRegistered });
        sessionEnds.add(new Promise((resolve) => webSocket.once('close', () => resolve())));
      });
    if (handshake.holds) {
      sessionEnds.add(new Promise((resolve) => socket.once('close', () => resolve())));
      holdHandshake({ socket, session: number, handshake, recorder, accept });
    } else accept();
  });

  const begin = recorder.now();
  const { url, close } = await openPlayedServer(server, listen, (error) => {
    recorder.record({ kind: 'fault', where: 'harness', message: `played controller: ${error.message}` });
  });
  const said = conduct.kind === 'acknowledges' ? `acknowledges after ${conduct.afterMs} ms` : conduct.kind;
  recorder.record({ kind: 'controller.listening', begin, url, behaviour: said });
  const { asked, release } = conduct.kind === 'holds-handshake' ? handshake : registration;

  return {
    url,
    asked,
    release,
    registered: (limitMs) => inTime(limitMs, registered.promise, false),
    close: async () => {
      registered.resolve(false);
      await close(sessionEnds);
    },
  };
}

/** The request is here and nothing is answered: what waits is a connection that stands, and may go before its session. */
function holdHandshake({
  socket,
  session,
  handshake,
  recorder,
  accept,
}: {
  readonly socket: Duplex;
  readonly session: number;
  readonly handshake: Holder;
  readonly recorder: Recorder;
  readonly accept: () => void;
}): void {
  recorder.record({ kind: 'controller.received', session, method: '(handshake)', text: 'held' });
  const gone = (): void => void recorder.record({ kind: 'controller.session', session, state: 'closed' });
  const ended = (): void => void socket.destroy();
  socket.once('close', gone);
  socket.once('end', ended);
  handshake.answer(async () => {
    if (socket.destroyed) return false;
    socket.off('close', gone);
    socket.off('end', ended);
    accept();
    return true;
  });
  handshake.ask();
}

/** Why a handshake is not accepted. The binary codec is not played yet. */
function refusal(request: IncomingMessage): { readonly status: string; readonly text: string } | undefined {
  const path = (request.url ?? '').replace(/\?.*$/s, '');
  if (path !== PATH) return { status: '404 Not Found', text: `refused: the registry is at ${PATH} only` };
  const offered = request.headers['sec-websocket-protocol']?.split(',').map((name) => name.trim()) ?? [];
  if (offered.length === 0 || offered.includes(JSON_PROFILE)) return undefined;
  return { status: '400 Bad Request', text: `refused: only ${JSON_PROFILE} or no profile is played` };
}
