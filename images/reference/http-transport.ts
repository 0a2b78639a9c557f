import { once } from 'node:events';
import type { Server as HttpServer, IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import type { Http2SecureServer, ServerHttp2Session } from 'node:http2';
import { createSecureServer } from 'node:http2';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { AdmissionGate, AdmissionPermit } from './admission-gate.ts';
import { Connections } from './connections.ts';
import type { ControlRoutes } from './control-routes.ts';
import { controlRoutes } from './control-routes.ts';
import type { Handler, ServiceRequest, ServiceResponse } from './exchange.ts';
import { answerJson, isHttp2 } from './exchange.ts';
import type { ShutdownContext } from './shutdown-context.ts';
import type { Transport } from './transport.ts';
import { WebSockets } from './web-sockets.ts';

export type ListeningServer = HttpServer | Http2SecureServer;

export interface TransportOptions {
  /** Routes that answer while the gate is closed. Default: `controlRoutes`. */
  readonly control?: ControlRoutes;
  /** TLS beside the clear port: HTTP/2 by ALPN, else HTTP/1.1. PEM texts. */
  readonly https?: { readonly port: number; readonly cert: string; readonly key: string };
  /** What takes upgrades. Default: those of the service. */
  readonly webSockets?: WebSockets;
}

/** How long a session may take to send its last frames after its last stream. */
const SESSION_END_MS = 100;
/** Node's 5 s would end idle connections in the middle of a measurement. */
const KEEP_ALIVE_MS = 75_000;

const listen = (server: ListeningServer, port: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, signal }, resolve);
  });

const portOf = (server: ListeningServer | undefined, otherwise: number): number => {
  const address = server?.address();
  return typeof address === 'object' && address !== null ? address.port : otherwise;
};

/**
 * HTTP/1.1, and HTTP/2 in TLS, behind the admission gate. Idle connections never hold a stop; admitted requests keep
 * their permit until the last byte of their answer.
 */
export class HttpTransport implements Transport {
  readonly #port: number;
  readonly #handler: Handler;
  readonly #options: TransportOptions;
  #plain: HttpServer | undefined;
  #secure: Http2SecureServer | undefined;
  protected gate: AdmissionGate | undefined;
  protected readonly connections = new Connections();
  /** Admitted requests whose answers are not complete. */
  protected readonly answering = new Map<ServiceResponse, ServiceRequest>();
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #webSockets: WebSockets;

  constructor(port: number, handler: Handler, options: TransportOptions = {}) {
    this.#port = port;
    this.#handler = handler;
    this.#options = options;
    this.#webSockets = options.webSockets ?? new WebSockets();
  }

