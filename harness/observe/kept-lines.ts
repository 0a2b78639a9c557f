import { LINE_BYTES } from '../model/log-limits.ts';
import type { Nanoseconds } from '../model/time.ts';

/** What a line costs of a budget besides its bytes, so that empty lines cannot fill a memory either. */
const LINE_COST = 128;
const NEWLINE = 10;
const nothing = Buffer.alloc(0);

/** A line as bytes. `leftOut` counts its bytes beyond LINE_BYTES; `partial`: the output ended without a newline. */
export interface KeptLine {
  readonly t: Nanoseconds;
  readonly bytes: Buffer;
  readonly leftOut: number;
  readonly partial: boolean;
}

/** What was not kept, and between which times it came. `lines` counts line ends. */
export interface LeftOut {
  readonly begin: Nanoseconds;
  readonly t: Nanoseconds;
  readonly lines: number;
  readonly bytes: number;
}

/** Told of what is kept, in order; of the tail only when a part of the output ends. */
export interface LineListener {
  line(line: KeptLine): void;
  leftOut(what: LeftOut): void;
}

/** A line that is kept wherever it stands. `mayBeIn` says of many lines at once whether a closer look is worth it. */
export interface WantedLine {
  mayBeIn(output: Buffer): boolean;
  is(line: KeptLine): boolean;
}

interface Chunk {
  readonly t: Nanoseconds;
  readonly bytes: Buffer;
}

const cost = (line: KeptLine): number => line.bytes.length + LINE_COST;
const length = (line: KeptLine): number => line.bytes.length + line.leftOut + (line.partial ? 0 : 1);

/** Patterns are run on no more of a line than LINE_BYTES, so output with a longer one is not searched as it is. */
function hasLongLine(output: Buffer): boolean {
  for (let begin = 0; begin < output.length; ) {
    const end = output.indexOf(NEWLINE, begin);
    if ((end < 0 ? output.length : end) - begin > LINE_BYTES) return true;
    if (end < 0) return false;
    begin = end + 1;
  }
  return false;
}

/** A line under way, of which no more than LINE_BYTES is held. */
class Gathered {
  #pieces: Buffer[] = [];
  #bytes = 0;
  #beyond = 0;

  get empty(): boolean {
    return this.#bytes === 0;
  }

