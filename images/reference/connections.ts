import type { Server, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

/** One connection on the wire, and what TLS made of it once its handshake was complete. */
export interface Connection {
  readonly wire: Socket;
  readonly tls: boolean;
  secure: TLSSocket | undefined;
}

/** Both sockets of one TLS connection have the same peer, and no two connections of a listener share one. */
const peerOf = (socket: Socket): string => `${socket.remoteAddress} ${socket.remotePort}`;

/** All connections of the listeners, from their first packet on. */
export class Connections {
  readonly #open = new Set<Connection>();

  get open(): ReadonlySet<Connection> {
    return this.#open;
  }

  /** Keeps account of a server's connections. */
  watch(server: Server, tls: boolean): void {
    const handshakes = new Map<string, Connection>();
    server.on('connection', (wire: Socket) => {
      const connection: Connection = { wire, tls, secure: undefined };
      const peer = peerOf(wire);
      this.#open.add(connection);
      if (tls) handshakes.set(peer, connection);
      wire.once('close', () => {
        this.#open.delete(connection);
        if (handshakes.get(peer) === connection) handshakes.delete(peer);
      });
    });
    if (!tls) return;
    server.on('secureConnection', (secure: TLSSocket) => {
      const connection = handshakes.get(peerOf(secure));
      if (connection) connection.secure = secure;
    });
  }

  /** Ends each after what was written is sent, without waiting for the peer; a handshake has nothing to send. */
  drop(some: Iterable<Connection> = this.#open): void {
    for (const { wire, tls, secure } of some) {
      if (secure) secure.destroySoon();
      else if (tls) wire.destroy();
      else wire.destroySoon();
    }
  }

  /**
   * Ends each at once. In the clear by a reset: an answer without a length would look whole after an orderly end. In TLS
   * the missing close_notify says it (DLN-7).
   */
  cut(some: Iterable<Connection> = this.#open): void {
    for (const { wire, tls } of some) {
      if (tls) wire.destroy();
      else wire.resetAndDestroy();
    }
  }
}
