import type { Socket } from 'node:net';
import type { Nanoseconds } from '../model/time.ts';
import type { Access } from './connection.ts';
import { endedBy } from './connection.ts';
import type { Ending } from './ending.ts';
import { decodeFields, encodeFields } from './hpack.ts';
import type { Frame } from './http2-frames.ts';
import {
  clientPreface,
  contentOf,
  decodeGoaway,
  decodeSettings,
  encodeFrame,
  encodeSettings,
  errorCode,
  FrameReader,
  frameFlag,
  frameType,
  words,
} from './http2-frames.ts';
import type { StreamPort } from './http2-stream.ts';
import { Http2Stream } from './http2-stream.ts';
import { isRelayLost } from './relay-errors.ts';

/** A GOAWAY with this last stream only announces: it turns no stream away yet (RFC 9113, 6.8). */
export const announcesOnly = 0x7fff_ffff;

const INITIAL_WINDOW = 65_535;
const SETTING = { headerTableSize: 1, enablePush: 2, initialWindowSize: 4 } as const;

export interface Goaway {
  readonly t: Nanoseconds;
  readonly code: number;
  readonly lastStream: number;
}

/**
 * The client's side of an HTTP/2 session, frame by frame: node:http2 closes a session by itself when GOAWAY comes, hides
 * who ended a connection, and makes no new stream after GOAWAY, which is just what a peer that ignores it does.
 * `leaves`: after GOAWAY it closes the connection as soon as nothing is in flight, as a good client does.
 */
export class Http2Session implements StreamPort {
  readonly begin: Nanoseconds;
  readonly now: () => Nanoseconds;
  /** Resolves when the other side ended the session, or we left after GOAWAY, or it is given up. Never rejects. */
  readonly ended: Promise<Ending>;
  readonly #socket: Socket;
  readonly #access: Access;
  readonly #leaves: boolean;
  readonly #onGoaway: (session: Http2Session, goaway: Goaway) => void;
  readonly #settle: (ending: Ending) => void;
  readonly #reader = new FrameReader();
  readonly #streams = new Map<number, Http2Stream>();
  #end: Ending | undefined;
  #goaway: Goaway | undefined;
  #nextStream = 1;
  #window = INITIAL_WINDOW;
  #streamWindow = INITIAL_WINDOW;
  /** A header block of which more frames must come. */
  #block: { readonly stream: number; readonly last: boolean; parts: Buffer[] } | undefined;

