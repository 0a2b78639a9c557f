import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import { connect, constants } from 'node:http2';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { hostInUrl } from '../model/network.ts';
import type { Headers } from '../model/observation.ts';
import { keptHeaders } from '../wire/answer-reader.ts';
import { endedBy } from '../wire/connection.ts';
import type { LineContext, RequestEnd } from './admission-probe-line.ts';
import { Line } from './admission-probe-line.ts';

/**
 * A connection that speaks HTTP/2: one session, one stream at a time. A stream that the service refuses by RST_STREAM
 * (REFUSED_STREAM) or leaves out of its GOAWAY was not processed, by the protocol's own word: `refused`, `by` RST or
 * GOAWAY. A session that gets GOAWAY while it carries nothing is withdrawn, as is an HTTP/1.1 connection by FIN. Any other
 * end without an answer is `reset`. `sentAt` is when the library has no frame left to send: it tells no more exactly.
 */
export class Http2Line extends Line {
  readonly #keep: boolean;
  #session: ClientHttp2Session | undefined;
  #stream: ClientHttp2Stream | undefined;
  #goaway = false;
  #answer: { readonly status: number; readonly headers: Headers } | undefined;

  constructor(number: number, context: LineContext, keep: boolean) {
    super(number, context);
    this.#keep = keep;
  }

  protected override shut(socket: Socket): void {
    if (this.#session === undefined) super.shut(socket);
    else if (this.#stream?.closed ?? true) this.#session.close();
    else this.#session.destroy(); // a stream that nothing is heard of would keep it open
  }

  protected override opened(socket: Socket, whenReady: () => void): void {
    const { access } = this.context;
    const chosen = access.tls === undefined ? 'h2' : (socket as TLSSocket).alpnProtocol;
    if (chosen !== 'h2') {
      this.finish({ outcome: 'reset', message: `HTTP/2 was not agreed on: ALPN chose ${chosen || 'nothing'}` });
      this.close();
      return;
    }
    const scheme = access.tls === undefined ? 'http' : 'https';
    const host = access.tls?.serverName ?? hostInUrl(access.address);
    const session = connect(`${scheme}://${host}:${access.port}`, { createConnection: () => socket });
    this.#session = session;
    session.on('error', (error: NodeJS.ErrnoException) => (this.error ??= error));
    session.on('goaway', () => {
      this.#goaway = true;
      this.ended();
    });
    session.once('connect', whenReady);
  }

  protected override send({ method, path }: { readonly method: string; readonly path: string }): void {
    const { pending } = this;
    const session = this.#session;
    if (pending === undefined || session === undefined) return;
    this.#answer = undefined;
    pending.stamps.sentBegin = this.context.now();
    let stream: ClientHttp2Stream;
    try {
      stream = session.request({ ':method': method, ':path': path, 'user-agent': 'lf-qualify' });
    } catch (error) {
      delete pending.stamps.sentBegin;
      this.finish(this.unfinished({ by: endedBy(this.error), message: error instanceof Error ? error.message : '' }));
      return;
    }
    this.#stream = stream;
    this.#stampSent(pending, session);
    stream.once('response', (headers) => {
      pending.stamps.answeredAt = this.context.now();
      this.#answer = { status: Number(headers[':status']), headers: keptHeaders(headers) };
    });
    stream.on('error', () => undefined); // its code is seen in its close
    stream.once('close', () => {
      const t = this.context.now();
      // How the session ended, where that is the reason, is only known after its streams have closed.
      setImmediate(() => this.#closed(stream.rstCode, t));
    });
    stream.resume();
  }

  protected override unfinished({ by, message }: Pick<RequestEnd, 'by' | 'message'>): RequestEnd {
    const end = { ...(by === undefined ? {} : { by }), ...(message === undefined ? {} : { message }) };
    if (this.#answer) return { outcome: 'answered', ...this.#answer, ...end, message: `cut short: ${message}` };
    if (by === 'timeout') return { outcome: 'hung', ...end };
    return this.#goaway && this.pending?.stamps.sentBegin === undefined
      ? { outcome: 'refused', ...end, by: 'GOAWAY' }
      : { outcome: 'reset', ...end };
  }

  #closed(code: number, t: number): void {
    if (this.pending === undefined) return;
    const message = `the stream ended with code ${code}`;
    if (this.#answer && code === constants.NGHTTP2_NO_ERROR) this.finish({ outcome: 'answered', ...this.#answer }, t);
    else if (!this.#answer && code === constants.NGHTTP2_REFUSED_STREAM) {
      this.finish({ outcome: 'refused', by: this.#goaway ? 'GOAWAY' : 'RST', message }, t);
    } else {
      const ended = this.#session?.destroyed ?? true;
      this.finish(this.unfinished({ by: ended ? endedBy(this.error) : 'RST', message }), t);
    }
    if (!this.#keep || this.#goaway) this.close();
  }

  #stampSent(pending: NonNullable<Http2Line['pending']>, session: ClientHttp2Session): void {
    const look = (): void => {
      if (this.pending !== pending || session.destroyed) return;
      if (session.state.outboundQueueSize === 0) pending.stamps.sentAt = this.context.now();
      else setImmediate(look);
    };
    setImmediate(look);
  }
}
