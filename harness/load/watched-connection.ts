import type { Socket } from 'node:net';
import { reasonOf } from '../model/network.ts';
import type { EndedBy, Fate } from '../model/observation.ts';
import type { Nanoseconds } from '../model/time.ts';
import { AnswerReader, keptHeaders } from '../wire/answer-reader.ts';
import type { Access } from '../wire/connection.ts';
import type { Ending } from '../wire/ending.ts';
import { endingInWords } from '../wire/ending.ts';
import { within } from '../wire/within.ts';
import { endedBy, openConnection, requestHead } from '../wire/connection.ts';

/** Longer than two retransmits of a lost SYN. */
const CONNECT_LIMIT_MS = 5000;
/** A connection that has had no answer and no close for this long counts as held. */
const PROOF_MS = 250;

/**
 * A connection of which every byte and the end are seen, whoever is asked: an HTTP client would answer, retry or close by
 * itself. It is read all the time unless it is told to stop.
 */
export class WatchedConnection {
  readonly begin: Nanoseconds;
  /** Resolves with the first thing that ends it: a whole answer, FIN, RST, or that it is given up. Never rejects. */
  readonly ended: Promise<Ending>;
  readonly #socket: Socket;
  readonly #now: () => Nanoseconds;
  readonly #reader: AnswerReader;
  readonly #settle: (end: Ending) => void;
  #end: Ending | undefined;
  #firstByte: () => void = () => undefined;

  constructor(socket: Socket, begin: Nanoseconds, now: () => Nanoseconds) {
    this.#socket = socket;
    this.begin = begin;
    this.#now = now;
    this.#reader = new AnswerReader(now);
    const { promise, resolve } = Promise.withResolvers<Ending>();
    this.ended = promise;
    this.#settle = (end) => {
      this.#end ??= end;
      this.#firstByte();
      resolve(end);
    };
    let error: Error | undefined;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('error', (reason) => (error = reason));
    socket.on('end', () => {
      this.#over(undefined);
      socket.end(); // one that may be half open does not do so by itself
    });
    socket.on('close', () => this.#over(error));
  }

  /** Undefined while nothing has happened to it. */
  get end(): Ending | undefined {
    return this.#end;
  }

  /** Body bytes so far. */
  get bytes(): number {
    return this.#reader.answer?.bytes ?? 0;
  }

  /** Resolves with the moment at which these bytes are with the kernel, undefined where they cannot be written. */
  send(text: string | Buffer): Promise<Nanoseconds | undefined> {
    if (!this.#socket.writable) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#socket.write(text, (error) => resolve(error ? undefined : this.#now()));
    });
  }

  /** Our FIN; the other direction stays open where the connection was opened for that. */
  finishWriting(): void {
    this.#socket.end();
  }

  stopReading(): void {
    this.#socket.pause();
  }

  /** Take up reading again for at most so long: what the kernel has kept shows what happened meanwhile. */
  async readOn(limitMs: number): Promise<void> {
    this.#socket.resume();
    await within(this.ended, limitMs);
  }

  /** Resolves when the head of an answer is here or the connection has ended, at most after `limitMs`. */
  async answerBegun(limitMs: number): Promise<boolean> {
    if (this.#reader.answer === undefined && this.#end === undefined) {
      await within(new Promise<void>((resolve) => (this.#firstByte = resolve)), limitMs);
    }
    return this.#reader.answer !== undefined;
  }

  /** Undefined: quiet for long enough that it counts as held. Else what happened to it. */
  async proof(): Promise<Ending | undefined> {
    return this.#end ?? (await within(this.ended, PROOF_MS));
  }

  /** Close it, `held` if nothing has happened to it. */
  giveUp(message?: string): void {
    this.#settle({ t: this.#now(), fate: 'held', ...this.#seen(), ...(message === undefined ? {} : { message }) });
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#reader.push(chunk);
    const { problem, answer } = this.#reader;
    if (problem !== undefined) this.#settle({ t: this.#now(), fate: 'truncated', ...this.#seen(), message: problem });
    else if (answer?.complete) this.#settle({ t: answer.lastByteAt, fate: 'answered', ...this.#seen() });
    else if (answer) this.#firstByte();
  }

  #over(error: Error | undefined): void {
    const t = this.#now();
    const by = endedBy(error);
    if (error === undefined) this.#reader.end();
    const fate = fateOf(by, this.#reader);
    const message = error === undefined ? {} : { message: (error as NodeJS.ErrnoException).code ?? error.message };
    this.#settle({ t, fate, ...this.#seen(), by, ...message });
  }

  #seen(): Omit<Ending, 't' | 'fate'> {
    const answer = this.#reader.answer;
    if (answer === undefined) return {};
    const { status, bytes, firstByteAt, lastByteAt } = answer;
    return { status, headers: keptHeaders(answer.headers), bytes, firstByteAt, lastByteAt };
  }
}

function fateOf(by: EndedBy, reader: AnswerReader): Fate {
  if (reader.answer?.complete) return 'answered';
  if (reader.begun) return 'truncated';
  if (by === 'FIN') return 'closed';
  return by === 'timeout' ? 'hung' : 'reset';
}

/** Connect and watch, or why not: also where this host cannot connect, or the CA is none. */
export async function openWatched(
  access: Access,
  now: () => Nanoseconds,
  halfOpen = false,
): Promise<WatchedConnection | { readonly problem: string }> {
  try {
    const connected = await openConnection(access, { limitMs: CONNECT_LIMIT_MS, now, halfOpen });
    if (connected.socket) return new WatchedConnection(connected.socket, connected.begin, now);
    return { problem: `no connection: ${connected.outcome} (${connected.message})` };
  } catch (error) {
    return { problem: `no connection: ${reasonOf(error)}` };
  }
}

/** The normal answer to one complete request on a connection of its own, or why there is none. */
export async function askOnce(
  access: Access,
  now: () => Nanoseconds,
  request: { readonly method: string; readonly path: string; readonly body?: string },
): Promise<{ readonly status: number; readonly bytes: number } | { readonly problem: string }> {
  const connection = await openWatched(access, now);
  if ('problem' in connection) return connection;
  const { method, path, body } = request;
  const length = body === undefined ? {} : { 'content-length': String(body.length) };
  await connection.send(requestHead(access, method, path, { ...length, connection: 'close' }) + (body ?? ''));
  const end = await within(connection.ended, CONNECT_LIMIT_MS);
  connection.giveUp();
  if (end?.fate === 'answered' && end.status !== undefined) return { status: end.status, bytes: end.bytes ?? 0 };
  const what = end === undefined ? `no answer within ${CONNECT_LIMIT_MS} ms` : endingInWords(end);
  return { problem: what };
}
