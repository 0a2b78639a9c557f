import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { WebSocketServer } from 'ws';
import { Peer } from './peer.ts';
import { answer } from './protocol.ts';

const LARGEST_MESSAGE = 1024 * 1024;

/** HTTP `/health` and WebSocket `/cp`, with one latch: once it leaves, nothing new is taken. */
export class ControlPlane {
  protected readonly peers = new Set<Peer>();
  protected isLeaving = false;
  readonly #server = createServer((request, response) => this.#asked(request, response));
  readonly #sockets = new WebSocketServer({ noServer: true, maxPayload: LARGEST_MESSAGE });
  readonly #answering = new Set<ServerResponse>();
  readonly #newPeer: (socket: WebSocket) => Peer;
  #onIdle: (() => void)[] = [];

  constructor(newPeer = (socket: WebSocket) => new Peer(socket)) {
    this.#newPeer = newPeer;
    this.#server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
  }

  /** Resolves with the port, when the listener is up. @throws {Error} when it cannot be had */
  async listen(port: number): Promise<number> {
    this.#server.listen(port);
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  /** The latch: the listener closes, each peer gets what is queued for it and then its Close. */
  leave(): void {
    this.isLeaving = true;
    this.#server.close();
    for (const peer of this.peers) peer.leave();
  }

  /** Resolves when no request and no peer is left. */
  async drained(): Promise<void> {
    while (this.#answering.size + this.peers.size > 0) await new Promise<void>((resolve) => this.#onIdle.push(resolve));
  }

  /** Drops what is left: peers, and connections that never sent a whole request. */
  cut(): void {
    for (const peer of this.peers) peer.drop();
    this.#server.closeAllConnections();
  }

  /** A peer whose handshake is done. After the latch it is never registered, and gets the Close (CPL-3). */
  protected joined(peer: Peer): void {
    if (this.isLeaving) peer.leave();
  }

  #asked(request: IncomingMessage, response: ServerResponse): void {
    if (this.isLeaving) {
      response.writeHead(503, { Connection: 'close', 'Retry-After': '0' }).end('shutting down\n');
      return;
    }
    this.#answering.add(response);
    response.once('close', () => {
      this.#answering.delete(response);
      this.#tellIfIdle();
    });
    const healthy = request.method === 'GET' && request.url === '/health';
    request.resume().once('end', () => {
      if (this.isLeaving) response.setHeader('Connection', 'close');
      response.writeHead(healthy ? 200 : 404).end(healthy ? 'ok\n' : 'not found\n');
    });
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    if (request.url !== '/cp') {
      socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    this.#sockets.handleUpgrade(request, socket, head, (webSocket) => {
      const peer = this.#newPeer(webSocket);
      this.peers.add(peer);
      webSocket.on('message', (data) => answer(peer, String(data)));
      void peer.closed.then(() => {
        this.peers.delete(peer);
        this.#tellIfIdle();
      });
      this.joined(peer);
    });
  }

  #tellIfIdle(): void {
    if (this.#answering.size + this.peers.size > 0) return;
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }
}
