import { describe, expect, it } from 'vitest';
import type { History } from '../model/history.ts';
import type { Outcome, Verdict } from '../model/verdict.ts';
import { judgeRun } from './judge.ts';
import { decisive, decisiveSample, mergeOutcomes } from './merge.ts';
import {
  at,
  cellOf,
  exit,
  gracefulStop,
  history,
  line,
  logComplete,
  ready,
  RECEIVED,
  signal,
} from './testing/history-builder.ts';
import type { Setting } from './testing/history-builder.ts';
import { instrument, plan } from './testing/plan-builder.ts';

const stop = (afterMs: number, code = 0) => [ready(), ...signal(), ...exit(afterMs, code)];
const sample = (n: number, afterMs: number, code = 0, setting: Setting = {}): History =>
  history(
    { ...setting, cell: { sample: n, lane: n === 1 ? 'shared' : 'alone', path: `s${n}` } },
    ...stop(afterMs, code),
  );

function verdict(histories: readonly History[], setting: Setting = {}, clause = 'SIG-1'): Verdict {
  const run = judgeRun(plan([cellOf(setting)], setting), [...instrument(), ...histories]);
  const found = run.targets[0]?.verdicts.find((v) => v.clause === clause);
  if (!found) throw new Error(`no verdict on ${clause}`);
  return found;
}

describe('merging', () => {
  it.each<readonly [readonly Exclude<Outcome, 'waived'>[], Outcome]>([
    [['pass', 'fail', 'inconclusive'], 'fail'],
    [['pass', 'inconclusive', 'not exercised'], 'inconclusive'],
    [['not exercised', 'pass'], 'pass'],
    [['not exercised'], 'not exercised'],
    [[], 'not exercised'],
  ])('%j is %s', (outcomes, merged) => {
    expect(mergeOutcomes(outcomes)).toBe(merged);
    expect(mergeOutcomes(outcomes.toReversed())).toBe(merged);
  });

  it('of several the first of the worst decides', () => {
    const list = [{ outcome: 'pass' }, { outcome: 'fail', n: 1 }, { outcome: 'fail', n: 2 }] as const;
    expect(decisive(list)).toBe(list[1]);
    expect(decisive([])).toBeUndefined();
    expect(decisiveSample([])).toBeUndefined();
  });
});

describe('samples of one cell (rule 4)', () => {
  const [pass, fail, undecided, open] = [50, 1500, 1000, undefined] as const;
  const one = (n: number, afterMs: number | undefined): History =>
    afterMs === undefined ? history({ cell: { sample: n } }, ready(), ...signal()) : sample(n, afterMs);
  it.each<readonly [string, readonly (number | undefined)[], Outcome, number]>([
    ['a pass supersedes an undecided limit', [undecided, pass], 'pass', 0],
    ['any fail decides fail', [undecided, fail, pass], 'fail', 1],
    ['a fail after a pass still decides', [undecided, pass, fail], 'fail', 1],
    ['undecided to the end is inconclusive', [undecided, undecided, undecided], 'inconclusive', 0],
    ['nothing but timing is improved by repetition', [open, pass], 'inconclusive', 0],
  ])('%s', (_, samples, outcome, failing) => {
    const histories = samples.map((afterMs, i) => one(i + 1, afterMs));
    const expected = { outcome, failing, samples: samples.length };
    expect(verdict(histories)).toMatchObject(expected);
    expect(verdict(histories.toReversed())).toMatchObject(expected);
  });

  it('a repetition alone that could not exercise the clause supersedes an undecided limit, and nothing else', () => {
    const list = [{ outcome: 'inconclusive', timing: true }, { outcome: 'not exercised' }] as const;
    expect(decisiveSample(list)).toBe(list[1]);
    expect(decisiveSample([{ outcome: 'fail' }, list[1]])).toEqual({ outcome: 'fail' });
    expect(decisiveSample([{ outcome: 'inconclusive' }, list[1]])).toEqual({ outcome: 'inconclusive' });
    expect(decisiveSample(list.toReversed())).toBe(list[0]);
    expect(decisiveSample([list[1], { outcome: 'pass' }])).toEqual({ outcome: 'pass' });
    expect(decisiveSample([list[1]])).toBe(list[1]);
  });

  it('keeps every sample with its history and lane', () => {
    const { findings } = verdict([sample(1, 1000), sample(2, 50)]);
    expect(findings.map((f) => [f.history, f.lane, f.outcome])).toEqual([
      ['s1', 'shared', 'inconclusive'],
      ['s2', 'alone', 'pass'],
    ]);
  });
});

