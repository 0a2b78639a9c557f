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
  const compare = logs.whole ? compareAll : compareEnds;
  for (let read = 1; ; read += 1) {
    const stored = await readStored(container, recorder, logs.whole);
    const differences = streams.map((stream) => ({ stream, ...compare(logs.last(stream), stored.lines[stream]) }));
    const missing = differences.flatMap((difference) => difference.missing);
    if (missing.length > 0 && read < LOG_READS) {
      await sleep(LOG_PAUSE_MS);
      continue;
    }
    if (logs.whole) for (const [stream, what] of stored.leftOut) recordLeftOut(recorder, stream, what);
    for (const { stream, extra } of differences) {
      for (const text of extra) recorder.record({ kind: 'log', stream, text });
    }
    const [stdout = 0, stderr = 0] = differences.map(({ compared }) => compared);
    recorder.record({
      kind: 'log.complete',
      attachedLines: logs.lines,
      storedLines: stored.count,
      missing,
      ...(logs.whole ? {} : { comparedLast: { stdout, stderr } }),
    });
    return;
  }
}

async function readStored(container: RunningContainer, recorder: Recorder, whole: boolean): Promise<Stored> {
  const lines: Record<Stream, string[]> = { stdout: [], stderr: [] };
  const leftOut: [Stream, LeftOut][] = [];
  let partials = 0;
  const keeper = (stream: Stream): LineKeeper =>
    new LineKeeper(whole ? WHOLE : END, {
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
 * for, so that a line that is on one side only does not push another out of sight.
 */
function compareEnds(attached: readonly string[], stored: readonly string[]): Difference {
  const whole = stored.slice(1);
  const final = attached.at(-1);
  const at = final === undefined ? -1 : whole.map(comparable).lastIndexOf(comparable(final));
  const compared = Math.min(attached.length, at < 0 ? whole.length : at + 1);
  const { missing } = compareAll(attached.slice(attached.length - compared), whole);
  const extra = at < 0 ? [] : whole.slice(at + 1);
  return { missing, extra, compared: compared + extra.length };
}
