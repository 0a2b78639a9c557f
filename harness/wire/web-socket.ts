import type { Socket } from 'node:net';
import type { EndedBy, Fate } from '../model/observation.ts';
import type { Nanoseconds } from '../model/time.ts';
import type { WebSocketEnd, WebSocketEndpoint, WebSocketExchange } from '../model/websocket.ts';
import type { Access } from './connection.ts';
import { endedBy } from './connection.ts';
import { isRelayLost } from './relay-errors.ts';
import type { FrameReceiver, FrameSender } from './web-socket-frames.ts';
import { FrameBoundary, frameReceiver, frameSender } from './web-socket-frames.ts';
import { UpgradeExchange } from './web-socket-handshake.ts';
import { within } from './within.ts';

/** A message that is longer than this is none that anybody meant; a declared flood may be one message. */
const MOST_MESSAGE_BYTES = 64 * 1024 * 1024;
/** Close frame without a code (RFC 6455, 7.1.5). */
const NO_CODE = 1005;

/** What became of a WebSocket, or of its upgrade. */
export interface LineEnd {
  readonly t: Nanoseconds;
  readonly fate: Fate;
  readonly by?: EndedBy;
  readonly message?: string;
}

/** What came of asking for the upgrade; `over`: the connection ended before an answer. */
export type Handshake = 'upgraded' | 'answered' | 'over' | 'hung';

interface Waiter {
  readonly answers: (text: string | undefined) => boolean;
  readonly resolve: (answered: boolean) => void;
}

/**
 * The client's side of one WebSocket: the upgrade, then frames, over a connection that stands. A client library would
 * answer a Close and end the connection by itself; here the caller says what is answered and read. It never throws and
 * never rejects: whatever the other side does is on record in `seen` and `over`.
 */
export class WebSocketLine {
  readonly begin: Nanoseconds;
  /** The whole request was written between these two. */
  sentBegin: Nanoseconds | undefined;
  sentAt: Nanoseconds | undefined;
  /** Called whenever bytes of frames came, with all that came so far. */
  onBytes: ((received: number) => void) | undefined;
  readonly #socket: Socket;
  readonly #now: () => Nanoseconds;
  readonly #answersClose: boolean;
  readonly #upgrade: UpgradeExchange;
  readonly #boundary = new FrameBoundary();
  readonly #ended = Promise.withResolvers<LineEnd>();
  readonly #handshake = Promise.withResolvers<Handshake>();
  readonly #closed: Promise<void>;
  readonly #waiters = new Set<Waiter>();
  readonly #mostBytes: number;
  #receiver: FrameReceiver | undefined;
  #sender: FrameSender | undefined;
  #received = 0;
  #messages = 0;
  #bytes = 0;
  #close: WebSocketEnd['close'];
  #problem: string | undefined;
  #end: LineEnd | undefined;
  #cut = false;
  #lost = false;

