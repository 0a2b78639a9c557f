import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { connect as connectTls } from 'node:tls';
import { reasonOf } from '../model/network.ts';
import type { ObservationOf } from '../model/observation.ts';
import type { Access } from '../wire/connection.ts';
import { connectFailure, endedBy, tlsOptions } from '../wire/connection.ts';
import { dialDirectly } from '../wire/dial.ts';
import { dialTls } from '../wire/dial-tls.ts';
import { isRelayLost } from '../wire/relay-errors.ts';
import type { Sample } from './admission-probe-messages.ts';

/** What a line needs of its probe. */
export interface LineContext {
  readonly access: Access;
  /** One for all connections: to make it anew costs more than a handshake. */
  readonly secure?: SecureContext;
  readonly now: () => number;
  /** Whether PID 1 lives. */
  readonly alive: () => boolean;
}

/** What became of one request. */
export type Facts = Omit<Sample, 'via' | 'connection' | 'purpose' | 'request'>;

/** No sample: PID 1 was not alive after the connect, or the reason is on this host. */
export interface Discarded {
  readonly discarded: 'gone' | 'ours';
  readonly message: string;
}

/** What a protocol says of the end of a request; times are added by the line. */
export type RequestEnd = Pick<ObservationOf<'probe.sample'>, 'outcome' | 'by' | 'status' | 'headers' | 'message'>;

interface Pending {
  readonly begin: number;
  readonly again: boolean;
  readonly stamps: { connectedAt?: number; sentBegin?: number; sentAt?: number; answeredAt?: number };
  readonly resolve: (outcome: Facts | Discarded) => void;
  readonly timer: NodeJS.Timeout;
}

/** One connection of the probe, which carries one request at a time. The protocols are its subclasses. */
export abstract class Line {
  readonly number: number;
  /** Called when the service ends it while it carries nothing. */
  onWithdrawn: () => void = () => undefined;
  protected readonly context: LineContext;
  protected pending: Pending | undefined;
  /** The error that the socket had, if any. */
  protected error: NodeJS.ErrnoException | undefined;
  #socket: Socket | undefined;
  #stands = false;
  #over = false;

  constructor(number: number, context: LineContext) {
    this.number = number;
    this.context = context;
  }

  /** Whether it stands and can carry a request. */
  get idle(): boolean {
    return !this.#over && this.pending === undefined && this.#socket !== undefined;
  }

  get over(): boolean {
    return this.#over;
  }

  /** Send one request, on a connection that is made for it the first time. Never rejects. */
  ask(request: { readonly method: string; readonly path: string }, limitMs: number): Promise<Facts | Discarded> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.giveUp(`no whole answer within ${limitMs} ms`), limitMs);
      const again = this.#socket !== undefined;
      this.pending = { begin: this.context.now(), again, stamps: {}, resolve, timer };
      if (again) this.send(request);
      else this.#connect(() => this.send(request));
    });
  }

  /** What is still unanswered ends as hung, and the connection with it. */
  giveUp(message: string): void {
    const { pending } = this;
    if (pending === undefined) return;
    if (pending.stamps.connectedAt === undefined && !pending.again) this.#failedConnect('hung', message);
    else this.finish(this.unfinished({ by: 'timeout', message }));
    this.close();
  }

  /** End the connection from our side. */
  close(): void {
    this.#over = true;
    if (this.#socket === undefined) return;
    if (this.#stands) this.shut(this.#socket);
    else this.#socket.destroy(); // an orderly end would wait for the handshake
  }

  /** An orderly end, whether or not the other side ends too. */
  protected shut(socket: Socket): void {
    socket.destroySoon();
  }

  /** The connection stands: take it over, and call `whenReady` once a request can be sent. */
  protected abstract opened(socket: Socket, whenReady: () => void): void;
  /** Sends the request, and sees to it that `finish` is called. */
  protected abstract send(request: { readonly method: string; readonly path: string }): void;
  /** What a request without a whole answer has come to. */
  protected abstract unfinished(end: Pick<RequestEnd, 'by' | 'message'>): RequestEnd;

  protected finish(end: RequestEnd, t: number = this.context.now()): void {
    const { pending } = this;
    if (pending === undefined) return;
    // with all of its answer here, a request is over before that
    if (isRelayLost(this.error)) {
      this.#discard('ours', `the way to it was lost: ${reasonOf(this.error)}`);
      return;
    }
    this.pending = undefined;
    clearTimeout(pending.timer);
    const begin = pending.again ? (pending.stamps.sentBegin ?? pending.begin) : pending.begin;
    const unheard = pending.again && end.outcome === 'reset' && pending.stamps.answeredAt === undefined;
    const race = unheard ? { race: true as const } : {};
    pending.resolve({ begin, t, ...pending.stamps, ...end, ...race });
  }

  /** The service has ended the connection, or said that it will take nothing more on it. */
  protected ended(): void {
    const withdrawn = !this.#over && this.pending === undefined;
    this.#over = true;
    if (withdrawn) this.onWithdrawn();
  }

  #connect(whenReady: () => void): void {
    const { access, secure, now, alive } = this.context;
    const to = { host: access.address, port: access.port, noDelay: true };
    const { dial } = access;
    const options = { ...tlsOptions(access), ...(secure ? { secureContext: secure } : {}) };
    const clear = access.tls === undefined ? (dial ?? dialDirectly)(to) : undefined;
    const { socket, dialled = undefined } =
      clear !== undefined
        ? { socket: clear }
        : dial === undefined
          ? { socket: connectTls({ ...to, ...options }) }
          : dialTls(dial, to, options);
    this.#socket = socket;
    // what carries TLS is another socket where it was dialled: it tells of the connect, and why it failed
    dialled?.on('error', (error: NodeJS.ErrnoException) => (this.error ??= error));
    (dialled ?? socket).once('connect', () => {
      if (this.pending === undefined) return;
      this.pending.stamps.connectedAt = now();
      if (!alive()) this.#discard('gone', 'PID 1 had ended when the connection stood');
    });
    socket.once(access.tls === undefined ? 'connect' : 'secureConnect', () => {
      this.#stands = true;
      if (this.pending !== undefined) this.opened(socket, () => this.pending && whenReady());
    });
    socket.on('error', (error: NodeJS.ErrnoException) => (this.error ??= error));
    socket.once('close', () => this.#closed());
  }

  #closed(): void {
    const { error, pending } = this;
    this.ended();
    if (pending === undefined) return;
    const message = error?.code ?? error?.message ?? 'closed without an answer';
    if (pending.stamps.connectedAt !== undefined || pending.again) {
      // A FIN in the handshake is an error of node:tls without an error of the system.
      const by = error?.syscall === undefined && error?.code === 'ECONNRESET' ? 'FIN' : endedBy(error);
      this.finish(this.unfinished({ by, message }));
    } else {
      const failure = error === undefined ? 'reset' : connectFailure(error);
      if (failure === 'ours') this.#discard('ours', `this host cannot connect: ${reasonOf(error)}`);
      else this.#failedConnect(failure, message);
    }
  }

  #failedConnect(outcome: 'refused' | 'reset' | 'hung', message: string): void {
    if (!this.context.alive()) this.#discard('gone', 'PID 1 had ended when the connect failed');
    else if (outcome === 'refused') this.finish({ outcome, message });
    else this.finish({ outcome, by: outcome === 'hung' ? 'timeout' : 'RST', message });
  }

  #discard(discarded: Discarded['discarded'], message: string): void {
    const { pending } = this;
    this.pending = undefined;
    clearTimeout(pending?.timer);
    this.close();
    pending?.resolve({ discarded, message });
  }
}
