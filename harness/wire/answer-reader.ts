import type { Headers } from '../model/observation.ts';
import type { Nanoseconds } from '../model/time.ts';

/** What is known of an answer so far. */
export interface Answer {
  readonly status: number;
  /**
   * All of them, names in lower case; a repeated one is joined with a comma. `:version` is 1.0 where the answer is of
   * HTTP/1.0, which closes unless it says otherwise; no header of a service can have that name.
   */
  readonly headers: Headers;
  /** Body bytes without chunk framing. */
  readonly bytes: number;
  readonly firstByteAt: Nanoseconds;
  readonly lastByteAt: Nanoseconds;
  /** The whole answer is here: by its length, its last chunk, or the end of the connection where it has no length. */
  readonly complete: boolean;
  /** Whether the service means to take another request on this connection (RFC 9112, 9.3). */
  readonly persistent: boolean;
}

type State = 'head' | 'length' | 'chunk-size' | 'chunk-data' | 'chunk-end' | 'trailers' | 'until-end' | 'done';

const MOST_HEAD_BYTES = 64 * 1024;
/** Sizes of more digits are beyond what a number holds exactly, and no service means them. */
const DECIMAL_SIZE = /^\d{1,15}$/;
const CHUNK_SIZE = /^([0-9a-f]{1,13})[ \t]*(;.*)?$/i;

/**
 * Reads HTTP/1.1 answers off a connection, byte-exact, with the times of their first and last byte, which no client
 * library tells. It never interprets more than it needs: status, headers, and where the body ends.
 */
export class AnswerReader {
  readonly #now: () => Nanoseconds;
  #method: string;
  #state: State = 'head';
  #text = '';
  #left = 0;
  #status: number | undefined;
  #headers: Headers = {};
  #persistent = false;
  #bytes = 0;
  #begun = false;
  #excess = false;
  #firstByteAt: Nanoseconds | undefined;
  #lastByteAt: Nanoseconds = 0;
  #problem: string | undefined;

  /** `method` is the request's: an answer to HEAD has no body, whatever its headers say. */
  constructor(now: () => Nanoseconds, method = 'GET') {
    this.#now = now;
    this.#method = method;
  }

