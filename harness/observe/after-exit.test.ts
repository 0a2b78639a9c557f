import { describe, expect, it } from 'vitest';
import type { ContainerState, RunningContainer } from '../engine/driver.ts';
import type { Observation } from '../model/observation.ts';
import { completeLogs, recordExitState } from './after-exit.ts';
import { recordLogLines } from './log-lines.ts';
import { createRecorder } from './recorder.ts';

function recorder(secrets: readonly string[] = []) {
  const seen: Observation[] = [];
  let now = 0;
  return {
    seen,
    made: createRecorder({ append: (entry) => seen.push(entry), close: () => undefined }, () => (now += 1), secrets),
  };
}

function storing(stdout: string, stderr = ''): RunningContainer {
  return { logs: async () => ({ stdout: Buffer.from(stdout), stderr: Buffer.from(stderr) }) } as RunningContainer;
}

describe('the stored log against the attached stream', () => {
  it.each([
    ['the same', 'one\ntwo\n', 'one\ntwo\n', [], 2],
    ['a line only the engine has becomes a log line too', 'one\n', 'one\ntwo\n', [], 2],
    ['colours do not count as a difference', '\u001b[1mone\u001b[0m\n', '\u001b[1mone\u001b[0m\n', [], 1],
    ['a line said twice is not covered by one stored', 'one\none\n', 'one\n', ['one'], 2],
    ['a lost last line is named', 'one\nlast\n', 'one\n', ['last'], 2],
  ])('%s', async (_, attached, stored, missing, lines) => {
    const { made, seen } = recorder();
    recordLogLines(made).accept('stdout', Buffer.from(attached));
    await completeLogs(storing(stored), made);
    expect(seen.at(-1)).toMatchObject({ kind: 'log.complete', missing });
    expect(seen.filter(({ kind }) => kind === 'log')).toHaveLength(lines);
  });

  it('a line with a declared secret is the same line on both sides, and is written on neither', async () => {
    const { made, seen } = recorder(['hunter2']);
    recordLogLines(made).accept('stdout', Buffer.from('key hunter2 loaded\n'));
    await completeLogs(storing('key hunter2 loaded\n'), made);
    expect(seen.at(-1)).toMatchObject({ kind: 'log.complete', missing: [], attachedLines: 1, storedLines: 1 });
    expect(JSON.stringify(seen)).not.toContain('hunter2');
  });
});

describe('the exit state', () => {
  it('is read again until the engine no longer shows the container as running', async () => {
    const { made, seen } = recorder();
    const states: ContainerState[] = [
      { running: true, status: 'stopping', oomKilled: false },
      { running: false, status: 'exited', exitCode: 3, oomKilled: false, finishedAtNs: 5n },
    ];
    const container = { name: 'c', inspect: async () => states.shift() } as unknown as RunningContainer;
    await recordExitState(container, made, Number);
    expect(seen).toEqual([
      expect.objectContaining({ kind: 'exit.state', exitCode: 3, status: 'exited', finishedAt: 5 }),
    ]);
  });

  it('carries the OOM kills that the cgroup counted while it ran', async () => {
    const { made, seen } = recorder();
    made.record({ kind: 'oom', source: 'cgroup', kills: 2 });
    const container = {
      name: 'c',
      inspect: async () => ({ running: false, status: 'exited', exitCode: 0, oomKilled: false }),
    } as unknown as RunningContainer;
    await recordExitState(container, made, Number);
    expect(seen.at(-1)).toMatchObject({ cgroupOomKills: 2 });
  });
});
