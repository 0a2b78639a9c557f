import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningContainer } from '../engine/driver.ts';
import type { LeftOut } from './kept-lines.ts';
import { LineKeeper } from './kept-lines.ts';
import type { LogLines, Stream } from './log-lines.ts';
import { recordLeftOut, shownLine, streams } from './log-lines.ts';
import type { Recorder } from './recorder.ts';

/** How often the stored log is read again while lines are missing (LOG-06: up to 3 times over 2 s). */
const LOG_READS = 4;
const LOG_PAUSE_MS = 600;
/** What is kept of each stored stream. All of it is, where nothing of the attached output was left out. */
const WHOLE = { headBytes: 1024 * 1024, tailBytes: 128 * 1024 };
/** Where the attached output was left out in part, only the end of the stored one is asked for and compared. */
const END = { headBytes: 0, tailBytes: 256 * 1024 };
/** Of a stream of which nothing was left out, beside one of which something was. */
const QUIET_END = { headBytes: 0, tailBytes: 1024 * 1024 };
const END_ENTRIES = 2000;

interface Stored {
  /** Lines as they would be recorded, in order. */
  readonly lines: Record<Stream, string[]>;
  readonly leftOut: [Stream, LeftOut][];
  readonly count: number;
}

/** What one stream lacks on one side. `compared`: how many of its last lines on record were looked at, `extra` among them. */
interface Difference {
  readonly missing: readonly string[];
  readonly extra: readonly string[];
  readonly compared: number;
}

/**
 * Compare what the attached stream delivered with what the engine stored, once, after the end. Lines that only the
 * engine has become `log` observations too; lines that it lacks are named in `log.complete`. Of output that was too much
 * to be kept the last lines are compared. Memory is bounded whatever the engine stored.
 */
export async function completeLogs(container: RunningContainer, recorder: Recorder, logs: LogLines): Promise<void> {
  const whole = streams.every(logs.whole);
  for (let read = 1; ; read += 1) {
    const stored = await readStored(container, recorder, logs);
    const differences = streams.map((stream) => ({
      stream,
      ...differenceOf(logs, stream, stored.lines[stream], whole),
    }));
    const missing = differences.flatMap((difference) => difference.missing);
    if (missing.length > 0 && read < LOG_READS) {
      await sleep(LOG_PAUSE_MS);
      continue;
    }
    for (const [stream, what] of stored.leftOut) if (logs.whole(stream)) recordLeftOut(recorder, stream, what);
    for (const { stream, extra, held } of differences) {
      logs.settle(stream, held);
      for (const text of extra) recorder.record({ kind: 'log', stream, text });
    }
    const [stdout = 0, stderr = 0] = differences.map(({ compared }) => compared);
    recorder.record({
      kind: 'log.complete',
      attachedLines: logs.lines,
      storedLines: stored.count,
      missing,
      ...(whole ? {} : { comparedLast: { stdout, stderr } }),
      ...(logs.open ? { attachedOpen: true } : {}),
    });
    return;
  }
}

async function readStored(container: RunningContainer, recorder: Recorder, logs: LogLines): Promise<Stored> {
  const lines: Record<Stream, string[]> = { stdout: [], stderr: [] };
  const leftOut: [Stream, LeftOut][] = [];
  const whole = streams.every(logs.whole);
  let partials = 0;
  const budget = (stream: Stream) => (whole ? WHOLE : logs.whole(stream) ? QUIET_END : END);
  const keeper = (stream: Stream): LineKeeper =>
    new LineKeeper(budget(stream), {
      line: (line) => {
        if (line.partial) partials += 1;
        lines[stream].push(shownLine(line, recorder.mask).text);
      },
      leftOut: (what) => leftOut.push([stream, what]),
    });
  const keepers = { stdout: keeper('stdout'), stderr: keeper('stderr') };
  const entries = whole ? [] : [END_ENTRIES];
  await container.logs((stream, chunk) => keepers[stream].accept(chunk, recorder.now()), ...entries);
  for (const stream of streams) keepers[stream].end();
  return { lines, leftOut, count: keepers.stdout.newlines + keepers.stderr.newlines + partials };
}

