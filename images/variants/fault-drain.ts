import type { ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { ServiceRequest, ServiceResponse } from '../reference/exchange.ts';
import { HttpTransport } from '../reference/http-transport.ts';
import type { ShutdownContext } from '../reference/shutdown-context.ts';
import type { Faults } from './fault.ts';
import { inTransport, pause } from './fault.ts';

type Work = Promise<'drained' | 'cut'>;

const LONGER_THAN_ANY_GRACE_MS = 3_600_000;

export class ListenerStaysUp extends HttpTransport {
  override async stop(context: ShutdownContext): Work {
    const cancelled = pause(LONGER_THAN_ANY_GRACE_MS, context);
    await Promise.race([this.gate?.drained(), cancelled]);
    return super.stop(context);
  }
}

/** Connections that are made once the listener should be closed wait for an answer until the last old work is done. */
class BlackHole extends ListenerStaysUp {
  readonly #swallowed = new WeakSet<object>();
  #stopping = false;

  protected override accepted(wire: Socket): void {
    if (this.#stopping) this.#swallowed.add(wire);
  }

  protected override refuse(request: ServiceRequest, response: ServiceResponse): void {
    if (!this.#swallowed.has(request.socket)) super.refuse(request, response);
  }

  override stop(context: ShutdownContext): Work {
    this.#stopping = true;
    return super.stop(context);
  }
}

/** Clearly beyond the 1000 ms of a stop without load, and well within the normal grace. */
const DWELL_MS = 1200;

class Dwells extends HttpTransport {
  override async stop(context: ShutdownContext): Work {
    await pause(DWELL_MS, context);
    return super.stop(context);
  }
}

class CutsAtOnce extends HttpTransport {
  override async stop(): Work {
    await this.abort();
    return 'drained';
  }
}

class RefusesAdmitted extends HttpTransport {
  override stop(context: ShutdownContext): Work {
    for (const [response, request] of this.answering) if (!response.headersSent) this.refuse(request, response);
    return super.stop(context);
  }
}

/** Cuts some of the work in flight when the stop begins. */
abstract class CutsSome extends HttpTransport {
  protected abstract isCut(request: ServiceRequest, index: number): boolean;

  override stop(context: ShutdownContext): Work {
    [...this.answering.values()].forEach((request, index) => {
      if (this.isCut(request, index)) request.socket.destroy();
    });
    return super.stop(context);
  }
}

const MOST_SURVIVORS = 16;

class FewSurvive extends CutsSome {
  protected override isCut(_request: ServiceRequest, index: number): boolean {
    return index >= MOST_SURVIVORS;
  }
}

/** What has brought so much on its connection is an upload. */
const UPLOAD_BYTES = 32 * 1024;

class CutsUploads extends CutsSome {
  protected override isCut(request: ServiceRequest): boolean {
    return request.socket.bytesRead > UPLOAD_BYTES && !request.complete;
  }
}

class NoGoaway extends HttpTransport {
  /** node says GOAWAY only in its next turn: by then the connection is gone. */
  protected override closeSession(session: ServerHttp2Session): void {
    const port = session.socket.remotePort;
    for (const { wire, tls } of this.connections.open) if (tls && wire.remotePort === port) wire.destroy();
  }
}

class KeepsAlive extends HttpTransport {
  protected override sayClose(request: ServiceRequest, response: ServiceResponse): void {
    if (!this.answering.has(response)) super.sayClose(request, response);
  }
}

/** Pauses after the last piece of work, if there was any. */
abstract class Lingers extends HttpTransport {
  protected abstract lingerMs(context: ShutdownContext): number;

  override async stop(context: ShutdownContext): Work {
    const worked = this.answering.size > 0;
    const work = await super.stop(context);
    if (worked && work === 'drained') await pause(this.lingerMs(context), context);
    return work;
  }
}

class WaitsOutGrace extends Lingers {
  protected override lingerMs(context: ShutdownContext): number {
    return Math.max(0, context.remaining() - 20); // still a graceful stop
  }
}

class Pauses extends Lingers {
  protected override lingerMs(): number {
    return 500;
  }
}

/** How work in flight is treated, and how long a stop takes: ADM-4, ADM-8, DRN-1, 2, 3, 7, 8, 9. */
export const drainFaults: Faults = {
  'listener-stays-up': inTransport(ListenerStaysUp),
  'black-hole-listener': inTransport(BlackHole),
  'dwells-before-drain': inTransport(Dwells),
  'cuts-requests': inTransport(CutsAtOnce),
  'answers-503-to-admitted': inTransport(RefusesAdmitted),
  'few-requests-survive': inTransport(FewSurvive),
  'cuts-uploads': inTransport(CutsUploads),
  'no-goaway': inTransport(NoGoaway),
  'keeps-alive-in-drain': inTransport(KeepsAlive),
  'waits-out-grace': inTransport(WaitsOutGrace),
  'pauses-after-work': inTransport(Pauses),
};
