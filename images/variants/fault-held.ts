import { Server } from 'node:net';
import type { AdmissionGate, AdmissionPermit } from '../reference/admission-gate.ts';
import type { Connection } from '../reference/connections.ts';
import type { ServiceRequest, ServiceResponse } from '../reference/exchange.ts';
import type { ListeningServer } from '../reference/http-transport.ts';
import { HttpTransport } from '../reference/http-transport.ts';
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

const holding =
  (isHeld: (held: Held) => boolean): Fault =>
  (watcher) => {
    class Holding extends Holds {
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

const isStream = ({ work }: Held): boolean => /^\/(stream|events)\b/.test(work?.request.url ?? '');

/** What holds a stop though it must not: DRN-4, 5, 6. */
export const heldFaults: Faults = {
  'stream-holds': holding(isStream),
  'idle-connection-holds': inTransport(HoldsIdle),
  'silent-socket-holds': holding(({ connection }) => connection.wire.bytesRead === 0),
  'half-headers-hold': holding(({ connection, asked }) => connection.wire.bytesRead > 0 && !asked),
  'half-body-holds': holding(({ work }) => work !== undefined && !work.request.complete),
  'stopped-reader-holds': holding(({ work }) => work?.response.headersSent === true),
};