/** Docker stores a replacement for each byte that is no UTF-8, and we read one for each broken character. */
function comparable(line: string): string {
  return line.replace(/\ufffd+/g, '\ufffd');
}

/**
 * What one stream lacks on one side. A line that came without its newline goes with the rest, unless a stored line that
 * was not delivered begins with it: then that one is the line, and the piece is dropped.
 */
function differenceOf(
  logs: LogLines,
  stream: Stream,
  stored: readonly string[],
  all: boolean,
): Difference & { readonly held: 'write' | 'drop' } {
  const compare = (attached: readonly string[]): Difference => {
    if (all) return compareAll(attached, stored);
    return logs.whole(stream)
      ? compareQuiet(attached, stored, logs.long(stream))
      : compareEnds(attached, stored, logs.open);
  };
  const attached = logs.last(stream);
  const held = logs.held(stream);
  if (held === undefined) return { ...compare(attached), held: 'drop' };
  const without = compare(attached);
  const piece = comparable(held);
  // the last character may have been cut too
  const begin = piece.replace(/\ufffd$/, '');
  const goesOn = (line: string): boolean => line.startsWith(begin) && (logs.open || line !== piece);
  if (without.extra.map(comparable).some(goesOn)) return { ...without, held: 'drop' };
  return { ...compare([...attached, held]), held: 'write' };
}

/** As multisets: each stored line covers one attached line. */
function compareAll(attached: readonly string[], stored: readonly string[]): Difference {
  const unmatched = new Map<string, string[]>();
  for (const line of stored) {
    const key = comparable(line);
    const same = unmatched.get(key);
    if (same) same.push(line);
    else unmatched.set(key, [line]);
  }
  const missing = attached.filter((line) => unmatched.get(comparable(line))?.pop() === undefined);
  return { missing, extra: [...unmatched.values()].flat(), compared: attached.length };
}

/**
 * The last lines of both. The first stored one may be the rest of a line; more stored lines than attached ones are asked
 * for, so that a line that is on one side only does not push another out of sight. Where the attached output was open, all
 * that was stored may be later than what was delivered.
 */
function compareEnds(attached: readonly string[], stored: readonly string[], open: boolean): Difference {
  const whole = stored.slice(1);
  const final = attached.at(-1);
  const at = final === undefined ? -1 : whole.map(comparable).lastIndexOf(comparable(final));
  const compared = Math.min(attached.length, at < 0 ? whole.length : at + 1);
  const { missing } = compareAll(attached.slice(attached.length - compared), whole);
  if (open && missing.length === compared) return { missing: [], extra: whole, compared: whole.length };
  const extra = at < 0 ? [] : whole.slice(at + 1);
  return { missing, extra, compared: compared + extra.length };
}

/**
 * A stream of which all was kept with the end of what was stored of it, as multisets from the end. Attached lines before
 * the first that is stored were not asked for. The first stored one is the rest of a line only where a long one was cut.
 */
function compareQuiet(attached: readonly string[], stored: readonly string[], long: boolean): Difference {
  const { missing, extra } = compareAll(attached.toReversed(), stored);
  const lacking = Map.groupBy(missing, comparable);
  // of equal lines the last ones are matched, so those that are not come first
  const isMissing = attached.map((line) => lacking.get(comparable(line))?.pop() !== undefined);
  const first = isMissing.indexOf(false);
  const compared = first < 0 ? 0 : attached.length - first;
  const torn = long && extra[0] !== undefined && extra[0] === stored[0];
  const added = torn ? extra.slice(1) : extra;
  return {
    missing: first < 0 ? [] : attached.filter((_, index) => index > first && isMissing[index]),
    extra: added,
    compared: compared + added.length,
  };
}