describe('cells and repeats', () => {
  const setting: Setting = { clauses: ['SIG-4'] };
  const cells = [
    cellOf(setting),
    cellOf({ ...setting, values: { signal: 'INT' } }),
    cellOf({ ...setting, cell: { repeat: 2 } }),
  ];
  const logged = [ready(), ...signal(), line(1, RECEIVED), ...exit(9, 0), logComplete()];
  const interrupt = [ready(), ...signal('INT'), line(1, RECEIVED), ...exit(9, 0), logComplete()];
  const histories = [
    history(setting, ...logged),
    history({ ...setting, values: { signal: 'INT' } }, ...interrupt),
    history({ ...setting, cell: { repeat: 2 } }, ...logged),
  ];

  it('the worst decides, the count says how many', () => {
    const run = judgeRun(plan(cells), [...instrument(), ...histories]);
    expect(run.targets[0]?.verdicts).toHaveLength(1);
    expect(run.targets[0]?.verdicts[0]).toMatchObject({
      outcome: 'fail',
      failing: 1,
      samples: 3,
      level: 'M',
      required: true,
    });
    expect(run.faults).toEqual([]);
  });

  it('a planned cell without a history is inconclusive and a gap', () => {
    const run = judgeRun(plan(cells), [...instrument(), ...histories.filter((_, i) => i !== 1)]);
    expect(run.targets[0]?.verdicts[0]).toMatchObject({
      outcome: 'inconclusive',
      seen: expect.stringContaining('no history'),
    });
    expect(run.faults).toEqual([
      expect.objectContaining({ where: 'harness', message: expect.stringContaining('SIG-4 was planned') }),
    ]);
  });

  it('a history that was not asked what the plan asks is a gap too', () => {
    const run = judgeRun(plan([cellOf({ clauses: ['SIG-1', 'IMG-2'] })]), [
      ...instrument(),
      history({}, ...gracefulStop()),
    ]);
    expect(run.targets[0]?.verdicts.map((v) => [v.clause, v.outcome])).toEqual([
      ['IMG-2', 'inconclusive'],
      ['SIG-1', 'pass'],
    ]);
    expect(run.faults).toHaveLength(1);
  });

  it('a cell that cannot speak about a clause owes nothing', () => {
    const run = judgeRun(plan([cellOf({ clauses: ['SIG-1', 'SIG-2', 'SIG-3'] })]), [
      ...instrument(),
      history({ clauses: ['SIG-1', 'SIG-2', 'SIG-3'] }, ...gracefulStop()),
    ]);
    expect(run.targets[0]?.verdicts.map((v) => [v.clause, v.outcome])).toEqual([
      ['SIG-1', 'pass'],
      ['SIG-2', 'not exercised'],
    ]);
    expect(run.faults).toEqual([]);
  });

  it('what the plan says cannot be exercised says what to declare', () => {
    const unexercised = [{ clause: 'DLN-2', reason: 'no http port is known', declare: 'port: 8080' }];
    const run = judgeRun(plan([cellOf()], {}, { unexercised }), [...instrument(), history({}, ...gracefulStop())]);
    expect(run.targets[0]?.verdicts[1]).toMatchObject({
      clause: 'DLN-2',
      outcome: 'not exercised',
      seen: 'no http port is known',
      declare: 'port: 8080',
      required: true,
    });
  });
});

describe('waivers', () => {
  const waived = (expires: string, clause = 'SIG-1'): Setting => ({
    basis: { waivers: [{ clause, reason: 'rewrite in January', expires }], judgedOn: '2026-12-01' },
  });
  it.each([
    ['a failure is waived, never passed', '2026-12-31', 1500, 'waived', 'fail'],
    ['a pass is waived too', '2026-12-31', 50, 'waived', 'pass'],
    ['the day of expiry still counts', '2026-12-01', 1500, 'waived', 'fail'],
    ['from the day after it fails', '2026-11-30', 1500, 'fail', 'fail'],
    ['an expired waiver fails even what would pass', '2026-11-30', 50, 'fail', 'pass'],
  ] as const)('%s', (_, expires, afterMs, outcome, would) => {
    const found = verdict([sample(1, afterMs)], waived(expires));
    expect(found).toMatchObject({
      outcome,
      waiver: { reason: 'rewrite in January', would, expired: outcome === 'fail' },
    });
  });

  it('of another clause changes nothing', () => {
    expect(verdict([sample(1, 1500)], waived('2026-12-31', 'SIG-2'))).not.toHaveProperty('waiver');
  });
});

describe('the instrument', () => {
  it('an engine that misreads a SIGKILL judges nothing', () => {
    const run = judgeRun(plan([cellOf()]), [...instrument(251, 0), history({}, ...gracefulStop())]);
    expect(run.targets[0]?.verdicts[0]).toMatchObject({
      outcome: 'inconclusive',
      seen: expect.stringContaining('self-test failed'),
    });
    expect(run.health[0]?.selfTest).toEqual({ ok: false, seen: 'exit 7 read as 7, SIGKILL read as 0' });
    expect(run.faults).toEqual([expect.objectContaining({ where: 'engine', engine: 'docker' })]);
  });

  it('an engine without a self-test judges nothing, not even failures', () => {
    const run = judgeRun(plan([cellOf()]), [history({}, ...stop(1500))]);
    expect(run.targets[0]?.verdicts[0]).toMatchObject({ outcome: 'inconclusive', failing: 0 });
    expect(run.health[0]?.selfTest.ok).toBe(false);
  });

  it('the control container says how far off the measurement was', () => {
    const run = judgeRun(plan([cellOf()]), [...instrument(253), history({}, ...gracefulStop())]);
    expect(run.health[0]).toMatchObject({
      selfTest: { ok: true },
      control: { expectedMs: 250, measuredMs: 253, errorMs: 3 },
    });
  });

  it('faults on record are named once, with their history', () => {
    const fault = { kind: 'fault', t: at(1005), where: 'engine', message: 'the daemon died' } as const;
    const run = judgeRun(plan([cellOf()]), [...instrument(), history({}, ...gracefulStop(), fault, fault)]);
    expect(run.faults).toEqual([
      { where: 'engine', engine: 'docker', message: 'the daemon died', history: 'docker/shop/stop-idle' },
    ]);
  });
});

it('judging a run again from its serialised truth gives the same verdicts', () => {
  const histories = [...instrument(), sample(1, 1000), sample(2, 50)];
  const copy = JSON.parse(JSON.stringify({ plan: plan([cellOf()]), histories })) as {
    plan: ReturnType<typeof plan>;
    histories: History[];
  };
  expect(judgeRun(copy.plan, copy.histories.toReversed())).toEqual(judgeRun(plan([cellOf()]), histories));
});