  /** Copies: a piece of a chunk would keep all of the chunk. */
  add(piece: Buffer): void {
    const taken = piece.subarray(0, LINE_BYTES - this.#bytes);
    if (taken.length > 0) this.#pieces.push(Buffer.from(taken));
    this.#bytes += taken.length;
    this.#beyond += piece.length - taken.length;
  }

  /** Goes on with a line that was under way elsewhere. */
  resume(line: KeptLine): void {
    this.add(line.bytes);
    this.#beyond += line.leftOut;
  }

  take(t: Nanoseconds, partial: boolean): KeptLine {
    const line = { t, bytes: Buffer.concat(this.#pieces), leftOut: this.#beyond, partial };
    this.#pieces = [];
    this.#bytes = 0;
    this.#beyond = 0;
    return line;
  }
}

/**
 * One stream of output as lines, in bounded memory: the first lines of a part, up to `headBytes`, as they come, and the
 * last `tailBytes` of what follows. In between line ends are counted and nothing is split or copied: whoever reads slowly
 * makes the container wait for its output, which would change its stop.
 */
export class LineKeeper {
  /** Line ends that came. */
  newlines = 0;
  readonly #budget: { readonly headBytes: number; readonly tailBytes: number };
  readonly #listener: LineListener;
  readonly #line = new Gathered();
  #headLeft: number;
  #lastT: Nanoseconds = 0;
  #tail: Chunk[] = [];
  #tailBytes = 0;
  #tailLines = 0;
  /** Of the output after the head: when it began, and what of it was dropped already. */
  #tailBegin: Nanoseconds = 0;
  #skippedBytes = 0;
  /** Of the tail, the line under way when it was last searched for the wanted one. */
  #unseen: Buffer = nothing;
  /** Whether the tail begins within a line of which the first part was dropped. */
  #torn = false;

  constructor(budget: { readonly headBytes: number; readonly tailBytes: number }, listener: LineListener) {
    this.#budget = budget;
    this.#listener = listener;
    this.#headLeft = budget.headBytes;
  }

  /** The wanted line is told of at once. */
  accept(chunk: Buffer, t: Nanoseconds, wanted?: WantedLine): void {
    this.#lastT = t;
    const rest = this.#takeHead(chunk, t);
    if (rest.length === 0) return;
    this.#takeTail(rest, t);
    if (wanted === undefined) return;
    const unseen = Buffer.concat([this.#unseen, rest]);
    this.#unseen = Buffer.from(unseen.subarray(unseen.lastIndexOf(NEWLINE) + 1).subarray(0, LINE_BYTES));
    if (hasLongLine(unseen) || wanted.mayBeIn(unseen)) this.#tellOf(wanted);
  }

  /** Another part of the output begins, with budgets of its own; a line under way goes on in it. */
  nextPart(): void {
    const open = this.#flushTail();
    if (open !== undefined) this.#line.resume(open);
    this.#headLeft = this.#budget.headBytes;
  }

  /** The output ended. */
  end(): void {
    if (!this.#line.empty) this.#listener.line(this.#line.take(this.#lastT, true));
    const open = this.#flushTail();
    if (open !== undefined) this.#listener.line(open);
    this.#headLeft = 0;
  }

  /** Gives what is left of a chunk once the budget of the head is used up. */
  #takeHead(chunk: Buffer, t: Nanoseconds): Buffer {
    let rest = chunk;
    while (rest.length > 0 && (this.#headLeft > 0 || !this.#line.empty)) {
      const end = rest.indexOf(NEWLINE);
      this.#line.add(end < 0 ? rest : rest.subarray(0, end));
      if (end < 0) return nothing;
      this.newlines += 1;
      const line = this.#line.take(t, false);
      this.#headLeft -= cost(line);
      this.#listener.line(line);
      rest = rest.subarray(end + 1);
    }
    return rest;
  }

  #takeTail(chunk: Buffer, t: Nanoseconds): void {
    if (this.#tailBytes === 0 && this.#skippedBytes === 0) this.#tailBegin = t;
    let count = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) count += 1;
    this.newlines += count;
    this.#tailLines += count;
    this.#tail.push({ t, bytes: chunk });
    this.#tailBytes += chunk.length;
    for (;;) {
      const first = this.#tail[0]?.bytes ?? nothing;
      if (this.#tail.length < 2 || this.#tailBytes - first.length < this.#budget.tailBytes) return;
      this.#tail.shift();
      this.#tailBytes -= first.length;
      this.#skippedBytes += first.length;
      this.#torn = first.at(-1) !== NEWLINE;
    }
  }

  /** Tells of the wanted line and leaves out what the tail held before it: the rest of the tail stays. */
  #tellOf(wanted: WantedLine): void {
    const lines = this.#splitTail();
    const at = lines.findIndex((line) => !line.partial && wanted.is(line));
    const line = lines[at];
    if (line === undefined) return;
    const before = lines.slice(0, at);
    const bytes = this.#skippedBytes + before.reduce((sum, other) => sum + length(other), 0);
    const lineEnds = this.#tailLines - lines.slice(at).filter(({ partial }) => !partial).length;
    if (bytes > 0) this.#listener.leftOut({ begin: this.#tailBegin, t: line.t, lines: lineEnds, bytes });
    this.#listener.line(line);
    const rest = Buffer.concat(this.#tail.map((chunk) => chunk.bytes)).subarray(
      bytes - this.#skippedBytes + length(line),
    );
    this.#clearTail();
    if (rest.length > 0) this.#takeTail(rest, this.#lastT);
    this.newlines -= this.#tailLines;
  }

  /** Tells of the last lines that the budget allows, and of what is left out before them. Gives a line that is open. */
  #flushTail(): KeptLine | undefined {
    const lines = this.#splitTail();
    if (this.#torn) lines.shift();
    let from = lines.length;
    for (let left = this.#budget.tailBytes; from > 0; from -= 1) {
      left -= cost(lines[from - 1] as KeptLine);
      if (left < 0) break;
    }
    const kept = lines.slice(from);
    const bytes = this.#skippedBytes + this.#tailBytes - kept.reduce((sum, line) => sum + length(line), 0);
    const lineEnds = this.#tailLines - kept.filter(({ partial }) => !partial).length;
    const t = kept[0]?.t ?? this.#lastT;
    if (bytes > 0) this.#listener.leftOut({ begin: this.#tailBegin, t, lines: lineEnds, bytes });
    const open = kept.at(-1)?.partial ? kept.pop() : undefined;
    for (const line of kept) this.#listener.line(line);
    this.#clearTail();
    return open;
  }

  #clearTail(): void {
    this.#tail = [];
    this.#tailBytes = 0;
    this.#tailLines = 0;
    this.#skippedBytes = 0;
    this.#torn = false;
  }

  #splitTail(): KeptLine[] {
    const lines: KeptLine[] = [];
    const line = new Gathered();
    for (const { t, bytes } of this.#tail) {
      let begin = 0;
      for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, begin)) {
        line.add(bytes.subarray(begin, end));
        lines.push(line.take(t, false));
        begin = end + 1;
      }
      line.add(bytes.subarray(begin));
    }
    if (!line.empty) lines.push(line.take(this.#lastT, true));
    return lines;
  }
}
