import { stripVTControlCharacters } from 'node:util';
import { LINE_BYTES } from '../model/log-limits.ts';
import type { Mask } from '../model/mask.ts';
import type { KeptLine, LeftOut, WantedLine } from './kept-lines.ts';
import { LineKeeper } from './kept-lines.ts';
import type { Recorder } from './recorder.ts';

/**
 * What is kept of each stream before the stop begins and again from then on: the first lines, which are on record as they
 * come, and the last. A service within it has every line judged; of a flood the start, the moments before the signal, the
 * answer to it and the last words are kept.
 */
const BUDGET = { headBytes: 256 * 1024, tailBytes: 128 * 1024 };

export type Stream = 'stdout' | 'stderr';
export const streams: readonly Stream[] = ['stdout', 'stderr'];

/** Turns output chunks into `log` observations, in bounded memory whatever comes. */
export interface LogLines {
  accept(stream: Stream, chunk: Buffer): void;
  /**
   * Write what is left, and take nothing more: what comes later is in the stored log. A line without its newline is
   * written too, marked `partial`, unless the stored log will be read, which may have all of it: then it is held until
   * `settle`, or a `finish` without `attached`. `open`: the attached output had not ended.
   */
  finish(attached?: 'ended' | 'open'): void;
  /** Whether the attached output had not ended when it was finished. */
  readonly open: boolean;
  /** The line of a stream that is held, as it would be written. */
  held(stream: Stream): string | undefined;
  /** Write the line that is held, or drop it where the stored log has all of it. */
  settle(stream: Stream, what: 'write' | 'drop'): void;
  /** Lines that came, those left out among them. */
  readonly lines: number;
  /** Whether nothing of a stream was left out. */
  whole(stream: Stream): boolean;
  /** Whether a line of a stream was so long that an engine may have stored it in pieces. */
  long(stream: Stream): boolean;
  /** The last lines of a stream as they were recorded, back to what was left out. */
  last(stream: Stream): readonly string[];
}

/**
 * One splitter per container, fed by the engine's attached stream. `readyPattern`, where a log line says that the service
 * is ready, is looked for in every line until it is: after a flood too.
 */
export function recordLogLines(recorder: Recorder, readyPattern?: string): LogLines {
  const ready = readyPattern === undefined ? undefined : readyLine(readyPattern, recorder.mask);
  const last: Record<Stream, string[]> = { stdout: [], stderr: [] };
  const whole: Record<Stream, boolean> = { stdout: true, stderr: true };
  const long: Record<Stream, boolean> = { stdout: false, stderr: false };
  const held: Partial<Record<Stream, KeptLine>> = {};
  let partials = 0;
  let closed = false;
  let holding = false;
  let open = false;
  let seen = 0;
  let waiting = ready !== undefined;
  const keeper = (stream: Stream): LineKeeper =>
    new LineKeeper(BUDGET, {
      line: (line) => {
        if (line.bytes.length >= LINE_BYTES) long[stream] = true;
        if (line.partial && holding) held[stream] = line;
        else write(stream, line);
      },
      leftOut: (what) => {
        whole[stream] = false;
        last[stream] = [];
        recordLeftOut(recorder, stream, what);
      },
    });
  const keepers = { stdout: keeper('stdout'), stderr: keeper('stderr') };

  function write(stream: Stream, line: KeptLine): void {
    if (line.partial) partials += 1;
    last[stream].push(recordLine(recorder, stream, line, open));
  }

  function settle(stream: Stream, what: 'write' | 'drop'): void {
    const line = held[stream];
    delete held[stream];
    if (line !== undefined && what === 'write') write(stream, line);
  }

  /** Whether the stop began since the last chunk. */
  function stopBegan(): boolean {
    let began = false;
    for (const { kind } of recorder.observations.slice(seen)) {
      if (kind === 'ready' || kind === 'ready.failed') waiting = false;
      if (kind === 'signal.sent' || kind === 'stop.called') began = true;
    }
    seen = recorder.observations.length;
    return began;
  }

  return {
    accept(stream, chunk) {
      if (closed) return;
      if (stopBegan()) for (const each of streams) keepers[each].nextPart();
      keepers[stream].accept(chunk, recorder.now(), waiting ? ready : undefined);
    },
    finish(attached) {
      if (!closed) {
        closed = true;
        open = attached === 'open';
        holding = attached !== undefined;
        for (const stream of streams) keepers[stream].end();
      }
      if (attached === undefined) for (const stream of streams) settle(stream, 'write');
    },
    get open() {
      return open;
    },
    held(stream) {
      const line = held[stream];
      return line && shownLine(line, recorder.mask, open).text;
    },
    settle,
    get lines() {
      return keepers.stdout.newlines + keepers.stderr.newlines + partials;
    },
    whole: (stream) => whole[stream],
    long: (stream) => long[stream],
    last: (stream) => last[stream],
  };
}

function readyLine(pattern: string, mask: Mask): WantedLine {
  const inOne = new RegExp(pattern);
  const inMany = new RegExp(pattern, 'm');
  return {
    mayBeIn: (output) => inMany.test(plain(mask.text(output.toString('utf8')))),
    is: (line) => inOne.test(shownLine(line, mask).text),
  };
}

/** Records a line and gives its text as it was written. */
function recordLine(recorder: Recorder, stream: Stream, line: KeptLine, open: boolean): string {
  const { text, raw } = shownLine(line, recorder.mask, line.partial && open);
  recorder.record({
    kind: 'log',
    t: line.t,
    stream,
    text,
    ...(raw === undefined ? {} : { raw }),
    ...(line.partial ? { partial: true } : {}),
    ...(line.leftOut > 0 ? { leftOut: line.leftOut } : {}),
  });
  return text;
}

/** Records that a part of the output is not on record. */
export function recordLeftOut(recorder: Recorder, stream: Stream, { begin, t, lines, bytes }: LeftOut): void {
  recorder.record({ kind: 'log.left-out', begin, t, stream, lines, bytes });
}

/**
 * A line as it is written: masked, without escape sequences, and as it came where that differs. A secret may be hidden
 * between escape sequences, or be cut at the end of what is kept or came (`cut`): then there is no raw text, and no begun
 * secret.
 */
export function shownLine(
  { bytes, leftOut }: KeptLine,
  mask: Mask,
  cut = false,
): { readonly text: string; readonly raw?: string } {
  const line = bytes.toString('utf8');
  const shown = plain(line);
  const text = cut || leftOut > 0 ? mask.cut(shown) : mask.text(shown);
  return line === shown || text !== shown || mask.text(line) !== line ? { text } : { text, raw: line };
}

/** A log line as patterns see it: no escape sequences, no carriage return at its end. */
export function plain(line: string): string {
  return stripVTControlCharacters(line).replace(/\r$/, '');
}
