import { describe, expect, it } from 'vitest';
import type { Level } from '../model/clause.ts';
import type { Fault } from '../model/report.ts';
import type { Outcome, Verdict } from '../model/verdict.ts';
import { summarise } from './summary.ts';

const verdict = (outcome: Outcome, level: Level = 'M', more: Partial<Verdict> = {}): Verdict => ({
  engine: 'docker',
  image: 'shop:1',
  clause: 'SIG-1',
  title: 't',
  requirement: 'r',
  level,
  required: false,
  outcome,
  seen: 's',
  accepted: [],
  findings: [],
  failing: 0,
  samples: 1,
  ...more,
});
const fault: Fault = { where: 'engine', engine: 'docker', message: 'died' };
const required = { required: true };
const unwaivable = { waiver: { reason: 'r', expires: '2027-01-01', expired: false, would: 'fail' as const } };

function summary(verdicts: readonly Verdict[], more: { strict?: boolean; faults?: readonly Fault[] } = {}) {
  return summarise({ strict: false, faults: [], targets: [{ verdicts }], ...more });
}

describe('exit codes', () => {
  const rows: readonly (readonly [
    string,
    number,
    readonly Verdict[],
    { strict?: boolean; faults?: readonly Fault[] }?,
  ])[] = [
    ['all MUST passed', 0, [verdict('pass'), verdict('pass', 'S')]],
    ['a MUST failed', 1, [verdict('pass'), verdict('fail')]],
    ['a MUST failed and another is inconclusive', 1, [verdict('inconclusive'), verdict('fail')]],
    ['a SHOULD failed', 0, [verdict('pass'), verdict('fail', 'S')]],
    ['a SHOULD failed, strictly', 1, [verdict('pass'), verdict('fail', 'S')], { strict: true }],
    ['a recorded clause failed, strictly', 0, [verdict('pass'), verdict('fail', 'r')], { strict: true }],
    ['a MUST is inconclusive', 2, [verdict('pass'), verdict('inconclusive')]],
    ['a SHOULD is inconclusive', 0, [verdict('pass'), verdict('inconclusive', 'S')]],
    ['a SHOULD is inconclusive, strictly', 2, [verdict('pass'), verdict('inconclusive', 'S')], { strict: true }],
    ['a recorded clause is inconclusive', 0, [verdict('pass'), verdict('inconclusive', 'r')], { strict: true }],
    ['a required clause was not exercised', 2, [verdict('pass'), verdict('not exercised', 'M', required)]],
    ['another one was not exercised', 0, [verdict('pass'), verdict('not exercised')]],
    ['a required clause is waived', 0, [verdict('pass'), verdict('waived', 'M', { ...required, ...unwaivable })]],
    ['a SHOULD that was asked for failed: it was exercised', 0, [verdict('pass'), verdict('fail', 'S', required)]],
    ['nothing was exercised', 3, [verdict('not exercised', 'M', required)]],
    ['nothing was planned', 3, []],
    ['only recorded clauses were judged', 3, [verdict('pass', 'r')]],
    ['an engine broke', 70, [verdict('pass')], { faults: [fault] }],
    ['an engine broke and a MUST failed', 70, [verdict('fail')], { faults: [fault] }],
    ['an engine broke before anything', 70, [], { faults: [fault] }],
  ];
  for (const [promise, exitCode, verdicts, more] of rows) {
    it(`${promise}: ${exitCode}`, () => {
      const found = summary(verdicts, more);
      expect(found.exitCode).toBe(exitCode);
      const names = { 0: 'qualified', 1: 'not qualified', 2: 'inconclusive', 3: 'nothing judged', 70: 'fault' };
      expect(found.outcome).toBe(names[exitCode as keyof typeof names]);
      expect(found.reasons.length).toBeGreaterThan(0);
    });
  }
});

describe('the numbers', () => {
  it('count MUST clauses and the rate of inconclusive ones', () => {
    const found = summary([
      verdict('pass'),
      verdict('inconclusive'),
      verdict('not exercised'),
      verdict('waived', 'M', unwaivable),
      verdict('fail', 'S'),
      verdict('inconclusive', 'r'),
    ]);
    expect(found).toMatchObject({ mustExercised: 3, mustTotal: 4, inconclusiveRate: 0.25 });
    expect(found.counts).toEqual({ pass: 1, fail: 1, inconclusive: 2, 'not exercised': 1, waived: 1 });
  });

  it('a rate of nothing is 0', () => {
    expect(summary([]).inconclusiveRate).toBe(0);
  });

  it('reasons name the worst first and keep the rest', () => {
    const found = summary([verdict('inconclusive'), verdict('fail')], { faults: [fault] });
    expect(found.reasons).toEqual([
      'engine (docker): died',
      'SIG-1 of shop:1 on docker failed: s',
      'SIG-1 of shop:1 on docker is inconclusive: s',
    ]);
  });
});
