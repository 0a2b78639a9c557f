import type { Socket } from 'node:net';
import type { EndedBy, Fate } from '../model/observation.ts';
import type { Nanoseconds } from '../model/time.ts';
import { AnswerReader, keptHeaders } from '../wire/answer-reader.ts';
import type { Access } from '../wire/connection.ts';
import { endedBy, openConnection } from '../wire/connection.ts';
import type { Ending } from '../wire/ending.ts';
import { isRelayLost } from '../wire/relay-errors.ts';
import { within } from '../wire/within.ts';

/** Longer than two retransmits of a lost SYN (1 s and 2 s), which a bridge may drop when a neighbour leaves. */
export const ANSWER_LIMIT_MS = 5000;

/** What came of an answer so far. */
type Received = Pick<Ending, 'status' | 'headers' | 'bytes' | 'firstByteAt' | 'lastByteAt'>;

/**
 * One HTTP/1.1 connection of ours, or one of bare TCP, on which what comes is no answer, and the fate of the answer that is awaited on it, one after the other. It never throws
 * and never rejects: whatever the other side does is an ending. `by` on a whole answer means that only the end of the
 * connection said that it is whole.
 */
export class Conversation {
  readonly begin: Nanoseconds;
  /** Called with the moment of arrival whenever bytes of an answer's body came. */
  onBody: ((t: Nanoseconds) => void) | undefined;
  readonly #socket: Socket;
  readonly #now: () => Nanoseconds;
  readonly #bare: boolean;
  readonly #reader: AnswerReader;
  readonly #closed: Promise<void>;
  #end: Ending | undefined;
  #ended = Promise.withResolvers<Ending>();
  #begun = Promise.withResolvers<void>();
  #cut = false;
  /** The way to it is lost: what became of it nobody knows, so it stays as it was. */
  #lost = false;

  constructor(socket: Socket, begin: Nanoseconds, now: () => Nanoseconds, bare = false) {
    this.begin = begin;
    this.#socket = socket;
    this.#now = now;
    this.#bare = bare;
    this.#reader = new AnswerReader(now);
    this.#closed = new Promise((resolve) => socket.once('close', () => resolve()));
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.once('end', () => {
      this.#reader.end();
      this.#over('FIN');
    });
    socket.once('error', (error) => {
      if (isRelayLost(error)) this.#lost = true;
      else this.#over(endedBy(error), (error as NodeJS.ErrnoException).code ?? error.message);
    });
    socket.once('close', () => this.#over('FIN'));
  }

  /** How the exchange ended; undefined while it goes on. */
  get over(): Ending | undefined {
    return this.#end;
  }

  /** Resolves with the end of the exchange that is going on; never rejects. */
  get ended(): Promise<Ending> {
    return this.#ended.promise;
  }

  /** Whether the other side ended the connection, or we did. */
  get closed(): boolean {
    return this.#cut || this.#socket.destroyed;
  }

  /** What came of the answer so far. */
  get received(): Received {
    const answer = this.#reader.answer;
    if (!answer) return {};
    const { status, bytes, firstByteAt, lastByteAt } = answer;
    return { status, headers: keptHeaders(answer.headers), bytes, firstByteAt, lastByteAt };
  }

  /** The end of the exchange if it comes within the limit. */
  async endedWithin(limitMs: number): Promise<Ending | undefined> {
    return await within(this.ended, limitMs);
  }

  /** Whether the service means to take another request after the answer that is here. */
  get persistent(): boolean {
    return !this.closed && (this.#reader.answer?.persistent ?? false);
  }

  /** Hand bytes to the kernel; false where the connection is gone. Resolves when the kernel has taken all of them. */
  write(bytes: string | Uint8Array): Promise<boolean> {
    if (this.closed || !this.#socket.writable) return Promise.resolve(false);
    const chunk = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes;
    return new Promise((resolve) => {
      this.#socket.write(chunk, (error) => resolve(!error));
    });
  }

  /** Whether the head of an answer is here within the limit. Resolves early when the connection ends. */
  async answerBegun(limitMs: number): Promise<boolean> {
    await within(this.#begun.promise, limitMs);
    return this.#reader.answer !== undefined;
  }

  /** Read no further: what comes is left to the kernel, and an end behind it cannot be seen. */
  stopReading(): void {
    this.#socket.pause();
  }

  /** Read on for at most so long: what the kernel has kept shows what happened meanwhile. */
  async readOn(limitMs: number): Promise<void> {
    this.#socket.resume();
    await this.endedWithin(limitMs);
  }

  /** Await another answer on the same connection, after a whole one that was `persistent`. */
  next(): void {
    this.#reader.next();
    this.#end = undefined;
    this.#ended = Promise.withResolvers();
    this.#begun = Promise.withResolvers();
  }

  /** We have nothing to say any more: an orderly end of our side. What the other side does is still read. */
  endOurSide(): void {
    this.#socket.unref();
    this.#socket.end();
  }

  /** Leave the connection as it is, open, without it keeping this process alive. */
  leaveOpen(): void {
    this.#socket.unref();
  }

  /** Be done with it. Nothing that happens from here on is an end of the exchange. */
  async destroy(): Promise<void> {
    this.#end ??= { t: this.#now(), fate: 'held', ...this.received };
    this.#socket.destroy();
    await this.#closed;
  }

  #take(chunk: Buffer): void {
    if (this.#end || this.#bare) return;
    const before = this.#reader.answer?.bytes ?? 0;
    this.#reader.push(chunk);
    const { answer, problem } = this.#reader;
    if (answer) this.#begun.resolve();
    if (answer && answer.bytes > before) this.onBody?.(answer.lastByteAt);
    if (problem !== undefined) this.#settle({ fate: 'truncated', message: problem });
    else if (answer?.complete) this.#settle({ fate: 'answered' });
  }

  #over(by: EndedBy, message?: string): void {
    this.#cut = true;
    if (this.#lost) return;
    const { answer, begun } = this.#reader;
    const without: Fate = by === 'FIN' ? 'closed' : by === 'timeout' ? 'hung' : 'reset';
    const fate = answer?.complete ? 'answered' : begun ? 'truncated' : without;
    this.#settle({ fate, by, ...(message === undefined ? {} : { message }) });
  }

  #settle(end: { readonly fate: Fate; readonly by?: EndedBy; readonly message?: string }): void {
    if (this.#end) return;
    this.#end = { t: this.#now(), ...end, ...this.received };
    this.#ended.resolve(this.#end);
    this.#begun.resolve();
  }
}

/**
 * Connect and listen; a text says why there is no connection. `halfOpen`: our FIN does not end the other direction. Rejects with HarnessError where the reason is ours: no
 * descriptors, a CA that is none.
 */
export async function converse(
  access: Access,
  now: () => Nanoseconds,
  halfOpen = false,
): Promise<Conversation | string> {
  const connected = await openConnection(access, { limitMs: ANSWER_LIMIT_MS, now, halfOpen });
  if (connected.socket) return new Conversation(connected.socket, connected.begin, now, access.over === 'tcp');
  return `no connection: ${connected.outcome} (${connected.message})`;
}
