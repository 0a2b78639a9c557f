import { setTimeout as sleep } from 'node:timers/promises';
import type { ContainerState, RunningContainer } from '../engine/driver.ts';
import { EngineError } from '../model/errors.ts';
import type { Nanoseconds } from '../model/time.ts';
import { plain } from './log-lines.ts';
import type { Recorder } from './recorder.ts';

/** An engine that still shows a dead process as running after this long has not reaped it (DKR-06). */
const REAP_LIMIT_MS = 15_000;
/** How often the stored log is read again while lines are missing (LOG-06: up to 3 times over 2 s). */
const LOG_READS = 4;
const LOG_PAUSE_MS = 600;

/** The exit state as the engine gives it once it no longer shows the container as running. Records `exit.state`. */
export async function recordExitState(
  container: RunningContainer,
  recorder: Recorder,
  fromEngine: (ns: bigint) => Nanoseconds,
): Promise<ContainerState> {
  const start = recorder.now();
  let state = await container.inspect();
  while (state.running) {
    if ((recorder.now() - start) / 1e6 > REAP_LIMIT_MS) {
      throw new EngineError(
        `container ${container.name}: its PID 1 is gone, but after ${REAP_LIMIT_MS} ms the engine still shows it as ${state.status}`,
      );
    }
    await sleep(20);
    state = await container.inspect();
  }
  const kills = recorder.observations.findLast((seen) => seen.kind === 'oom');
  recorder.record({
    kind: 'exit.state',
    running: state.running,
    status: state.status,
    oomKilled: state.oomKilled,
    ...(state.exitCode === undefined ? {} : { exitCode: state.exitCode }),
    ...(kills?.kind === 'oom' ? { cgroupOomKills: kills.kills } : {}),
    ...(state.startedAtNs === undefined ? {} : { startedAt: fromEngine(state.startedAtNs) }),
    ...(state.finishedAtNs === undefined ? {} : { finishedAt: fromEngine(state.finishedAtNs) }),
    ...(state.error ? { error: state.error } : {}),
  });
  return state;
}

/** The engine's events of this container, from its creation. Records one `engine.event` each. */
export async function recordEngineEvents(
  container: RunningContainer,
  recorder: Recorder,
  fromEngine: (ns: bigint) => Nanoseconds,
): Promise<void> {
  for (const event of await container.events()) {
    recorder.record({
      kind: 'engine.event',
      action: event.action,
      at: fromEngine(event.atNs),
      ...(event.signal === undefined ? {} : { signal: event.signal }),
      ...(event.exitCode === undefined ? {} : { exitCode: event.exitCode }),
    });
    if (event.action === 'oom') recorder.record({ kind: 'oom', source: 'event', kills: 1 });
  }
}

/**
 * Compare what the attached stream delivered with what the engine stored, once, after the end. Lines that only the
 * engine has become `log` observations too; lines that it lacks are named in `log.complete`.
 */
export async function completeLogs(container: RunningContainer, recorder: Recorder): Promise<void> {
  for (let read = 1; ; read += 1) {
    const stored = await container.logs();
    const lines = { stdout: toLines(stored.stdout, recorder), stderr: toLines(stored.stderr, recorder) };
    const attached = recorder.observations.filter((seen) => seen.kind === 'log');
    const missing = attached.filter((line) => !take(lines[line.stream], line.text)).map((line) => line.text);
    if (missing.length > 0 && read < LOG_READS) {
      await sleep(LOG_PAUSE_MS);
      continue;
    }
    for (const stream of ['stdout', 'stderr'] as const) {
      for (const text of lines[stream].keys()) recorder.record({ kind: 'log', stream, text });
    }
    const storedLines = toCount(stored.stdout) + toCount(stored.stderr);
    recorder.record({ kind: 'log.complete', attachedLines: attached.length, storedLines, missing });
    return;
  }
}

/** As a multiset, masked like the attached lines, or each line with a secret would be missing on both sides. */
function toLines(output: Buffer, recorder: Recorder): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of split(output).map(recorder.mask)) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

function toCount(output: Buffer): number {
  return split(output).length;
}

function split(output: Buffer): string[] {
  const lines = output.toString('utf8').split('\n').map(plain);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Take one occurrence of a line out of the multiset; false when it holds none. */
function take(lines: Map<string, number>, line: string): boolean {
  const count = lines.get(line);
  if (count === undefined) return false;
  if (count === 1) lines.delete(line);
  else lines.set(line, count - 1);
  return true;
}
