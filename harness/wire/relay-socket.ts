import { Duplex } from 'node:stream';
import type { DialTo } from './dial.ts';
import { relayLost, systemError } from './relay-errors.ts';
import type { RelayFrame } from './relay-frames.ts';
import { addressOf, creditOf, RELAY_WINDOW, relayType } from './relay-frames.ts';

/** What a socket needs of the relay that carries it. */
export interface RelayCarrier {
  /** One frame to the helper. What cannot be sent any more is dropped: `lose` is told besides. */
  send(id: number, type: number, payload?: Uint8Array): void;
  /** No frame will come for this connection any more. */
  release(id: number): void;
}

type Done = (error?: Error | null | undefined) => void;
/** Read bytes are given back as credit in lots of this, as long as somebody reads. */
const CREDIT_LOT = RELAY_WINDOW / 2;
const NOTHING = Buffer.alloc(0);

/**
 * A TCP connection that the helper holds elsewhere, with the events, methods, errors and order of node:net's Socket. The
 * callback of a write comes when the kernel there has taken all of its bytes. At most 64 KiB are under way each way beside
 * the buffers of both streams: a reader that stops is felt by the other side. `ref` and `unref` do nothing: what keeps the
 * process alive is the relay. An error with code ERELAYLOST says that the way to the connection is lost, not the connection.
 */
export class RelaySocket extends Duplex {
  connecting = true;
  bytesRead = 0;
  bytesWritten = 0;
  /** As set by `setTimeout`, ms. */
  timeout: number | undefined;
  /**
   * When what is being delivered happened, by the CLOCK_MONOTONIC of the helper's host, ns: in a handler of `connect`,
   * `data`, `end`, `error`, `close`, or in the callback of a write. Of data that waited here for a reader: the newest of it.
   */
  lastEventAt?: bigint;
  /** The call of connect(2), and when it was seen to have succeeded or failed; same clock. */
  connectBegunAt?: bigint;
  connectedAt?: bigint;
  readonly #carrier: RelayCarrier;
  readonly #id: number;
  readonly #to: DialTo;
  readonly #stamps = new Map<string | symbol, bigint>();
  #window = RELAY_WINDOW;
  #unsent: Buffer[] = [];
  #untaken = 0;
  #written: Done | undefined;
  #owed = 0;
  /** The helper has the connection no longer, or nobody can tell. */
  #over = false;
  #resets = false;
  #hadError = false;
  /** What is written from here on is, as in node:net, the other side's doing. */
  #endedByOther = false;
  #timer: NodeJS.Timeout | undefined;

  /** `begin` is the frame that makes it, an OPEN by default; null for a connection that the helper accepted. */
  constructor(carrier: RelayCarrier, id: number, to: DialTo, begin: number | null = relayType.open) {
    super({ allowHalfOpen: to.allowHalfOpen ?? false, autoDestroy: true, emitClose: false });
    this.#carrier = carrier;
    this.#id = id;
    this.#to = to;
    if (begin !== null) carrier.send(id, begin, begin === relayType.open ? addressOf(to.host, to.port) : NOTHING);
    this.once('end', () => this.#followEnd());
  }

  get pending(): boolean {
    return this.connecting;
  }

  get remoteAddress(): string | undefined {
    return this.connecting ? undefined : this.#to.host;
  }

  get remotePort(): number | undefined {
    return this.connecting ? undefined : this.#to.port;
  }

  /** Always so. */
  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  /** `timeout` is emitted after so long without anything sent or received; 0: never. */
  setTimeout(limitMs: number, onTimeout?: () => void): this {
    if (this.destroyed) return this;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.timeout = limitMs;
    if (limitMs > 0) {
      this.#timer = setTimeout(() => this.emit('timeout'), limitMs).unref();
      if (onTimeout) this.once('timeout', onTimeout);
    } else if (onTimeout) this.off('timeout', onTimeout);
    return this;
  }

  resetAndDestroy(): this {
    if (this.connecting && !this.destroyed) return this.once('connect', () => this.resetAndDestroy());
    this.#resets = true;
    return this.destroy();
  }

  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
  }

  /** What the helper says of this connection. */
  receive({ type, stamp, payload }: RelayFrame): void {
    if (type === relayType.closed) {
      this.#stamps.set('close', stamp);
      this.#gone();
      return;
    }
    if (this.destroyed) return; // it crossed our CLOSE, which is answered
    this.lastEventAt = stamp;
    this.#timer?.refresh();
    if (type === relayType.opened) this.#opened(stamp, payload);
    else if (type === relayType.data) this.#data(payload);
    else if (type === relayType.credit) this.#taken(payload.readUInt32LE(0));
    else if (type === relayType.fin) {
      this.#stamps.set('end', stamp);
      this.push(null);
      this.read(0);
    } else if (type === relayType.failed) {
      this.connectBegunAt = payload.readBigInt64LE(0);
      this.connectedAt = stamp;
      this.#fail(systemError('connect', payload.toString('latin1', 8), this.#to), stamp);
    } else if (type === relayType.error) {
      const call = payload.toString('latin1', 0, 1) === 'w' ? 'write' : 'read';
      this.#fail(systemError(call, payload.toString('latin1', 1)), stamp);
    }
  }