  constructor(
    socket: Socket,
    access: Access,
    options: {
      readonly begin: Nanoseconds;
      readonly now: () => Nanoseconds;
      readonly leaves: boolean;
      readonly onGoaway: (session: Http2Session, goaway: Goaway) => void;
    },
  ) {
    this.#socket = socket;
    this.#access = access;
    this.begin = options.begin;
    this.now = options.now;
    this.#leaves = options.leaves;
    this.#onGoaway = options.onGoaway;
    const { promise, resolve } = Promise.withResolvers<Ending>();
    this.ended = promise;
    this.#settle = (ending) => {
      this.#end ??= ending;
      resolve(ending);
    };
    let error: Error | undefined;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('error', (reason) => (error = reason));
    socket.on('end', () => this.#over(undefined));
    socket.on('close', () => this.#over(error));
    const settings = encodeSettings([
      [SETTING.headerTableSize, 0],
      [SETTING.enablePush, 0],
    ]);
    this.#write(Buffer.concat([Buffer.from(clientPreface), encodeFrame(frameType.settings, 0, 0, settings)]));
  }

  /** Undefined while it stands. */
  get end(): Ending | undefined {
    return this.#end;
  }

  get goaway(): Goaway | undefined {
    return this.#goaway;
  }

  /** Ask for one more stream, whatever GOAWAY said; undefined where nothing can be sent any more. */
  request(method: string, path: string, body: boolean): Http2Stream | undefined {
    if (this.#end !== undefined || !this.#socket.writable) return undefined;
    const { address, port, tls } = this.#access;
    const host = tls?.serverName ?? (address.includes(':') ? `[${address}]` : address);
    const head = { ':method': method, ':scheme': 'https', ':authority': `${host}:${port}`, ':path': path };
    const stream = new Http2Stream(this, this.#nextStream, this.now(), { window: this.#streamWindow, body });
    this.#nextStream += 2;
    this.#streams.set(stream.id, stream);
    const flags = frameFlag.endHeaders | (body ? 0 : frameFlag.endStream);
    this.#write(encodeFrame(frameType.headers, flags, stream.id, encodeFields(head)));
    return stream;
  }

  sendBody(stream: Http2Stream, bytes: number, last: boolean): Promise<Nanoseconds | undefined> {
    if (!this.#socket.writable) return Promise.resolve(undefined);
    const size = Math.max(0, Math.min(bytes, stream.window, this.#window));
    if (size === 0 && !last) return Promise.resolve(undefined);
    stream.window -= size;
    this.#window -= size;
    const frame = encodeFrame(frameType.data, last ? frameFlag.endStream : 0, stream.id, Buffer.alloc(size, 'x'));
    return new Promise((resolve) => {
      this.#socket.write(frame, (error) => resolve(error ? undefined : this.now()));
    });
  }

  sendReset(stream: Http2Stream): void {
    this.#write(encodeFrame(frameType.rstStream, 0, stream.id, words(errorCode.cancel)));
  }

  /** Close it with all its streams, `held` where nothing has happened to them. */
  giveUp(): void {
    for (const stream of this.#streams.values()) stream.giveUp();
    this.#settle({ t: this.now(), fate: 'held' });
    this.#socket.destroy();
  }

  #write(bytes: Buffer): void {
    if (this.#socket.writable) this.#socket.write(bytes, () => undefined);
  }

  #take(chunk: Buffer): void {
    try {
      for (const frame of this.#reader.push(chunk)) this.#takeFrame(frame);
      if (this.#reader.problem !== undefined) throw new Error(this.#reader.problem);
    } catch (error) {
      this.#broken(`not HTTP/2: ${error instanceof Error ? error.message : String(error)}`);
    }
    if (this.#leaves && this.#goaway && this.#open().length === 0) {
      this.#settle({ t: this.now(), fate: 'closed', by: 'GOAWAY' });
      this.#socket.end();
    }
  }

  #open(): readonly Http2Stream[] {
    return [...this.#streams.values()].filter(({ end }) => end === undefined);
  }

  #takeFrame(frame: Frame): void {
    const { type, flags, payload } = frame;
    const stream = this.#streams.get(frame.stream);
    const acknowledges = (flags & frameFlag.ack) !== 0;
    switch (type) {
      case frameType.settings:
        if (acknowledges) break;
        this.#takeSettings(payload);
        this.#write(encodeFrame(frameType.settings, frameFlag.ack, 0));
        break;
      case frameType.ping:
        if (!acknowledges) this.#write(encodeFrame(frameType.ping, frameFlag.ack, 0, payload));
        break;
      case frameType.headers:
      case frameType.continuation:
        this.#takeBlock(frame);
        break;
      case frameType.data:
        this.#takeData(frame, stream);
        break;
      case frameType.rstStream:
        if (payload.length === 4) stream?.takeReset(payload.readUInt32BE(0));
        break;
      case frameType.goaway:
        this.#takeGoaway(payload);
        break;
      case frameType.windowUpdate:
        if (payload.length !== 4) break;
        if (frame.stream === 0) this.#window += payload.readUInt32BE(0);
        else if (stream) stream.window += payload.readUInt32BE(0);
        break;
      default: // priority, and what is not known: to be ignored
    }
  }

  #takeSettings(payload: Buffer): void {
    const window = decodeSettings(payload).get(SETTING.initialWindowSize);
    if (window === undefined) return;
    for (const stream of this.#streams.values()) stream.window += window - this.#streamWindow;
    this.#streamWindow = window;
  }

  #takeBlock(frame: Frame): void {
    const { type, flags, stream } = frame;
    if (type === frameType.headers) {
      const content = contentOf(frame);
      if (content === undefined) throw new Error('padding that is longer than its frame');
      this.#block = { stream, last: (flags & frameFlag.endStream) !== 0, parts: [content] };
    } else this.#block?.parts.push(frame.payload);
    if ((flags & frameFlag.endHeaders) === 0 || this.#block === undefined) return;
    const { last, parts } = this.#block;
    this.#block = undefined;
    const fields = decodeFields(Buffer.concat(parts));
    this.#streams.get(stream)?.takeHeaders(fields, last);
  }

  #takeData(frame: Frame, stream: Http2Stream | undefined): void {
    const content = contentOf(frame);
    if (content === undefined) throw new Error('padding that is longer than its frame');
    const { length } = frame.payload;
    if (length > 0) {
      const more = words(length);
      const updates = [0, ...(stream ? [stream.id] : [])];
      this.#write(Buffer.concat(updates.map((id) => encodeFrame(frameType.windowUpdate, 0, id, more))));
    }
    stream?.takeData(content.length, (frame.flags & frameFlag.endStream) !== 0);
  }

  #takeGoaway(payload: Buffer): void {
    const said = decodeGoaway(payload);
    if (said === undefined) return;
    const goaway = { t: this.now(), ...said };
    this.#goaway = goaway;
    for (const stream of this.#open()) {
      if (stream.id > said.lastStream) stream.takeSessionEnd('GOAWAY', `GOAWAY with last stream ${said.lastStream}`);
    }
    this.#onGoaway(this, goaway);
  }

  #broken(message: string): void {
    for (const stream of this.#open()) stream.takeSessionEnd(undefined, message);
    this.#settle({ t: this.now(), fate: 'truncated', message });
    this.#socket.destroy();
  }

  #over(error: Error | undefined): void {
    if (isRelayLost(error)) return; // nobody knows: it stays as it was, until it is given up
    const by = endedBy(error);
    const code = error === undefined ? undefined : ((error as NodeJS.ErrnoException).code ?? error.message);
    for (const stream of this.#open()) stream.takeSessionEnd(by, code);
    const fate = { FIN: 'closed', RST: 'reset', GOAWAY: 'closed', timeout: 'hung' } as const;
    this.#settle({ t: this.now(), fate: fate[by], by, ...(code === undefined ? {} : { message: code }) });
  }
}
