import { describe, expect, it } from 'vitest';
import type { Observation } from '../model/observation.ts';
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
