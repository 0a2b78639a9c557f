import { describe, expect, it } from 'vitest';
import type { RunningContainer } from '../engine/driver.ts';
import type { Observation } from '../model/observation.ts';
import { completeLogs } from './complete-logs.ts';
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

/** An engine that stored this, and gives its last lines where the end is asked for. */
function storing(stdout: string, stderr = ''): RunningContainer {
  const logs: RunningContainer['logs'] = async (listener, lastEntries = Number.POSITIVE_INFINITY) => {
    for (const [stream, text] of [
      ['stdout', stdout],
      ['stderr', stderr],
    ] as const) {
      listener(
        stream,
        Buffer.from(
          text
            .split(/(?<=\n)/)
            .slice(-lastEntries)
            .join(''),
        ),
      );
    }
  };
  return { logs } as RunningContainer;
}

const linesOf = (count: number, from = 1): string =>
  Array.from({ length: count }, (_, index) => `line ${from + index}\n`).join('');

async function compared(attached: string, stored: string, secrets: readonly string[] = []) {
  const { made, seen } = recorder(secrets);
  const logs = recordLogLines(made);
  logs.accept('stdout', Buffer.from(attached));
  logs.finish('ended');
  const before = seen.length;
  await completeLogs(storing(stored), made, logs);
  return { seen, complete: seen.at(-1), added: seen.slice(before, -1) };
}

describe('the stored log against the attached stream', () => {
  it.each([
    ['the same', 'one\ntwo\n', 'one\ntwo\n', [], 2],
    ['a line only the engine has becomes a log line too', 'one\n', 'one\ntwo\n', [], 2],
    ['colours do not count as a difference', '\u001b[1mone\u001b[0m\n', '\u001b[1mone\u001b[0m\n', [], 1],
    ['a line said twice is not covered by one stored', 'one\none\n', 'one\n', ['one'], 2],
    ['a lost last line is named', 'one\nlast\n', 'one\n', ['last'], 2],
    ['broken UTF-8 may be replaced in more than one way', 'a\ufffd\n', 'a\ufffd\ufffd\n', [], 1],
  ])('%s', async (_, attached, stored, missing, lines) => {
    const { seen, complete } = await compared(attached, stored);
    expect(complete).toMatchObject({ kind: 'log.complete', missing });
    expect(seen.filter(({ kind }) => kind === 'log')).toHaveLength(lines);
  });

  it('a line with a declared secret is the same line on both sides, and is written on neither', async () => {
    const { seen, complete } = await compared('key hunter2 loaded\n', 'key hunter2 loaded\n', ['hunter2']);
    expect(complete).toMatchObject({ kind: 'log.complete', missing: [], attachedLines: 1, storedLines: 1 });
    expect(JSON.stringify(seen)).not.toContain('hunter2');
  });

  it('an engine that stored far more than was attached has the first and the last of it recorded, and the rest counted', async () => {
    const { complete, added } = await compared('line 1\n', linesOf(100_000));
    expect(added[0]).toMatchObject({ kind: 'log.left-out', stream: 'stdout', lines: expect.any(Number) });
    expect(added.at(-1)).toMatchObject({ kind: 'log', text: 'line 100000' });
    expect(added.length).toBeLessThan(10_000);
    expect(complete).toMatchObject({ missing: [], attachedLines: 1, storedLines: 100_000 });
  });
});

describe('of output that was too much to be kept', () => {
  const many = linesOf(100_000);

  it.each([
    ['the last lines are compared', many, [], []],
    ['a last line that the engine lost is named', many.slice(0, -'line 100000\n'.length), ['line 100000'], []],
    ['lines that only the engine has become log lines', `${many}more\nlast\n`, [], ['more', 'last']],
    ['nothing is compared where the engine gives no whole line', 'x'.repeat(100_000), [], []],
  ])('%s', async (_, stored, missing, added) => {
    const result = await compared(many, stored);
    expect(result.complete).toMatchObject({ missing, attachedLines: 100_000 });
    expect(result.added.map((seen) => (seen.kind === 'log' ? seen.text : seen.kind))).toEqual(added);
  });

  it('says how many of the last lines were compared', async () => {
    const whole = (await compared(many, many)).complete;
    expect(whole?.kind === 'log.complete' && whole.comparedLast?.stdout).toBeGreaterThan(500);
    const none = (await compared(many, 'x'.repeat(100_000))).complete;
    expect(none).toMatchObject({ comparedLast: { stdout: 0, stderr: 0 } });
  });
});

