import { stripVTControlCharacters } from 'node:util';
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
  /** Write what is left, a line without its newline marked `partial`. */
  finish(): void;
  /** Lines that came, those left out among them. */
  readonly lines: number;
  /** Whether anything was left out. */
  readonly whole: boolean;
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
  let partials = 0;
  let whole = true;
  let seen = 0;
  let waiting = ready !== undefined;
  const keeper = (stream: Stream): LineKeeper =>
    new LineKeeper(BUDGET, {
      line: (line) => {
        if (line.partial) partials += 1;
        last[stream].push(recordLine(recorder, stream, line));
      },
      leftOut: (what) => {
        whole = false;
        last[stream] = [];
        recordLeftOut(recorder, stream, what);
      },
    });
  const keepers = { stdout: keeper('stdout'), stderr: keeper('stderr') };

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
      if (stopBegan()) for (const each of streams) keepers[each].nextPart();
      keepers[stream].accept(chunk, recorder.now(), waiting ? ready : undefined);
    },
    finish() {
      for (const stream of streams) keepers[stream].end();
    },
    get lines() {
      return keepers.stdout.newlines + keepers.stderr.newlines + partials;
    },
    get whole() {
      return whole;
    },
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
function recordLine(recorder: Recorder, stream: Stream, line: KeptLine): string {
  const { text, raw } = shownLine(line, recorder.mask);
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
 * between escape sequences, or be cut at the end of what is kept: then there is no raw text, and no begun secret.
 */
export function shownLine({ bytes, leftOut }: KeptLine, mask: Mask): { readonly text: string; readonly raw?: string } {
  const line = bytes.toString('utf8');
  const shown = plain(line);
  const text = leftOut > 0 ? mask.cut(shown) : mask.text(shown);
  return line === shown || text !== shown || mask.text(line) !== line ? { text } : { text, raw: line };
}

/** A log line as patterns see it: no escape sequences, no carriage return at its end. */
export function plain(line: string): string {
  return stripVTControlCharacters(line).replace(/\r$/, '');
}
