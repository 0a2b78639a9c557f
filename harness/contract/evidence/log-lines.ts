import type { History } from '../../model/history.ts';
import type { ObservationOf } from '../../model/observation.ts';
import type { Nanoseconds } from '../../model/time.ts';
import { lastOf, ofKind } from './queries.ts';

/** A log line that matched a pattern. */
export interface Matched {
  readonly line: ObservationOf<'log'>;
  readonly groups: Readonly<Record<string, string | undefined>>;
}

/** Attached log lines from `since` on that match a pattern (a regular expression source). Throws on a bad pattern. */
export function linesMatching(history: History, pattern: string, since: Nanoseconds = 0): readonly Matched[] {
  const expression = new RegExp(pattern);
  return ofKind(history, 'log').flatMap((line) => {
    const match = line.t >= since ? expression.exec(line.text) : null;
    return match ? [{ line, groups: match.groups ?? {} }] : [];
  });
}

/**
 * `undefined` when every line is on record, else why one that was not seen may have been written all the same. Lines
 * that only the stored log had have become observations too, so the record is whole once the stored log was read.
 */
export function logGap(history: History): string | undefined {
  const complete = lastOf(history, 'log.complete');
  if (!complete) return 'the stored log was not read after the end';
  if (complete.error !== undefined) return `the stored log could not be read (${complete.error})`;
  return undefined;
}

/** The last attached line, for `seen` texts. */
export function lastLine(history: History): string {
  const line = lastOf(history, 'log');
  return line ? `last line: ${JSON.stringify(line.text)}${line.partial ? ', without its end' : ''}` : 'no line at all';
}
