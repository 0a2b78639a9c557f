import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { WebSocketServer } from 'ws';
import { answerMessage } from './web-socket-messages.ts';

/** The code and reason of a Close frame. */
export interface Farewell {
  readonly code: number;
  readonly reason: string;
}

/** Going Away, of RFC 6455. */
const GOING_AWAY: Farewell = { code: 1001, reason: 'shutting down' };
/** Policy Violation: for a peer that asks to be refused. */
const REFUSED: Farewell = { code: 1008, reason: 'refused' };
/** How long a peer may take to answer a Close that was written, ms. Being dropped there is right (WSS-5). */
const CLOSE_ANSWER_MS = 500;

/** When a peer is dropped is decided here: the library's own 30 s would cut one that still reads. */
const OPTIONS = { noServer: true, maxPayload: 1024 * 1024, closeTimeout: 2 ** 31 - 1 };

const REFUSAL = 'HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n';

/** The WebSockets of the service. Each gets what is queued for it and then its Close when the gate closes. */
export class WebSockets {
  protected readonly open = new Set<WebSocket>();
  readonly #server = new WebSocketServer(OPTIONS);
  readonly #farewell: Farewell;
  #left = false;
  #onEnd: (() => void)[] = [];

  constructor(farewell = GOING_AWAY) {
    this.#farewell = farewell;
  }

  /** A request that asks for an upgrade and has come whole; `admitted` is what the gate says of it. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, admitted: boolean): void {
    socket.on('error', () => socket.destroy());
    if (!admitted || request.url !== '/ws') {
      socket.end(admitted ? 'HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n' : REFUSAL);
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (webSocket) => this.#joined(webSocket));
  }

  #joined(webSocket: WebSocket): void {
    this.open.add(webSocket);
    webSocket.on('error', () => undefined); // 'close' follows it
    webSocket.on('message', (data) => {
      // no new work once the gate has closed
      if (this.#left) return;
      if (String(data) === 'refuse') this.close(webSocket, REFUSED);
      for (const text of answerMessage(String(data))) this.send(webSocket, text);
    });
    webSocket.once('close', () => {
      this.open.delete(webSocket);
      if (this.open.size === 0) for (const resolve of this.#onEnd.splice(0)) resolve();
    });
  }

  protected send(webSocket: WebSocket, text: string): void {
    webSocket.send(text);
  }

  /** The gate has closed: each of them is told to go. */
  leave(): void {
    this.#left = true;
    for (const webSocket of this.open) this.close(webSocket);
  }

  /**
   * A Close behind all that is queued, and a peer that does not answer it in time is dropped. One that is behind has until
   * the deadline: what it has still to read waits in the kernel, and only its answer says that all has arrived (WSS-4).
   */
  protected close(webSocket: WebSocket, { code, reason } = this.#farewell): void {
    const isBehind = webSocket.bufferedAmount > 0;
    webSocket.close(code, reason);
    if (!isBehind) setTimeout(() => webSocket.terminate(), CLOSE_ANSWER_MS).unref();
  }

  /** Some of what was sent is still queued: ended now, it would be lost. */
  get unsent(): boolean {
    return [...this.open].some(({ bufferedAmount }) => bufferedAmount > 0);
  }

  /** Resolves when none is left. */
  ended(): Promise<void> {
    return this.open.size === 0 ? Promise.resolve() : new Promise((resolve) => this.#onEnd.push(resolve));
  }
}
