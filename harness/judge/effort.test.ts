import { describe, expect, it } from 'vitest';
import type { History } from '../model/history.ts';
import { effortOf } from './effort.ts';
import { at, exit, history, signal } from './testing/history-builder.ts';
import { plan } from './testing/plan-builder.ts';

const startedAt = '2026-12-01T00:00:00Z';
const created = { kind: 'container.created', t: at(1), id: 'c', name: 'c' } as const;

/** A history whose t = 0 was so many ms after the start of the run. */
const begun = (afterMs: number, made: History): History => ({
  ...made,
  header: {
    ...made.header,
    origin: { monotonic: '0', realtime: String(BigInt(Date.parse(startedAt) + afterMs) * 1_000_000n) },
  },
});

describe('what a run cost', () => {
  const engine = { ...history({}).header.engine };
  const of = (more: readonly History[], helperSha256?: string) => {
    const planned = plan([]);
    const harness = helperSha256 === undefined ? planned.harness : { ...planned.harness, helperSha256 };
    return effortOf({ ...planned, engines: [engine], harness }, more);
  };

  it('counts containers that were made, the repeated ones among them, and the holder', () => {
    const first = begun(500, history({}, created, ...signal(), ...exit(20, 0)));
    const again = begun(1500, history({ cell: { sample: 2 } }, created, ...signal(), ...exit(20, 0)));
    const refused = begun(900, history({}));
    expect(of([first, again, refused], 'abc').engines).toEqual([{ engine: 'docker', containers: 3, repeated: 1 }]);
    expect(of([first]).engines).toEqual([{ engine: 'docker', containers: 1, repeated: 0 }]);
  });

  it('lasts until the last observation of all', () => {
    const first = begun(500, history({}, created, ...signal(), ...exit(20, 0)));
    expect(of([first]).durationMs).toBe(500 + 1050);
    expect(of([]).durationMs).toBe(0);
  });
});