  constructor(
    socket: Socket,
    options: {
      readonly begin: Nanoseconds;
      readonly now: () => Nanoseconds;
      readonly access: Access;
      readonly endpoint: WebSocketEndpoint;
      /** Whether a Close frame is answered by one. @default true */
      readonly answersClose?: boolean;
    },
  ) {
    this.begin = options.begin;
    this.#socket = socket;
    this.#now = options.now;
    this.#answersClose = options.answersClose ?? true;
    this.#upgrade = new UpgradeExchange(options.access, options.endpoint, options.now);
    this.#mostBytes = Math.max(MOST_MESSAGE_BYTES, options.endpoint.flood?.bytes ?? 0);
    this.#closed = new Promise((resolve) => socket.once('close', () => resolve()));
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.once('end', () => this.#over('FIN'));
    socket.once('error', (error) => {
      if (isRelayLost(error)) this.#lost = true;
      else this.#over(endedBy(error), (error as NodeJS.ErrnoException).code ?? error.message);
    });
    socket.once('close', () => this.#over('FIN'));
  }

  /** How it ended; undefined while it stands. */
  get over(): LineEnd | undefined {
    return this.#end;
  }

  /** Resolves with its end; never rejects. */
  get ended(): Promise<LineEnd> {
    return this.#ended.promise;
  }

  /** First byte of the answer to the upgrade. */
  get answeredAt(): Nanoseconds | undefined {
    return this.#upgrade.answeredAt;
  }

  /** Of the answer to the upgrade. */
  get status(): number | undefined {
    return this.#upgrade.status;
  }

  /** Bytes of frames that were read. */
  get received(): number {
    return this.#received;
  }

  /** What was seen on it so far, of messages since `countFromHere`. */
  get seen(): WebSocketEnd {
    const partial = this.#cut && this.#problem === undefined && this.#close === undefined && !this.#boundary.isWhole;
    return {
      ...(this.#close === undefined ? {} : { close: this.#close }),
      messages: this.#messages,
      bytes: this.#bytes,
      ...(partial ? { partialFrame: true as const } : {}),
      ...(this.#problem === undefined ? {} : { problem: this.#problem }),
    };
  }

  /** Send the whole request. */
  sendUpgrade(): void {
    this.#sendLast(this.#upgrade.request);
  }

  /** Send the request without its last header and the empty line. */
  sendHalf(): void {
    this.#write(this.#upgrade.request.slice(0, this.#upgrade.half));
  }

  /** Send what `sendHalf` left out. */
  sendRest(): void {
    this.#sendLast(this.#upgrade.request.slice(this.#upgrade.half));
  }

  /** What came of the upgrade within the limit, from its sending on. */
  async handshake(limitMs: number): Promise<Handshake> {
    return (await within(this.#handshake.promise, limitMs)) ?? 'hung';
  }

  /**
   * Send a message, without one a Ping, and await what answers it. Undefined once it is answered, else why not: the other
   * side closed, or the limit passed.
   */
  async ask(exchange: WebSocketExchange | undefined, limitMs: number): Promise<string | undefined> {
    const pattern = exchange?.answer === undefined ? undefined : new RegExp(exchange.answer);
    const answers = (text: string | undefined): boolean =>
      exchange === undefined ? text === undefined : text !== undefined && (pattern?.test(text) ?? true);
    const asked = exchange === undefined ? 'a Ping' : 'a message';
    if (this.#end !== undefined || this.#close !== undefined) return `${asked} could not be sent: it is closed`;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const waiter: Waiter = { answers, resolve };
    this.#waiters.add(waiter);
    this.say(exchange?.send);
    const answered = await within(promise, limitMs);
    this.#waiters.delete(waiter);
    if (answered) return undefined;
    return answered === undefined
      ? `${asked} was not answered within ${limitMs} ms`
      : `closed instead of an answer to ${asked}`;
  }

  /** Send a message, without one a Ping, and await nothing. */
  say(text?: string): void {
    if (!this.#socket.writable || this.#sender === undefined) return;
    if (text === undefined) this.#sender.ping('', true);
    else this.#sender.send(text, { binary: false, fin: true, mask: true });
  }

  /** Messages from here on count. */
  countFromHere(): void {
    this.#messages = 0;
    this.#bytes = 0;
    this.#received = 0;
  }

  /** Read no further: what comes is left to the kernel, and an end behind it cannot be seen. */
  stopReading(): void {
    this.#socket.pause();
  }

  readOn(): void {
    this.#socket.resume();
  }

  /** Be done with it. Nothing that happens from here on is an end of it. */
  async destroy(): Promise<void> {
    this.#settle('held');
    this.#socket.destroy();
    await this.#closed;
  }

  #sendLast(text: string): void {
    this.sentBegin = this.#now();
    this.#write(text, () => (this.sentAt ??= this.#now()));
  }

  #write(text: string, taken?: () => void): void {
    if (!this.#socket.writable) return;
    this.#socket.write(Buffer.from(text, 'latin1'), (error) => {
      if (!error) taken?.();
    });
  }

  #take(chunk: Buffer): void {
    if (this.#end !== undefined || chunk.length === 0) return;
    if (this.#upgrade.upgraded) this.#takeFrames(chunk);
    if (this.#upgrade.decided) return;
    const rest = this.#upgrade.take(chunk);
    if (rest === undefined) return;
    this.#problem ??= this.#upgrade.problem;
    if (this.#upgrade.upgraded) this.#open();
    this.#handshake.resolve(this.#upgrade.upgraded ? 'upgraded' : 'answered');
    if (this.#upgrade.upgraded && rest.length > 0) this.#takeFrames(rest);
  }

  #open(): void {
    this.#sender = frameSender(this.#socket);
    this.#receiver = frameReceiver(this.#mostBytes)
      .on('message', (data, binary) => this.#message(data, binary))
      .on('ping', (data) => {
        if (this.#socket.writable) this.#sender?.pong(data, true);
      })
      .on('pong', () => this.#answer(undefined))
      .on('conclude', (code, reason) => this.#concluded(code, reason.toString()))
      .on('error', (error) => (this.#problem ??= error.message));
  }

  #takeFrames(chunk: Buffer): void {
    this.#received += chunk.length;
    // what breaks the protocol, or comes after a Close, is read no further
    if (this.#problem === undefined && this.#close === undefined) {
      this.#boundary.push(chunk);
      this.#receiver?.write(chunk);
    }
    this.onBytes?.(this.#received);
  }

  #message(data: Buffer, binary: boolean): void {
    this.#messages += 1;
    this.#bytes += data.length;
    if (this.#waiters.size > 0) this.#answer(binary ? '' : data.toString());
  }

  #answer(text: string | undefined): void {
    for (const { answers, resolve } of this.#waiters) if (answers(text)) resolve(true);
  }

  #concluded(code: number, reason: string): void {
    this.#close ??= { code, reason, t: this.#now() };
    for (const { resolve } of this.#waiters) resolve(false);
    if (this.#answersClose && this.#socket.writable) this.#sender?.close(code === NO_CODE ? undefined : code, '', true);
  }

  #over(by: EndedBy, message?: string): void {
    if (this.#lost || this.#end !== undefined) return;
    this.#cut = true;
    const gone: Fate = by === 'FIN' ? 'closed' : by === 'timeout' ? 'hung' : 'reset';
    const answered = this.#upgrade.decided && !this.#upgrade.upgraded;
    this.#settle(answered ? 'answered' : this.seen.partialFrame ? 'truncated' : gone, by, message);
  }

  #settle(fate: Fate, by?: EndedBy, message?: string): void {
    if (this.#end !== undefined) return;
    const said = message ?? (this.#upgrade.upgraded ? undefined : this.#problem);
    this.#end = {
      t: this.#now(),
      fate,
      ...(by === undefined ? {} : { by }),
      ...(said === undefined ? {} : { message: said }),
    };
    for (const { resolve } of this.#waiters) resolve(false);
    this.#handshake.resolve('over');
    this.#ended.resolve(this.#end);
  }
}