  /** The port in use: the given one, or the one the system chose for 0. */
  get port(): number {
    return portOf(this.#plain, this.#port);
  }

  /** The same for TLS; 0 where it is not spoken. */
  get httpsPort(): number {
    return portOf(this.#secure, this.#options.https?.port ?? 0);
  }

  async bind(gate: AdmissionGate, startupCancel: AbortSignal): Promise<void> {
    this.gate = gate;
    gate.whenClosed(() => {
      for (const [response, request] of this.answering) this.sayClose(request, response);
      this.#webSockets.leave();
    });
    this.#plain = this.plainServer();
    const bound = [this.#start(this.#plain, gate, this.#port, startupCancel)];
    const { https } = this.#options;
    if (https) {
      const { cert, key, port } = https;
      const options = { cert, key, allowHTTP1: true, keepAliveTimeout: KEEP_ALIVE_MS };
      this.#secure = createSecureServer(options);
      bound.push(this.#start(this.#secure, gate, port, startupCancel));
    }
    await Promise.all(bound);
  }

  /** The server of the clear port, not yet listening. */
  protected plainServer(): HttpServer {
    return createServer({ keepAliveTimeout: KEEP_ALIVE_MS });
  }

  #start(server: ListeningServer, gate: AdmissionGate, port: number, startupCancel: AbortSignal): Promise<void> {
    const serve =
      (waits: boolean) =>
      (request: ServiceRequest, response: ServiceResponse): void =>
        this.#serve(gate, request, response, waits);
    server.on('request', serve(false));
    // the client waits for leave to send its body: a refused one must not get it
    server.on('checkContinue', serve(true));
    server.on('session', (session: ServerHttp2Session) => {
      this.#sessions.add(session);
      session.once('close', () => this.#sessions.delete(session));
    });
    server.on('connection', (wire: Socket) => this.accepted(wire));
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) =>
      this.#webSockets.upgrade(request, socket, head, this.admitsUpgrade(gate)),
    );
    this.connections.watch(server, server === this.#secure);
    return listen(server, port, startupCancel);
  }

  #serve(gate: AdmissionGate, request: ServiceRequest, response: ServiceResponse, waits: boolean): void {
    if (!gate.isOpen) this.sayClose(request, response);
    const control = (this.#options.control ?? controlRoutes).find(request.method, request.url);
    const permit = control ? gate.tryEnter('control') : this.admit(gate, request);
    if (!permit) {
      this.refuse(request, response);
      return;
    }
    response.once('close', () => {
      this.answering.delete(response);
      permit.release();
    });
    if (control) {
      const { status, body } = control(gate);
      answerJson(response, status, body);
      return;
    }
    this.answering.set(response, request);
    if (waits) response.writeContinue();
    this.#handler(request, response).catch(() => response.destroy());
  }

  /** A connection stands. */
  protected accepted(_wire: Socket): void {
    // that decides nothing: what counts is when a request is complete (ADM-9)
  }

  /** The one decision about a request, made when its headers are complete. */
  protected admit(gate: AdmissionGate, _request: ServiceRequest): AdmissionPermit | undefined {
    return gate.tryEnter('application');
  }

  /** The decision about an upgrade, made when its request is complete. It is a connection, and no work of its own. */
  protected admitsUpgrade(gate: AdmissionGate): boolean {
    return gate.isOpen;
  }

  protected refuse(request: ServiceRequest, response: ServiceResponse): void {
    this.sayClose(request, response);
    response.writeHead(503, { 'Retry-After': '0' });
    response.end('shutting down\n');
  }

  /** This answer is the last one of its connection, unless its headers are on their way already (DRN-8). */
  protected sayClose(request: ServiceRequest, response: ServiceResponse): void {
    if (!isHttp2(request) && !response.headersSent) response.setHeader('Connection', 'close');
  }

  async stop(context: ShutdownContext): Promise<'drained' | 'cut'> {
    const closed = this.#close();
    let work: 'drained' | 'cut' = 'drained';
    const cut = (): void => {
      if (this.answering.size > 0 || this.#webSockets.unsent) work = 'cut';
      this.cut();
    };
    if (context.cancellation.aborted) cut();
    context.cancellation.addEventListener('abort', cut, { once: true });
    await this.gate?.drained();
    await this.#webSockets.ended();
    // node hands frames, a GOAWAY too, to the socket in the turn after they were asked for
    await nextTurn();
    await this.#sessionsEnded();
    // what is left never sent a whole request: nothing was admitted, so nothing is lost
    this.dropRest();
    await closed;
    return work;
  }

  /** A session that said GOAWAY ends by itself after its last stream: dropped before, it would lose the last frames. */
  async #sessionsEnded(): Promise<void> {
    const ended = [...this.#sessions].map((session) => once(session, 'close'));
    await Promise.race([Promise.all(ended), sleep(SESSION_END_MS, undefined, { ref: false })]);
  }

  /** Ends everything that is left at the deadline, so that no client takes a part of an answer for the whole. */
  protected cut(): void {
    this.connections.cut();
  }

  /** Drops what carries no admitted work, after what was written has been sent. */
  protected dropRest(): void {
    this.connections.drop();
  }

  async abort(): Promise<void> {
    const closed = this.#close();
    this.connections.cut();
    await closed;
  }

  /** Refuses new connections at once, drops idle ones, and says GOAWAY: what it resolves for are the others. */
  async #close(): Promise<void> {
    const servers = [this.#plain, this.#secure].filter((server) => server?.listening === true);
    const closed = servers.map(
      (server) =>
        new Promise<void>((resolve) => {
          server?.once('close', resolve);
          if (server) this.closeListener(server);
        }),
    );
    for (const session of this.#sessions) this.closeSession(session);
    await Promise.all(closed);
  }

  protected closeListener(server: ListeningServer): void {
    server.close();
  }

  /** GOAWAY; its streams go on, new ones are not taken (DRN-7). */
  protected closeSession(session: ServerHttp2Session): void {
    session.close();
  }
}