  /** The way to the connection is lost. */
  lose(reason: string): void {
    if (this.#over) return;
    if (this.destroyed) this.#gone();
    else this.#fail(relayLost(reason));
  }

  // biome-ignore lint/suspicious/noExplicitAny: as EventEmitter declares it
  override emit(event: string | symbol, ...values: any[]): boolean {
    const stamp = this.#stamps.get(event);
    if (stamp !== undefined) this.lastEventAt = stamp;
    return super.emit(event, ...values);
  }

  override write(chunk: unknown, done?: Done): boolean;
  override write(chunk: unknown, encoding?: BufferEncoding, done?: Done): boolean;
  override write(chunk: unknown, second?: BufferEncoding | Done, third?: Done): boolean {
    const [encoding, done] = typeof second === 'function' ? [undefined, second] : [second, third];
    if (!this.#endedByOther) return super.write(chunk, encoding ?? 'utf8', done);
    const error = Object.assign(new Error('This socket has been ended by the other party'), { code: 'EPIPE' });
    if (done) process.nextTick(done, error);
    this.destroy(error);
    return false;
  }

  override _read(): void {
    this.#giveCredit(1);
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done): void {
    this.#send([chunk], done);
  }

  override _writev(chunks: readonly { readonly chunk: Buffer }[], done: Done): void {
    this.#send(
      chunks.map(({ chunk }) => chunk),
      done,
    );
  }

  override _final(done: Done): void {
    if (this.connecting) {
      this.once('connect', () => this._final(done));
      return;
    }
    if (!this.#over) this.#carrier.send(this.#id, relayType.fin);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.connecting = false;
    clearTimeout(this.#timer);
    this.#hadError = error !== null;
    this.#unsent = [];
    const written = this.#written;
    this.#written = undefined;
    written?.(error ?? Object.assign(new Error('write ECANCELED'), { code: 'ECANCELED', syscall: 'write' }));
    done(error);
    if (this.#over) this.#closed();
    else this.#carrier.send(this.#id, this.#resets ? relayType.reset : relayType.close);
  }

  #opened(stamp: bigint, payload: Buffer): void {
    this.connectBegunAt = payload.readBigInt64LE(0);
    this.connectedAt = stamp;
    this.connecting = false;
    this.emit('connect');
    this.emit('ready');
    if (!this.destroyed && !this.isPaused()) this.read(0);
  }

  /** The other side's FIN ends ours, a turn later than Duplex does it: TLS or HTTP/2 above may have a last word to say. */
  #followEnd(): void {
    if (this.allowHalfOpen) return;
    this.allowHalfOpen = true;
    setImmediate(() => {
      if (!this.writable || this.writableEnded) return;
      this.#endedByOther = true;
      this.end();
    });
  }

  #data(payload: Buffer): void {
    this.bytesRead += payload.length;
    this.#owed += payload.length;
    if (this.push(payload)) this.#giveCredit(CREDIT_LOT);
  }

  #giveCredit(least: number): void {
    if (this.#owed < least || this.#over || this.destroyed) return;
    this.#carrier.send(this.#id, relayType.credit, creditOf(this.#owed));
    this.#owed = 0;
  }

  #send(chunks: Buffer[], done: Done): void {
    this.#untaken = chunks.reduce((sum, { length }) => sum + length, 0);
    this.bytesWritten += this.#untaken;
    if (this.#untaken === 0) {
      process.nextTick(done);
      return;
    }
    this.#timer?.refresh();
    this.#unsent = chunks;
    this.#written = done;
    this.#fillWindow();
  }

  #fillWindow(): void {
    while (this.#window > 0 && this.#unsent.length > 0) {
      const chunk = this.#unsent.shift() ?? NOTHING;
      const now = chunk.subarray(0, this.#window);
      if (now.length < chunk.length) this.#unsent.unshift(chunk.subarray(now.length));
      if (now.length === 0) continue;
      this.#window -= now.length;
      this.#carrier.send(this.#id, relayType.data, now);
    }
  }

  #taken(bytes: number): void {
    this.#window += bytes;
    this.#untaken -= bytes;
    this.#fillWindow();
    if (this.#untaken > 0) return;
    const written = this.#written;
    this.#written = undefined;
    written?.();
  }

  #fail(error: Error, stamp?: bigint): void {
    this.#over = true;
    this.#carrier.release(this.#id);
    if (stamp !== undefined) for (const event of ['error', 'close']) this.#stamps.set(event, stamp);
    this.destroy(error);
  }

  /** The helper has closed it at our word. */
  #gone(): void {
    if (this.#over) return;
    this.#over = true;
    this.#carrier.release(this.#id);
    this.#closed();
  }

  #closed(): void {
    process.nextTick(() => this.emit('close', this.#hadError));
  }
}
