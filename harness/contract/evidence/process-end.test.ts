import { describe, expect, it } from 'vitest';
import { at, exit, history, started } from '../../judge/testing/history-builder.ts';
import type { Entry } from '../../judge/testing/history-builder.ts';
import { processEnd } from './process-end.ts';

const end = (...entries: readonly Entry[]): ReturnType<typeof processEnd> =>
  processEnd(history({}, started(), ...entries));

describe('the end of PID 1', () => {
  it('is the sighting of this host, where the engine does not contradict it', () => {
    expect(end(exit(50, 0, { finishedMs: 60 }))).toMatchObject({
      by: 'host',
      interval: { begin: at(1050), end: at(1050) },
    });
  });

  it("is the kernel's own stamp where that came first", () => {
    const kernel = { kind: 'process.exit', t: at(1047), pid: 100, comm: 'server', code: 0 } as const;
    expect(end(exit(50, 0), kernel)?.interval).toEqual({ begin: at(1047), end: at(1047) });
  });

  it('is the span of both clocks where they contradict each other', () => {
    const both = end(exit(50, 0, { finishedMs: 90 }));
    expect(both).toMatchObject({
      interval: { begin: at(1050), end: at(1102) },
      problem: expect.stringMatching(/disagree/),
    });
  });

  it('is the finish time of the engine with its error where this host saw nothing', () => {
    const stored = exit(50, 0).filter(({ kind }) => kind !== 'exit.seen');
    expect(end(stored)).toMatchObject({ by: 'engine', interval: { begin: at(1038), end: at(1062) } });
  });

  it('is unknown where neither has a reading', () => {
    expect(end()).toBeUndefined();
  });
});
