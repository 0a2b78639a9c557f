import type { Socket } from 'node:net';
import type { AdmissionKind, AdmissionPermit } from '../reference/admission-gate.ts';
import { AdmissionGate } from '../reference/admission-gate.ts';
import type { ServiceRequest, ServiceResponse } from '../reference/exchange.ts';
import { HttpTransport } from '../reference/http-transport.ts';
import type { Faults } from './fault.ts';
import { inRuntime, inTransport } from './fault.ts';

/** Let in past the gate, and counted by nobody. */
const leaked: AdmissionPermit = { kind: 'application', release: () => undefined };

class KeptServed extends HttpTransport {
  readonly #kept = new WeakSet<object>();

  protected override admit(gate: AdmissionGate, request: ServiceRequest): AdmissionPermit | undefined {
    const permit = super.admit(gate, request);
    if (permit) this.#kept.add(request.socket);
    return permit ?? (this.#kept.has(request.socket) ? leaked : undefined);
  }
}

class WithoutClose extends HttpTransport {
  protected override sayClose(request: ServiceRequest, response: ServiceResponse): void {
    if (this.answering.has(response)) super.sayClose(request, response);
  }
}

class WithoutRetryAfter extends HttpTransport {
  protected override refuse(request: ServiceRequest, response: ServiceResponse): void {
    this.sayClose(request, response);
    response.writeHead(503, {});
    response.end('shutting down\n');
  }
}

/** Knows which connections were made after the gate closed. */
class KnowsLate extends HttpTransport {
  protected readonly late = new WeakSet<object>();

  protected override accepted(wire: Socket): void {
    if (this.gate?.isOpen === false) this.late.add(wire);
  }
}

class NewServed extends KnowsLate {
  protected override admit(gate: AdmissionGate, request: ServiceRequest): AdmissionPermit | undefined {
    return super.admit(gate, request) ?? (this.late.has(request.socket) ? leaked : undefined);
  }
}

class NewUnanswered extends KnowsLate {
  protected override refuse(request: ServiceRequest, response: ServiceResponse): void {
    if (!this.late.has(request.socket)) super.refuse(request, response);
  }
}

/** The first request of a connection is let in when the connection is, long before its headers are complete. */
class AdmitsConnections extends HttpTransport {
  readonly #permits = new Map<object, AdmissionPermit>();

  protected override accepted(wire: Socket): void {
    const permit = this.gate?.tryEnter('application');
    if (!permit) return;
    this.#permits.set(wire, permit);
    wire.once('close', () => {
      this.#permits.delete(wire);
      permit.release();
    });
  }

  protected override admit(gate: AdmissionGate, request: ServiceRequest): AdmissionPermit | undefined {
    const permit = this.#permits.get(request.socket);
    this.#permits.delete(request.socket);
    return permit ?? super.admit(gate, request);
  }
}

const LEAKS_EVERY = 7;

class LeakyGate extends AdmissionGate {
  #closed = false;
  #asked = 0;

  override close(): void {
    this.#closed = true;
    super.close();
  }

  override tryEnter(kind: AdmissionKind): AdmissionPermit | undefined {
    const permit = super.tryEnter(kind);
    if (permit || !this.#closed) return permit;
    this.#asked += 1;
    return this.#asked % LEAKS_EVERY === 0 ? leaked : undefined;
  }
}

/** Closes when it is told to for the second time. */
export class LateGate extends AdmissionGate {
  closeNow(): void {
    super.close();
  }

  override close(): void {
    // not yet
  }
}

/** What the gate lets in, and how it refuses: ADM-1, 2, 3, 5, 9. */
export const admissionFaults: Faults = {
  'serves-kept-connections': inTransport(KeptServed),
  'refuses-without-close': inTransport(WithoutClose),
  'refuses-without-retry-after': inTransport(WithoutRetryAfter),
  'serves-new-connections': inTransport(NewServed),
  'accepts-and-never-answers': inTransport(NewUnanswered),
  'closes-gate-after-goodbye': inRuntime(({ registry, gate }) => {
    if (!registry) return { gate }; // without a controller there is no goodbye to be late after
    const late = new LateGate();
    return {
      gate: late,
      registry: {
        start: () => registry.start(),
        abort: () => registry.abort(),
        shutdown: async (context) => {
          const outcome = await registry.shutdown(context);
          late.closeNow();
          return outcome;
        },
      },
    };
  }),
  'gate-leaks': inRuntime(() => ({ gate: new LeakyGate() })),
  'admits-connections': inTransport(AdmitsConnections),
};
