import type { EndedBy } from '../model/observation.ts';
import type { Nanoseconds } from '../model/time.ts';
import { keptHeaders } from './answer-reader.ts';
import type { Ending } from './ending.ts';
import { errorCode } from './http2-frames.ts';

/** What a stream needs of its session. */
export interface StreamPort {
  readonly now: () => Nanoseconds;
  /** At most so many bytes of body; fewer where the window of the connection is shut. */
  sendBody(stream: Http2Stream, bytes: number, last: boolean): Promise<Nanoseconds | undefined>;
  sendReset(stream: Http2Stream): void;
}

/** One request of an HTTP/2 session and what comes back for it. */
export class Http2Stream {
  readonly id: number;
  readonly begin: Nanoseconds;
  /** Resolves with the whole answer or whatever else ends it. Never rejects. */
  readonly ended: Promise<Ending>;
  /** How many bytes of body the peer takes before it says more. */
  window: number;
  readonly #port: StreamPort;
  readonly #settle: (ending: Ending) => void;
  #end: Ending | undefined;
  #bodyOpen: boolean;
  #status: number | undefined;
  #fields: Readonly<Record<string, string>> = {};
  #bytes = 0;
  #firstByteAt: Nanoseconds | undefined;
  #lastByteAt: Nanoseconds | undefined;

  constructor(port: StreamPort, id: number, begin: Nanoseconds, options: { window: number; body: boolean }) {
    this.#port = port;
    this.id = id;
    this.begin = begin;
    this.window = options.window;
    this.#bodyOpen = options.body;
    const { promise, resolve } = Promise.withResolvers<Ending>();
    this.ended = promise;
    this.#settle = (ending) => {
      this.#end ??= ending;
      resolve(ending);
    };
  }

  /** Undefined while nothing has ended it. */
  get end(): Ending | undefined {
    return this.#end;
  }

  /** One more byte of the body, if the peer takes it. */
  trickle(): void {
    if (this.#bodyOpen && this.#end === undefined) void this.#port.sendBody(this, 1, false);
  }

  /** End the body. Resolves with the moment at which that is with the kernel; undefined where it cannot be. */
  finish(): Promise<Nanoseconds | undefined> {
    if (!this.#bodyOpen || this.#end !== undefined) return Promise.resolve(undefined);
    this.#bodyOpen = false;
    return this.#port.sendBody(this, 0, true);
  }

  /** Cancel it, `held` if nothing has happened to it. */
  giveUp(): void {
    if (this.#end !== undefined) return;
    this.#settle({ t: this.#port.now(), fate: 'held', ...this.#seen() });
    this.#port.sendReset(this);
  }

  takeHeaders(fields: Readonly<Record<string, string>>, last: boolean): void {
    if (this.#end !== undefined) return;
    const status = Number(fields[':status']);
    this.#touch();
    if (this.#status === undefined && status >= 200) {
      this.#status = status;
      this.#fields = fields;
    }
    if (last) this.#whole();
  }

  takeData(bytes: number, last: boolean): void {
    if (this.#end !== undefined) return;
    this.#touch();
    this.#bytes += bytes;
    if (last) this.#whole();
  }

  takeReset(code: number): void {
    const message = `RST_STREAM with code ${code}`;
    const before = code === errorCode.refusedStream ? 'refused' : 'reset';
    const fate = this.#status === undefined ? before : 'truncated';
    this.#settle({ t: this.#port.now(), fate, ...this.#seen(), message });
  }

  /** The session ended, or said with GOAWAY that this stream will never be looked at; without `by` it made no sense. */
  takeSessionEnd(by: EndedBy | undefined, message?: string): void {
    const before = { FIN: 'closed', RST: 'reset', GOAWAY: 'refused', timeout: 'hung' } as const;
    const fate = this.#status !== undefined || by === undefined ? 'truncated' : before[by];
    const how = { ...(by === undefined ? {} : { by }), ...(message === undefined ? {} : { message }) };
    this.#settle({ t: this.#port.now(), fate, ...this.#seen(), ...how });
  }

  #touch(): void {
    this.#lastByteAt = this.#port.now();
    this.#firstByteAt ??= this.#lastByteAt;
  }

  #whole(): void {
    const t = this.#port.now();
    if (this.#status === undefined) this.#settle({ t, fate: 'truncated', message: 'an answer without a status' });
    else this.#settle({ t, fate: 'answered', ...this.#seen() });
    // the peer has said all: it must not wait for the rest of a body that nobody needs
    if (this.#bodyOpen) this.#port.sendReset(this);
    this.#bodyOpen = false;
  }

  #seen(): Omit<Ending, 't' | 'fate'> {
    if (this.#status === undefined || this.#firstByteAt === undefined || this.#lastByteAt === undefined) return {};
    return {
      status: this.#status,
      headers: keptHeaders(this.#fields),
      bytes: this.#bytes,
      firstByteAt: this.#firstByteAt,
      lastByteAt: this.#lastByteAt,
    };
  }
}
