import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { AdmissionGate } from '../reference/admission-gate.ts';
import { HttpTransport } from '../reference/http-transport.ts';
import { createRuntime } from '../reference/runtime.ts';
import { WebSockets } from '../reference/web-sockets.ts';
import type { Fault, Faults } from './fault.ts';
import { exitWaiting } from './fault.ts';

/** Other WebSockets in the same service. */
const withSockets =
  (make: () => WebSockets): Fault =>
  (watcher) =>
    createRuntime(watcher, (port, handler, options) => {
      return new HttpTransport(port, handler, { ...options, webSockets: make() });
    });

/** The end of the process waits for WebSockets of some kind, which the deadline does not cut. */
abstract class Holding extends WebSockets {
  protected readonly waitedFor = new Set<WebSocket>();

  get holds(): boolean {
    return this.waitedFor.size > 0;
  }
}

const holding =
  (make: () => Holding): Fault =>
  (watcher) => {
    const webSockets = make();
    const runtime = createRuntime(watcher, (port, handler, options) => {
      return new HttpTransport(port, handler, { ...options, webSockets });
    });
    return { ...runtime, exit: exitWaiting(() => webSockets.holds) };
  };

class IdleHolds extends Holding {
  override leave(): void {
    for (const webSocket of this.open) this.waitedFor.add(webSocket);
    super.leave();
  }
}

class UnansweredHolds extends Holding {
  protected override close(webSocket: WebSocket): void {
    this.waitedFor.add(webSocket);
    // the answer is a message of the protocol, not the end of the connection
    webSocket.once('close', (code) => {
      if (code !== 1006) this.waitedFor.delete(webSocket);
    });
    super.close(webSocket);
  }
}

class UnreadHolds extends Holding {
  override leave(): void {
    for (const webSocket of this.open) if (webSocket.bufferedAmount > 0) this.waitedFor.add(webSocket);
    super.leave();
  }
}

class Resets extends WebSockets {
  protected override close(webSocket: WebSocket): void {
    webSocket.terminate();
  }
}

class ForgetsSilent extends WebSockets {
  readonly #spoken = new WeakSet<WebSocket>();

  protected override send(webSocket: WebSocket, text: string): void {
    this.#spoken.add(webSocket);
    super.send(webSocket, text);
  }

  protected override close(webSocket: WebSocket): void {
    if (this.#spoken.has(webSocket)) super.close(webSocket);
    else webSocket.terminate();
  }
}

class DropsQueue extends WebSockets {
  protected override close(webSocket: WebSocket): void {
    if (webSocket.bufferedAmount > 0) webSocket.terminate();
    else super.close(webSocket);
  }
}

/** Upgrades after the gate has closed join as any, and are not told to go. */
class ServesLate extends WebSockets {
  #left = false;

  override upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (this.#left) this.#late.upgrade(request, socket, head, true);
    else super.upgrade(request, socket, head, true);
  }

  readonly #late = new WebSockets();

  override leave(): void {
    this.#left = true;
    super.leave();
  }
}

class AdmitsUpgrades extends HttpTransport {
  protected override admitsUpgrade(_gate: AdmissionGate): boolean {
    return true;
  }
}

/** What becomes of open WebSockets: WSS-1 to 6. */
export const webSocketFaults: Faults = {
  'idle-websocket-holds': holding(() => new IdleHolds()),
  'closes-with-internal-error': withSockets(() => new WebSockets({ code: 1011, reason: 'shutting down' })),
  'closes-without-reason': withSockets(() => new WebSockets({ code: 1001, reason: '' })),
  'resets-websockets': withSockets(() => new Resets()),
  'forgets-silent-websockets': withSockets(() => new ForgetsSilent()),
  'drops-queued-frames': withSockets(() => new DropsQueue()),
  'waits-for-close-answer': holding(() => new UnansweredHolds()),
  'waits-for-stopped-reader': holding(() => new UnreadHolds()),
  'serves-late-upgrades': (watcher) =>
    createRuntime(watcher, (port, handler, options) => {
      return new AdmitsUpgrades(port, handler, { ...options, webSockets: new ServesLate() });
    }),
};
