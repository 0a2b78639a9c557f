import type { Clock } from './clock.ts';
import type { Log } from './log.ts';
import type { Identity } from './registry-messages.ts';
import { GOODBYE_ID, goodbye, REGISTER_ID, readMessage, registration } from './registry-messages.ts';
import type { ShutdownContext } from './shutdown-context.ts';

/** Only Acknowledged proves that the controller has removed the instance. */
export type GoodbyeOutcome = 'Acknowledged' | 'Disconnected' | 'TimedOut';

/** Where the service is registered. */
export interface Registry {
  /**
   * Resolves when the service is registered, or when it is to start without that.
   * @throws {Error} where it is not registered and must not start without that (STA-11)
   */
  start(): Promise<void>;
  /** Says goodbye, bounded, and never connects again. */
  shutdown(context: ShutdownContext): Promise<GoodbyeOutcome>;
  /** Closes what there is of a session: for a start-up that is aborted. */
  abort(): void;
}

/** What a session needs of a WebSocket. */
export type SessionSocket = Pick<WebSocket, 'addEventListener' | 'send' | 'close'>;

export interface RegistryParts {
  readonly identity: Identity;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether a start without registration fails. Default: no. */
  readonly needed?: boolean;
  /** Opens a WebSocket to the controller. */
  connect(): SessionSocket;
}

/** Registration at start-up, and the goodbye where more of the grace is left, take at most this long, ms. */
const REGISTRATION_TIMEOUT_MS = 5000;
const RECONNECT_MS = 1000;
/** The client closes first (REG-9), but waits no longer for the controller's part in that, ms. */
const CLOSE_MS = 50;

/** One connection to the controller, from its first packet to its end. */
interface Connection {
  readonly socket: SessionSocket;
  /** Known once the controller has registered us on this connection. */
  instanceId: string | undefined;
  /** Told the fate of the goodbye. */
  said: ((outcome: GoodbyeOutcome) => void) | undefined;
  readonly closed: Promise<void>;
}

/**
 * A registration with the controller over the life of the service, in its legacy JSON. It comes back after any close,
 * until it is terminal: then never (REG-2).
 */
export class RegistrySession implements Registry {
  readonly #parts: RegistryParts;
  readonly #registered = Promise.withResolvers<'registered' | 'failed'>();
  #connection: Connection | undefined;
  #terminal = false;
  #forgetRetry = (): void => undefined;

  constructor(parts: RegistryParts) {
    this.#parts = parts;
  }

  async start(): Promise<void> {
    const { clock, log, needed = false } = this.#parts;
    const late = Promise.withResolvers<'failed'>();
    const forget = clock.after(REGISTRATION_TIMEOUT_MS, () => late.resolve('failed'));
    this.#connect();
    const first = await Promise.race([this.#registered.promise, late.promise]);
    forget();
    if (first === 'registered' || this.#terminal) return;
    if (needed) throw new Error('portal-registry registration failed, and the service must not start without it');
    log.warn('portal-registry registration failed; starting without it');
  }

  #connect(): void {
    const socket = this.#parts.connect();
    const closed = Promise.withResolvers<void>();
    const connection: Connection = { socket, instanceId: undefined, said: undefined, closed: closed.promise };
    this.#connection = connection;
    socket.addEventListener('open', () => {
      if (!this.#terminal) socket.send(registration(this.#parts.identity));
    });
    socket.addEventListener('message', (event) => this.#received(connection, event.data));
    let over = false;
    const end = (): void => {
      if (over) return;
      over = true;
      closed.resolve();
      this.#ended(connection);
    };
    socket.addEventListener('close', end);
    socket.addEventListener('error', end); // it cannot go on after an error
  }

  #received(connection: Connection, data: unknown): void {
    const message = readMessage(data);
    if (message?.id === REGISTER_ID && message.runtimeInstanceId !== undefined && !this.#terminal) {
      connection.instanceId = message.runtimeInstanceId;
      this.#registered.resolve('registered');
      this.#parts.log.info('portal-registry registered', { runtime_instance_id: message.runtimeInstanceId });
    } else if (message?.id === REGISTER_ID && message.failed) {
      this.#registered.resolve('failed');
    } else if (message?.id === GOODBYE_ID && message.failed) {
      connection.said?.('Disconnected'); // refused: nothing proves that the instance was removed
    } else if (message?.id === GOODBYE_ID && message.status === 'deregistered') {
      // an acknowledgement for another instance is not ours
      if (message.runtimeInstanceId === connection.instanceId) connection.said?.('Acknowledged');
    }
  }

  #ended(connection: Connection): void {
    connection.said?.('Disconnected');
    this.#registered.resolve('failed');
    this.#connection = undefined;
    if (!this.#terminal) this.#forgetRetry = this.#parts.clock.after(RECONNECT_MS, () => this.#connect());
  }

  /** Terminal before anything is sent: whatever happens to the goodbye, nothing connects again. */
  async shutdown(context: ShutdownContext): Promise<GoodbyeOutcome> {
    this.#terminal = true;
    this.#forgetRetry();
    const outcome = await this.#sayGoodbye(context);
    await this.#close();
    return outcome;
  }

  async #sayGoodbye(context: ShutdownContext): Promise<GoodbyeOutcome> {
    const connection = this.#connection;
    if (connection?.instanceId === undefined) return 'Disconnected';
    const answer = Promise.withResolvers<GoodbyeOutcome>();
    connection.said = answer.resolve;
    // with no grace at all the goodbye is best effort, within the floor
    const left = context.remaining();
    const boundMs = left > 0 ? Math.min(left, REGISTRATION_TIMEOUT_MS) : context.remainingHard() / 2;
    const giveUp = (): void => answer.resolve('TimedOut');
    const forget = this.#parts.clock.after(boundMs, giveUp);
    if (left > 0) context.cancellation.addEventListener('abort', giveUp, { once: true });
    connection.socket.send(goodbye(connection.instanceId, context.reason));
    const outcome = await answer.promise;
    forget();
    return outcome;
  }

  async #close(): Promise<void> {
    const connection = this.#connection;
    if (!connection) return;
    const enough = Promise.withResolvers<void>();
    const forget = this.#parts.clock.after(CLOSE_MS, enough.resolve);
    connection.socket.close(1000);
    await Promise.race([connection.closed, enough.promise]);
    forget();
  }

  abort(): void {
    this.#terminal = true;
    this.#forgetRetry();
    this.#connection?.socket.close(1000);
  }
}
