import type { Server as HttpServer } from 'node:http';
import { Server } from 'node:net';
import type { AdmissionGate, AdmissionPermit } from '../reference/admission-gate.ts';
import type { Connection } from '../reference/connections.ts';
import type { ServiceRequest, ServiceResponse } from '../reference/exchange.ts';
import type { ListeningServer } from '../reference/http-transport.ts';
import { HttpTransport } from '../reference/http-transport.ts';
import type { TransportFactory } from '../reference/runtime.ts';
import { createRuntime } from '../reference/runtime.ts';
import type { Fault, Faults } from './fault.ts';
import { exitWaiting, inTransport } from './fault.ts';

/** What a held connection has come to. */
interface Held {
  readonly connection: Connection;
  /** Whether a whole request came on it. */
  readonly asked: boolean;
  /** What is being answered on it, over HTTP/1.1. */
  readonly work: { readonly request: ServiceRequest; readonly response: ServiceResponse } | undefined;
}

/** Neither ends some connections when the stop does nor cuts them at the deadline. */
abstract class Holds extends HttpTransport {
  readonly #asked = new WeakSet<object>();

  protected abstract isHeld(held: Held): boolean;

  protected override admit(gate: AdmissionGate, request: ServiceRequest): AdmissionPermit | undefined {
    this.#asked.add(request.socket);
    return super.admit(gate, request);
  }

  held(): readonly Connection[] {
    const work = [...this.answering].map(([response, request]) => ({ request, response }));
    return [...this.connections.open].filter((connection) => {
      const socket = connection.secure ?? connection.wire;
      return this.isHeld({
        connection,
        asked: this.#asked.has(socket),
        work: work.find(({ request }) => request.socket === socket),
      });
    });
  }

  #others(): readonly Connection[] {
    const held = new Set(this.held());
    return [...this.connections.open].filter((connection) => !held.has(connection));
  }

  protected override dropRest(): void {
    this.connections.drop(this.#others());
  }

  protected override cut(): void {
    this.connections.cut(this.#others());
  }
}

type HoldsClass = abstract new (...parts: Parameters<TransportFactory>) => Holds;

const holding =
  (isHeld: (held: Held) => boolean, Base: HoldsClass = Holds): Fault =>
  (watcher) => {
    class Holding extends Base {
      protected override isHeld(held: Held): boolean {
        return isHeld(held);
      }
    }
    let transport: Holding | undefined;
    const runtime = createRuntime(watcher, (...parts) => {
      transport = new Holding(...parts);
      return transport;
    });
    return { ...runtime, exit: exitWaiting(() => (transport?.held().length ?? 0) > 0) };
  };

/** Idle connections hold the stop until the deadline, as with a server that waits for its clients to close. */
class HoldsIdle extends Holds {
  protected override isHeld({ asked, work }: Held): boolean {
    return asked && !work;
  }

  protected override closeListener(server: ListeningServer): void {
    Server.prototype.close.call(server); // an HTTP server's own close would drop them
  }

  protected override cut(): void {
    this.connections.cut();
  }
}

/** A client that said FIN still gets its answer, as with a server that keeps half-open connections. */
abstract class KeepsHalfOpen extends Holds {
  protected override plainServer(): HttpServer {
    // node knows this property though it does not document it: without it a FIN ends the connection at once
    return Object.assign(super.plainServer(), { httpAllowHalfOpen: true });
  }
}

/** No request line is shorter: what has brought less is in its first line. */
const SHORTEST_LINE_BYTES = 'GET / HTTP/1.1\r\n'.length;

const isInHandshake = ({ connection: { wire, tls, secure } }: Held): boolean => tls && !secure && wire.bytesRead > 0;

const isInFirstLine = ({ connection: { wire, tls } }: Held): boolean =>
  !tls && wire.bytesRead > 0 && wire.bytesRead < SHORTEST_LINE_BYTES;

const isInHeaders = (held: Held): boolean =>
  held.connection.wire.bytesRead > 0 && !held.asked && !isInHandshake(held) && !isInFirstLine(held);

const isStream = ({ work }: Held): boolean => /^\/(stream|events)\b/.test(work?.request.url ?? '');

/** What holds a stop though it must not: DRN-4, 5, 6. */
export const heldFaults: Faults = {
  'stream-holds': holding(isStream),
  'idle-connection-holds': inTransport(HoldsIdle),
  'silent-socket-holds': holding(({ connection }) => connection.wire.bytesRead === 0),
  'half-request-line-holds': holding(isInFirstLine),
  'half-headers-hold': holding(isInHeaders),
  'half-body-holds': holding(({ work }) => work !== undefined && !work.request.complete),
  'half-handshake-holds': holding(isInHandshake),
  'stopped-reader-holds': holding(({ work }) => work?.response.headersSent === true),
  'half-closed-holds': holding(
    ({ connection, work }) => work !== undefined && connection.wire.readableEnded,
    KeepsHalfOpen,
  ),
};
