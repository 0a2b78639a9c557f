import type { ProcessFact } from '../model/observation.ts';
import { within } from '../wire/within.ts';
import type { ProcessReader } from './processes.ts';

interface Line extends ProcessFact {
  readonly ev: 'snapshot' | 'process' | 'end';
}

/** A snapshot takes milliseconds. One that is not there by now is not coming, and a script waits for it. */
const LIMIT_MS = 10_000;
/** Each is a process of the engine's host, beside the one that is watched: no more often than IMG-6 asks for. */
const EVERY_MS = 20;

/**
 * A reader over what the helper's `snapshot PID tree` says of a target from its sidecar: one JSON line a process. The
 * memory cgroup of the target is not seen from there. Rejects for a snapshot without its last line, which might lack
 * processes, and for one that does not come within the limit.
 */
export function snapshotReader(snapshot: () => Promise<string>, limitMs: number = LIMIT_MS): ProcessReader {
  return {
    list: async () => parseSnapshot(await within(snapshot(), limitMs)),
    oomKills: async () => undefined,
    everyMs: EVERY_MS,
  };
}

function parseSnapshot(text: string | undefined): readonly ProcessFact[] {
  if (text === undefined) throw new Error('no snapshot of the processes came');
  return processesIn(snapshotLines<Line>(text));
}

/** The lines of a snapshot. Throws for one without its last line, which might lack some. */
export function snapshotLines<T extends { readonly ev: string }>(text: string): readonly T[] {
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const lines = whole
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T);
  if (lines.at(-1)?.ev !== 'end') throw new Error('the snapshot of the processes broke off');
  return lines;
}

/** Its processes, in the order of the container's own numbers. */
export function processesIn(lines: readonly { readonly ev: string }[]): readonly ProcessFact[] {
  return lines
    .filter((line): line is Line => line.ev === 'process')
    .map(({ ev: _, ...fact }) => fact)
    .toSorted((a, b) => a.nsPid - b.nsPid);
}
