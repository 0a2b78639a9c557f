import { describe, expect, it } from 'vitest';
import type { Observation } from '../model/observation.ts';
import { recordLogLines } from './log-lines.ts';
import { createRecorder } from './recorder.ts';

function recorder(secrets: readonly string[] = []) {
  const written: Observation[] = [];
  let now = 0;
  const made = createRecorder(
    { append: (seen) => written.push(seen), close: () => undefined },
    () => (now += 10),
    secrets,
  );
  return { made, written };
}

describe('the recorder', () => {
  it('numbers what it writes, keeps the time of the source, and gives its own where there is none', () => {
    const { made, written } = recorder();
    made.record({ kind: 'stall', t: 7, lateMs: 1 });
    made.record({ kind: 'wait', describe: 'a thing' });
    expect(written.map(({ seq, t }) => [seq, t])).toEqual([
      [1, 7],
      [2, 10],
    ]);
  });

  it('masks declared secrets in every text, however deep, the longest first', () => {
    const { made, written } = recorder(['hunter2', 'hunter2-long', '']);
    made.record({
      kind: 'processes',
      moment: 'ready',
      list: [
        {
          pid: 1,
          nsPid: 1,
          ppid: 0,
          comm: 'app',
          args: ['--key=hunter2-long', 'hunter2'],
          state: 'S',
          threads: 1,
          caught: '0',
          ignored: '0',
          blocked: '0',
        },
      ],
    });
    expect(JSON.stringify(written)).not.toContain('hunter2');
    expect(JSON.stringify(written)).toContain('"--key=***","***"');
  });

  it('writes nothing after it was closed', () => {
    const { made, written } = recorder();
    made.close();
    made.record({ kind: 'wait', describe: 'late' });
    expect(written).toEqual([]);
  });
});

describe('log lines', () => {
  const lines = (
    feed: (accept: (stream: 'stdout' | 'stderr', text: string | Buffer) => void) => void,
  ): Observation[] => {
    const { made, written } = recorder();
    const log = recordLogLines(made);
    feed((stream, text) => log.accept(stream, Buffer.from(text)));
    log.finish();
    return written;
  };
  const texts = (seen: readonly Observation[]) =>
    seen.map((entry) => (entry.kind === 'log' ? [entry.stream, entry.text, entry.partial ?? false] : []));

  it('come out whole however the chunks are cut, each on its own stream', () => {
    const seen = lines((accept) => {
      accept('stdout', 'one\ntw');
      accept('stderr', 'err');
      accept('stdout', 'o\n');
      accept('stderr', 'or\n');
    });
    expect(texts(seen)).toEqual([
      ['stdout', 'one', false],
      ['stdout', 'two', false],
      ['stderr', 'error', false],
    ]);
  });

  it('keep a character that was cut in two', () => {
    const bytes = Buffer.from('grüße\n');
    const seen = lines((accept) => {
      accept('stdout', bytes.subarray(0, 3));
      accept('stdout', bytes.subarray(3));
    });
    expect(texts(seen)).toEqual([['stdout', 'grüße', false]]);
  });

  it('lose colours and carriage returns for matching, and keep the raw text beside it', () => {
    const [seen] = lines((accept) => accept('stdout', '\u001b[3mreason\u001b[0m=Terminate\r\n'));
    expect(seen).toMatchObject({ text: 'reason=Terminate', raw: '\u001b[3mreason\u001b[0m=Terminate\r' });
  });

  it('say when the last one has no end', () => {
    expect(texts(lines((accept) => accept('stdout', 'done\nhalf a li')))).toEqual([
      ['stdout', 'done', false],
      ['stdout', 'half a li', true],
    ]);
  });

  it('come in pieces when one would not end, so that memory holds', () => {
    const seen = lines((accept) => accept('stdout', 'x'.repeat(200_000)));
    expect(seen.length).toBeGreaterThan(3);
    expect(seen.map((entry) => (entry.kind === 'log' ? entry.text.length : 0)).reduce((a, b) => a + b)).toBe(200_000);
  });
});
