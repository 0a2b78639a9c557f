import { openSync, readSync } from 'node:fs';

/** Longer than any /proc/<pid>/stat: 52 numbers and a name of 15 bytes. */
const STAT_BYTES = 2048;

/** State and start time (clock ticks since boot) of a process, fields 3 and 22 of /proc/<pid>/stat. */
export function parseStat(stat: string): { readonly state: string; readonly startTicks: number } | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // the name before it may hold anything
  const [state = '', startTicks] = [fields[0], Number(fields[19])];
  return Number.isInteger(startTicks) && fields.length > 19 ? { state, startTicks } : undefined;
}

/**
 * A question that can be asked over and over: does this very process still live? Once it is no, it stays no. A zombie has
 * ended, and a process with another start time is another one that got the pid. `read` gives the text of
 * /proc/<pid>/stat and throws when there is none.
 */
export function processGuard(read: () => string): () => boolean {
  let first: number | undefined;
  let gone = false;
  return () => {
    if (gone) return false;
    try {
      const stat = parseStat(read());
      first ??= stat?.startTicks;
      gone = stat === undefined || stat.state === 'Z' || stat.state === 'X' || stat.startTicks !== first;
    } catch {
      gone = true;
    }
    return !gone;
  };
}

/**
 * Reads /proc/<pid>/stat through one descriptor that is kept open: one system call a look, since a probe looks often. The
 * end of the thread closes it.
 */
export function statReader(pid: number): () => string {
  const file = openSync(`/proc/${pid}/stat`, 'r');
  const buffer = Buffer.alloc(STAT_BYTES);
  return () => buffer.toString('latin1', 0, readSync(file, buffer, 0, STAT_BYTES, 0));
}
