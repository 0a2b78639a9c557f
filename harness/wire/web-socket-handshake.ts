import { createHash, randomBytes } from 'node:crypto';
import type { Nanoseconds } from '../model/time.ts';
import type { WebSocketEndpoint } from '../model/websocket.ts';
import { AnswerReader } from './answer-reader.ts';
import type { Access } from './connection.ts';
import { requestHead } from './connection.ts';

/** What is appended to the key before it is hashed (RFC 6455, 1.3). */
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const HEAD_END = '\r\n\r\n';
const MOST_HEAD_BYTES = 64 * 1024;
const NOTHING: Buffer = Buffer.alloc(0);

/** The request for an upgrade, and the head of its answer. Headers that are declared come last and may replace ours. */
export class UpgradeExchange {
  readonly request: string;
  /** First byte of the answer. */
  answeredAt: Nanoseconds | undefined;
  /** Of the answer, once its head is here. */
  status: number | undefined;
  /** What is wrong with the answer: no HTTP, or a 101 that is none by RFC 6455. */
  problem: string | undefined;
  readonly #accept: string;
  readonly #now: () => Nanoseconds;
  readonly #reader: AnswerReader;
  #text = NOTHING;

  constructor(access: Access, endpoint: WebSocketEndpoint, now: () => Nanoseconds) {
    const key = randomBytes(16).toString('base64');
    this.#now = now;
    this.#reader = new AnswerReader(now);
    this.#accept = createHash('sha1').update(`${key}${GUID}`).digest('base64');
    this.request = requestHead(access, 'GET', endpoint.path, {
      upgrade: 'websocket',
      connection: 'Upgrade',
      'sec-websocket-version': '13',
      'sec-websocket-key': key,
      ...(endpoint.protocol === undefined ? {} : { 'sec-websocket-protocol': endpoint.protocol }),
      ...endpoint.headers,
    });
  }

  /** Where the last header begins: what is before it is half a request. */
  get half(): number {
    return this.request.lastIndexOf('\r\n', this.request.length - HEAD_END.length - 1) + 2;
  }

  get decided(): boolean {
    return this.status !== undefined || this.problem !== undefined;
  }

  /** Answered 101, and so that a client may believe it. */
  get upgraded(): boolean {
    return this.status === 101 && this.problem === undefined;
  }

  /** Take bytes of the answer. Once it is decided: what came after its head. */
  take(chunk: Buffer): Buffer | undefined {
    this.answeredAt ??= this.#now();
    this.#text = Buffer.concat([this.#text, chunk]);
    while (!this.decided) {
      const end = this.#text.indexOf(HEAD_END);
      if (end < 0) {
        if (this.#text.length <= MOST_HEAD_BYTES) return undefined;
        this.problem = `a head of more than ${MOST_HEAD_BYTES} bytes`;
        break;
      }
      // an interim answer (1xx) may come first
      const head = this.#text.subarray(0, end + HEAD_END.length);
      this.#text = this.#text.subarray(head.length);
      this.#readHead(head);
    }
    const rest = this.#text;
    this.#text = NOTHING;
    return rest;
  }

  #readHead(head: Buffer): void {
    this.#reader.push(head);
    const { answer, problem } = this.#reader;
    this.problem = problem;
    this.status = answer?.status;
    if (answer?.status === 101 && answer.headers['sec-websocket-accept'] !== this.#accept) {
      this.problem = 'answered 101 with a wrong Sec-WebSocket-Accept';
    }
  }
}