  /** Undefined until the head of a final (not 1xx) answer is complete. */
  get answer(): Answer | undefined {
    if (this.#status === undefined || this.#firstByteAt === undefined) return undefined;
    return {
      status: this.#status,
      headers: this.#headers,
      bytes: this.#bytes,
      firstByteAt: this.#firstByteAt,
      lastByteAt: this.#lastByteAt,
      complete: this.#state === 'done',
      persistent: this.#persistent,
    };
  }

  /** Whether any byte came, be it of an interim (1xx) answer. */
  get begun(): boolean {
    return this.#begun;
  }

  /** Whether bytes came after the end of the answer: nobody asked for them. */
  get excess(): boolean {
    return this.#excess;
  }

  /** Why what came is not HTTP/1.x. */
  get problem(): string | undefined {
    return this.#problem;
  }

  push(chunk: Buffer): void {
    if (this.#problem !== undefined || chunk.length === 0) return;
    this.#begun = true;
    if (this.#state === 'done') {
      this.#excess = true;
      return;
    }
    this.#lastByteAt = this.#now();
    let at = 0;
    while (at < chunk.length && !this.#over()) {
      this.#firstByteAt ??= this.#lastByteAt;
      at = this.#take(chunk, at);
    }
    if (at < chunk.length && this.#problem === undefined) this.#excess = true;
  }

  /**
   * The connection ended in order (FIN, never a reset): an answer without a length of its own is complete by that, since
   * nobody can tell it from one that was cut.
   */
  end(): void {
    if (this.#state === 'until-end') this.#state = 'done';
  }

  /** Ready for the next answer on the same connection. */
  next(method = 'GET'): void {
    this.#method = method;
    this.#state = 'head';
    this.#text = '';
    this.#left = 0;
    this.#status = undefined;
    this.#headers = {};
    this.#persistent = false;
    this.#bytes = 0;
    this.#begun = false;
    this.#excess = false;
    this.#firstByteAt = undefined;
  }

  #over(): boolean {
    return this.#state === 'done' || this.#problem !== undefined;
  }

  #take(chunk: Buffer, at: number): number {
    switch (this.#state) {
      case 'length':
      case 'chunk-data': {
        const size = Math.min(this.#left, chunk.length - at);
        this.#bytes += size;
        this.#left -= size;
        if (this.#left === 0) this.#state = this.#state === 'length' ? 'done' : 'chunk-end';
        return at + size;
      }
      case 'until-end':
        this.#bytes += chunk.length - at;
        return chunk.length;
      default:
        return this.#takeLine(chunk, at);
    }
  }

  #takeLine(chunk: Buffer, at: number): number {
    const end = chunk.indexOf(0x0a, at);
    this.#text += chunk.toString('latin1', at, end < 0 ? chunk.length : end + 1);
    if (this.#text.length > MOST_HEAD_BYTES) this.#problem = `a head or line of more than ${MOST_HEAD_BYTES} bytes`;
    else if (this.#state === 'head') this.#takeHead();
    else if (end >= 0) {
      const line = this.#text.replace(/\r?\n$/, '');
      this.#text = '';
      this.#takeFraming(line);
    }
    return end < 0 ? chunk.length : end + 1;
  }

  /** Garbage is told by its first byte: what speaks another protocol may never send a line end. */
  #takeHead(): void {
    if (!'HTTP/1.'.startsWith(this.#text.slice(0, 7))) {
      this.#problem = `not HTTP/1.x: ${JSON.stringify(this.#text.slice(0, 40))}`;
    } else if (/\n\r?\n$/.test(this.#text.slice(-3))) {
      const text = this.#text;
      this.#text = '';
      this.#readHead(text);
    }
  }

  #takeFraming(line: string): void {
    switch (this.#state) {
      case 'chunk-end':
        if (line === '') this.#state = 'chunk-size';
        else this.#problem = `the end of a chunk was expected, ${JSON.stringify(line.slice(0, 20))} came`;
        return;
      case 'trailers':
        if (line === '') this.#state = 'done';
        return;
      default: {
        const size = CHUNK_SIZE.exec(line)?.[1];
        if (size === undefined) {
          this.#problem = `a chunk size was expected, ${JSON.stringify(line.slice(0, 20))} came`;
          return;
        }
        this.#left = Number.parseInt(size, 16);
        this.#state = this.#left === 0 ? 'trailers' : 'chunk-data';
      }
    }
  }

  #readHead(text: string): void {
    const [first = '', ...lines] = text.split(/\r?\n/).filter((line) => line !== '');
    const [, minor, code] = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: |$)/.exec(first) ?? [];
    if (minor === undefined || code === undefined) {
      this.#problem = `not HTTP/1.x: ${JSON.stringify(first.slice(0, 40))}`;
      return;
    }
    const status = Number(code);
    if (status < 200 && status !== 101) {
      this.#firstByteAt = undefined;
      return;
    }
    this.#headers = { ...(minor === '0' ? { ':version': '1.0' } : {}), ...readHeaders(lines) };
    this.#status = status;
    this.#readLength(status);
    const options = this.#headers['connection'] ?? '';
    const stays = minor === '1' ? !/\bclose\b/i.test(options) : /\bkeep-alive\b/i.test(options);
    this.#persistent = stays && this.#state !== 'until-end' && status !== 101;
  }

  #readLength(status: number): void {
    const coding = this.#headers['transfer-encoding'];
    const length = this.#headers['content-length'];
    // After 101 another protocol is spoken; 204, 304 and answers to HEAD have no body.
    if (status === 101 || status === 204 || status === 304 || this.#method === 'HEAD') this.#state = 'done';
    else if (coding !== undefined) this.#state = /(^|,)[ \t]*chunked$/i.test(coding) ? 'chunk-size' : 'until-end';
    else if (length === undefined) this.#state = 'until-end';
    else {
      const [one = '', ...others] = new Set(length.split(',').map((part) => part.trim()));
      if (others.length > 0 || !DECIMAL_SIZE.test(one)) {
        this.#problem = `a content-length of ${JSON.stringify(length.slice(0, 40))}`;
        return;
      }
      this.#left = Number(one);
      this.#state = this.#left === 0 ? 'done' : 'length';
    }
  }
}

/** Names in lower case; what is no header line is left out, a repeated header is joined with a comma. */
function readHeaders(lines: readonly string[]): Headers {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name, value = ''] = /^([^\s:]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
    if (name === undefined) continue;
    const before = headers.get(name.toLowerCase());
    headers.set(name.toLowerCase(), before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(headers);
}

/** The headers that clauses speak of; the rest of an answer is not stored. */
const KEPT = [
  ':version',
  'connection',
  'retry-after',
  'content-length',
  'transfer-encoding',
  'content-type',
  'upgrade',
  'server',
];

/** The headers that are worth storing. */
export function keptHeaders(
  headers: Readonly<Record<string, string | readonly string[] | number | undefined>>,
): Headers {
  return Object.fromEntries(
    KEPT.flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : String(value)]];
    }),
  );
}
