import { describe, expect, it } from 'vitest';
import type { RunningContainer } from '../engine/driver.ts';
import type { Observation } from '../model/observation.ts';
import { completeLogs } from './complete-logs.ts';
import { recordLogLines } from './log-lines.ts';
import { createRecorder } from './recorder.ts';

const flood = Array.from({ length: 100_000 }, (_, index) => `line ${index}\n`).join('');

/** Stdout is flooded; of stderr this was attached, and this is within the end of the stored log. */
async function compared(attached: string, stored: string) {
  const seen: Observation[] = [];
  let now = 0;
  const sink = { append: (entry: Observation) => seen.push(entry), close: () => undefined };
  const recorder = createRecorder(sink, () => (now += 1), []);
  const logs = recordLogLines(recorder);
  logs.accept('stderr', Buffer.from(attached));
  logs.accept('stdout', Buffer.from(flood));
  logs.finish('ended');
  const before = seen.length;
  const read: RunningContainer['logs'] = async (listener) => {
    listener('stdout', Buffer.from(flood.slice(-20_000)));
    listener('stderr', Buffer.from(stored));
  };
  await completeLogs({ logs: read } as RunningContainer, recorder, logs);
  const added = seen.slice(before, -1).map((o) => (o.kind === 'log' ? `${o.stream} ${o.text}` : o.kind));
  return { added, complete: seen.at(-1) };
}

describe('a quiet stream beside a flooded one', () => {
  it.each([
    ['stored lines become log lines where none was attached', '', 'deadline exceeded\n', [], ['deadline exceeded'], 1],
    ['one line on both sides was compared', 'completed\n', 'completed\n', [], [], 1],
    ['a stored line after the attached ones becomes a log line', 'ready\n', 'ready\nlate\n', [], ['late'], 2],
    ['a stored line between the attached ones becomes a log line', 'a\nb\n', 'a\nx\nb\n', [], ['x'], 3],
    ['lines before the end that was read are not missing', 'ready\nlast\n', 'last\n', [], [], 1],
    ['equal lines are compared from the end', 'tick\ntick\ntick\n', 'tick\n', [], [], 1],
    ['a lost last line is named', 'ready\nlast\n', 'ready\n', ['last'], [], 2],
    ['nothing was compared where nothing was within the end', 'ready\n', '', [], [], 0],
    ['the rest of a long line is no line', `${'x'.repeat(20_000)}\nlast\n`, `${'x'.repeat(99)}\nlast\n`, [], [], 1],
    ['a line that broke off is the stored one', 'ready\nrecei', 'ready\nreceived\n', [], ['received'], 2],
  ])('%s', async (_, attached, stored, missing, added, stderr) => {
    const result = await compared(attached, stored);
    expect(result.added).toEqual(added.map((text) => `stderr ${text}`));
    expect(result.complete).toMatchObject({ kind: 'log.complete', missing, comparedLast: { stderr } });
  });

  it('says so where even of it more was stored than is read', async () => {
    const { added } = await compared('', `${'y'.repeat(1000)}\n`.repeat(1500));
    expect(added[0]).toBe('log.left-out');
  });
});
