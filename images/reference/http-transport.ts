import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import type { AdmissionGate } from './admission-gate.ts';
import type { Transport } from './run-until-shutdown.ts';
import type { ShutdownContext } from './shutdown-context.ts';

/** What the service does with an admitted request. It ends the response, or rejects when the client is gone. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

const refuse = (response: ServerResponse): void => {
  response.writeHead(503, { Connection: 'close', 'Retry-After': '0' }).end('shutting down\n');
};

/** HTTP/1.1 behind the admission gate. Idle connections never hold a stop; admitted requests keep their permit. */
export class HttpTransport implements Transport {
  readonly #port: number;
  readonly #handler: Handler;
  readonly #sockets = new Set<Socket>();
  readonly #answering = new Set<ServerResponse>();
  #gate: AdmissionGate | undefined;
  #server: Server | undefined;

  constructor(port: number, handler: Handler) {
    this.#port = port;
    this.#handler = handler;
  }

  /** The port in use: the given one, or the one the system chose for 0. */
  get port(): number {
    const address = this.#server?.address();
    return typeof address === 'object' && address !== null ? address.port : this.#port;
  }

  bind(gate: AdmissionGate, startupCancel: AbortSignal): Promise<void> {
    this.#gate = gate;
    const server = createServer((request, response) => this.#admit(gate, request, response));
    this.#server = server;
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen({ port: this.#port, signal: startupCancel }, resolve);
    });
  }

  #admit(gate: AdmissionGate, request: IncomingMessage, response: ServerResponse): void {
    const permit = gate.tryEnter('application');
    if (!permit) {
      refuse(response);
      return;
    }
    this.#answering.add(response);
    response.once('close', () => {
      this.#answering.delete(response);
      permit.release();
    });
    this.#handler(request, response).catch(() => response.destroy());
  }

  async stop(context: ShutdownContext): Promise<'drained' | 'cut'> {
    const closed = this.#close();
    for (const response of this.#answering) if (!response.headersSent) response.setHeader('Connection', 'close');
    let work: 'drained' | 'cut' = 'drained';
    const cut = (): void => {
      if (this.#answering.size > 0) work = 'cut';
      for (const socket of this.#sockets) socket.destroy();
    };
    if (context.cancellation.aborted) cut();
    context.cancellation.addEventListener('abort', cut, { once: true });
    await this.#gate?.drained();
    // what is left never sent a whole request: nothing was admitted, so nothing is lost
    for (const socket of this.#sockets) socket.destroySoon();
    await closed;
    return work;
  }

  abort(): Promise<void> {
    const closed = this.#close();
    for (const socket of this.#sockets) socket.destroy();
    return closed;
  }

  /** Refuses new connections at once and drops idle ones. */
  #close(): Promise<void> {
    return new Promise((resolve) => {
      if (!this.#server?.listening) return resolve();
      this.#server.close(() => resolve());
      this.#server.closeIdleConnections();
    });
  }
}
