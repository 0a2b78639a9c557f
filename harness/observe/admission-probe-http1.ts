import type { Socket } from 'node:net';
import type { Answer } from '../wire/answer-reader.ts';
import { AnswerReader, keptHeaders } from '../wire/answer-reader.ts';
import { requestHead } from '../wire/connection.ts';
import type { LineContext, RequestEnd } from './admission-probe-line.ts';
import { Line } from './admission-probe-line.ts';

const WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/**
 * A connection that speaks HTTP/1.1, in the clear or in TLS. One that is to be kept says so; one that is used once says
 * nothing, so that the service's own `Connection` header is seen, and is closed by us after the answer.
 */
export class Http1Line extends Line {
  readonly #keep: boolean;
  readonly #reader: AnswerReader;
  #socket: Socket | undefined;

  constructor(number: number, context: LineContext, keep: boolean) {
    super(number, context);
    this.#keep = keep;
    this.#reader = new AnswerReader(context.now);
  }

  protected override opened(socket: Socket, whenReady: () => void): void {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('end', () => this.#finished());
    whenReady();
  }

  protected override send({ method, path }: { readonly method: string; readonly path: string }): void {
    const { pending } = this;
    if (pending === undefined || this.#socket === undefined) return;
    this.#reader.next(method);
    const head = requestHead(this.context.access, method, path, {
      'user-agent': 'lf-qualify',
      ...(WITH_BODY.has(method) ? { 'content-length': '0' } : {}),
      ...(this.#keep ? { connection: 'keep-alive' } : {}),
    });
    pending.stamps.sentBegin = this.context.now();
    this.#socket.write(head, (error) => {
      if (!error) pending.stamps.sentAt = this.context.now();
    });
  }

  /** A status that is known counts as an answer even where the rest of it is missing, which the message says. */
  protected override unfinished({ by, message }: Pick<RequestEnd, 'by' | 'message'>): RequestEnd {
    const { answer, begun } = this.#reader;
    const end = { ...(by === undefined ? {} : { by }), ...(message === undefined ? {} : { message }) };
    if (answer) return { outcome: 'answered', ...answered(answer), ...end, message: `cut short: ${message}` };
    if (begun) return { outcome: 'reset', ...end, message: `in the head of an answer: ${message}` };
    return { outcome: by === 'timeout' ? 'hung' : 'reset', ...end };
  }

  #take(chunk: Buffer): void {
    const { pending } = this;
    if (pending === undefined) {
      // Nobody asked for it: what some services say before they close an idle connection.
      this.ended();
      this.close();
      return;
    }
    const reader = this.#reader;
    reader.push(chunk);
    pending.stamps.answeredAt = reader.answer?.firstByteAt ?? pending.stamps.answeredAt ?? this.context.now();
    if (reader.problem !== undefined) {
      this.close();
      this.finish({ outcome: 'answered', message: reader.problem });
    } else if (reader.answer?.complete) {
      if (!this.#keep || !reader.answer.persistent || reader.excess) this.close();
      this.finish({ outcome: 'answered', ...answered(reader.answer) }, reader.answer.lastByteAt);
    }
  }

  /** FIN. */
  #finished(): void {
    this.ended();
    this.#reader.end();
    const { answer } = this.#reader;
    if (answer?.complete) this.finish({ outcome: 'answered', ...answered(answer) });
    else this.finish(this.unfinished({ by: 'FIN', message: 'closed without a whole answer' }));
    this.close();
  }
}

function answered({ status, headers }: Answer): Pick<RequestEnd, 'status' | 'headers'> {
  return { status, headers: keptHeaders(headers) };
}