describe('an attached stream that is still open when the stored log is read', () => {
  const stored = 'ready\nreceived reason=Terminate\ncompleted\n';

  async function open(attached: string, engine = storing(stored), secrets: readonly string[] = []) {
    const { made, seen } = recorder(secrets);
    const logs = recordLogLines(made);
    logs.accept('stdout', Buffer.from(attached));
    logs.finish('open');
    const failed = await completeLogs(engine, made, logs).catch((error: unknown) => error);
    logs.accept('stdout', Buffer.from(stored.slice(attached.length)));
    logs.finish();
    const lines = seen.flatMap((o) => (o.kind === 'log' ? [`${o.text}${o.partial ? '…' : ''}`] : []));
    return { seen, lines, failed, complete: seen.find(({ kind }) => kind === 'log.complete') };
  }

  it.each([
    ['at the end of a line', 'ready\nreceived reason=Terminate\n'],
    ['within one', 'ready\nreceived reas'],
    ['where a pattern may match already', 'ready\nreceived reason=Terminate'],
    ['before anything', ''],
  ])('each line is on record once, where it was cut %s', async (_, attached) => {
    const { lines, complete } = await open(attached);
    expect(lines).toEqual(['ready', 'received reason=Terminate', 'completed']);
    expect(complete).toMatchObject({ attachedOpen: true, missing: [], storedLines: 3 });
  });

  it('the piece that came last is missing where no stored line begins with it', async () => {
    const { lines, complete } = await open('ready\nnobody stored th', storing('ready\n'));
    expect(lines).toEqual(['ready', 'nobody stored th…']);
    expect(complete).toMatchObject({ attachedOpen: true, missing: ['nobody stored th'] });
  });

  it('the piece that came last is on record where the stored log cannot be read', async () => {
    const broken = { logs: () => Promise.reject(new Error('EPIPE')) } as unknown as RunningContainer;
    const { lines, failed } = await open('ready\nreceived reas', broken);
    expect(failed).toMatchObject({ message: 'EPIPE' });
    expect(lines).toEqual(['ready', 'received reas…']);
  });

  it('the piece that came last holds no begun secret', async () => {
    const { seen } = await open('key hunter2-', storing(''), ['hunter2-and-more']);
    expect(JSON.stringify(seen)).not.toContain('hunter2');
  });

  it('of output that was too much to be kept nothing is missing where the stored end is further on', async () => {
    const { made, seen } = recorder();
    const logs = recordLogLines(made);
    logs.accept('stdout', Buffer.from(linesOf(100_000)));
    logs.finish('open');
    await completeLogs(storing(linesOf(200_000)), made, logs);
    const last = seen.filter(({ kind }) => kind === 'log').at(-1);
    expect(last).toMatchObject({ text: 'line 200000' });
    expect(seen.at(-1)).toMatchObject({ attachedOpen: true, missing: [] });
  });
});

describe('an attached stream that broke within a line', () => {
  it('has that line on record once, as it was stored', async () => {
    const { seen, complete } = await compared('ready\nreceived reason=Te', 'ready\nreceived reason=Terminate\n');
    const texts = seen.flatMap((o) => (o.kind === 'log' ? [o.text] : []));
    expect(texts).toEqual(['ready', 'received reason=Terminate']);
    expect(complete).toMatchObject({ missing: [] });
    expect(complete).not.toHaveProperty('attachedOpen');
  });
});
