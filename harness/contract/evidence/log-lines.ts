import type { History } from '../../model/history.ts';
import { LINE_BYTES } from '../../model/log-limits.ts';
import type { ObservationOf } from '../../model/observation.ts';
import type { Nanoseconds } from '../../model/time.ts';
import { lastOf, ofKind } from './queries.ts';

/** A log line that matched a pattern. */
export interface Matched {
  readonly line: ObservationOf<'log'>;
  readonly groups: Readonly<Record<string, string | undefined>>;
}

/** Of a line only so much is quoted. */
const QUOTED_CHARACTERS = 300;

/** Attached log lines from `since` on that match a pattern (a regular expression source). Throws on a bad pattern. */
export function linesMatching(history: History, pattern: string, since: Nanoseconds = 0): readonly Matched[] {
  const expression = new RegExp(pattern);
  return ofKind(history, 'log').flatMap((line) => {
    const match = line.t >= since ? expression.exec(line.text.slice(0, LINE_BYTES)) : null;
    return match ? [{ line, groups: match.groups ?? {} }] : [];
  });
}

/**
 * `undefined` when every line from `since` on is on record, else why one that was not seen may have been written all the
 * same: for clauses that find none. Lines that only the stored log had have become observations too, so the record is
 * whole once the attached output ended and the stored log was read, unless there was more output than is kept. The stored
 * log alone does not prove that a line was not written: an engine may lose some.
 */
export function logGap(history: History, since: Nanoseconds, stream?: 'stdout' | 'stderr'): string | undefined {
  const gap = anotherGap(history, since, stream);
  if (gap !== undefined) return gap;
  const complete = lastOf(history, 'log.complete');
  if (complete?.attachedOpen) return 'the attached output was still open when the stored log was read';
  return complete?.comparedLast === undefined || reachesBack(history, complete.comparedLast, since)
    ? undefined
    : 'more was written than is kept, and only the end of the stored log was read';
}

/** The same for clauses that found a line: why one more may have been written. */
export function anotherGap(history: History, since: Nanoseconds, stream?: 'stdout' | 'stderr'): string | undefined {
  const complete = lastOf(history, 'log.complete');
  if (!complete) return 'the stored log was not read after the end';
  if (complete.error !== undefined) return `the stored log could not be read (${complete.error})`;
  return leftOut(history, since, stream);
}

/**
 * Whether the end of the stored log that was read begins before `since`: with a line that was seen before. The engine
 * gives the end of both streams together, so one of them tells it for both.
 */
function reachesBack(
  history: History,
  compared: { readonly stdout: number; readonly stderr: number },
  since: Nanoseconds,
): boolean {
  const written = history.observations.filter((o): o is ObservationOf<'log'> => o.kind === 'log');
  return (['stdout', 'stderr'] as const).some((stream) => {
    const count = compared[stream];
    const first = count === 0 ? undefined : written.filter((line) => line.stream === stream).at(-count);
    return first !== undefined && first.t < since;
  });
}

/** What is not on record of attached output that had not ended, where the stored log does not make up for it. */
function openGap(history: History): string | undefined {
  const complete = lastOf(history, 'log.complete');
  if (!complete?.attachedOpen) return undefined;
  const still = 'the attached output was still open at the end';
  if (complete.error !== undefined) return `${still}, and the stored log could not be read (${complete.error})`;
  const lacking = complete.missing.length;
  if (lacking > 0) return `${still}, and the stored log lacks ${lacking} delivered line(s)`;
  return complete.comparedLast === undefined ? undefined : `${still}, and only the end of the stored log was read`;
}

/**
 * Why a line from `since` on may not be on record although it came: there was more output than is kept, or less of it came
 * in time than was stored.
 */
export function leftOut(history: History, since: Nanoseconds, stream?: 'stdout' | 'stderr'): string | undefined {
  const open = openGap(history);
  if (open !== undefined) return open;
  const asked = (o: ObservationOf<'log'> | ObservationOf<'log.left-out'>): boolean =>
    o.t >= since && (stream === undefined || o.stream === stream);
  const gaps = ofKind(history, 'log.left-out').filter(asked);
  if (gaps.length > 0) {
    const bytes = gaps.reduce((sum, gap) => sum + gap.bytes, 0);
    const lines = gaps.reduce((sum, gap) => sum + gap.lines, 0);
    const from = [...new Set(gaps.map((gap) => gap.stream))].join(' and ');
    return `${lines} lines (${bytes} bytes) of ${from} are not on record: more was written than is kept`;
  }
  const cut = ofKind(history, 'log').filter(
    (line) => asked(line) && ((line.leftOut ?? 0) > 0 || line.text.length > LINE_BYTES),
  );
  if (cut.length === 0) return undefined;
  const lines = cut.length === 1 ? 'a line is' : `${cut.length} lines are`;
  return `${lines} longer than the ${LINE_BYTES} bytes of one that patterns are looked for in`;
}

/** A line of the log in a sentence: as JSON, so that nothing in it can pass for a word of ours, and not without an end. */
export function quoted(text: string): string {
  return text.length <= QUOTED_CHARACTERS
    ? JSON.stringify(text)
    : `${JSON.stringify(text.slice(0, QUOTED_CHARACTERS))} and ${text.length - QUOTED_CHARACTERS} more characters`;
}

/** The last attached line, for `seen` texts. */
export function lastLine(history: History): string {
  const line = lastOf(history, 'log');
  return line ? `last line: ${quoted(line.text)}${line.partial ? ', without its end' : ''}` : 'no line at all';
}
