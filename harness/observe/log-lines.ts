import { StringDecoder } from 'node:string_decoder';
import { stripVTControlCharacters } from 'node:util';
import type { Recorder } from './recorder.ts';

/** A line longer than this is recorded in pieces, so that hostile output cannot hold memory. */
const LINE_LIMIT = 64 * 1024;

/** Splits output chunks into `log` observations. Colours are stripped for matching; the raw text is kept where it differs. */
export interface LogLines {
  accept(stream: 'stdout' | 'stderr', chunk: Buffer): void;
  /** Write what is left without a newline, marked `partial`. */
  finish(): void;
  readonly lines: number;
}

/** One splitter per container, fed by the engine's attached stream. */
export function recordLogLines(recorder: Recorder): LogLines {
  const decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') };
  const rest = { stdout: '', stderr: '' };
  let lines = 0;
  const write = (stream: 'stdout' | 'stderr', line: string, partial: boolean): void => {
    const text = plain(line);
    lines += 1;
    recorder.record({
      kind: 'log',
      stream,
      text,
      ...(text === line ? {} : { raw: line }),
      ...(partial ? { partial: true } : {}),
    });
  };
  return {
    accept(stream, chunk) {
      const pieces = (rest[stream] + decoders[stream].write(chunk)).split('\n');
      rest[stream] = pieces.pop() ?? '';
      for (const piece of pieces) write(stream, piece, false);
      while (rest[stream].length > LINE_LIMIT) {
        write(stream, rest[stream].slice(0, LINE_LIMIT), true);
        rest[stream] = rest[stream].slice(LINE_LIMIT);
      }
    },
    finish() {
      for (const stream of ['stdout', 'stderr'] as const) {
        const last = rest[stream] + decoders[stream].end();
        rest[stream] = '';
        if (last !== '') write(stream, last, true);
      }
    },
    get lines() {
      return lines;
    },
  };
}

/** A log line as patterns see it: no escape sequences, no carriage return at its end. */
export function plain(line: string): string {
  return stripVTControlCharacters(line).replace(/\r$/, '');
}
