import { describe, expect, it } from 'vitest';
import type { Report } from '../harness/model/report.ts';
import { countSoak, inconclusiveRate, soakTable } from './soak-count.ts';

const report = (outcomes: Readonly<Record<string, string>>): Report =>
  ({
    targets: [
      {
        verdicts: Object.entries(outcomes).map(([clause, outcome]) => ({
          image: 'shop:1',
          engine: 'docker',
          clause,
          outcome,
        })),
      },
    ],
  }) as unknown as Report;

const expected = (_image: string, _engine: string, clause: string): string | undefined =>
  ({ 'SIG-1': 'pass', 'DRN-2': 'fail' })[clause];

describe('the count of a soak', () => {
  const reports = [
    report({ 'SIG-1': 'pass', 'DRN-2': 'fail', 'DRN-7': 'pass', 'DLN-1': 'not exercised' }),
    report({ 'SIG-1': 'inconclusive', 'DRN-2': 'pass', 'DRN-7': 'fail', 'DLN-1': 'not exercised' }),
    report({ 'SIG-1': 'fail', 'DRN-2': 'not exercised', 'DRN-7': 'pass', 'DLN-1': 'not exercised' }),
  ];
  const rows = countSoak(reports, expected);

  it('has a row for each clause that was ever exercised, with how often it came to what', () => {
    expect(rows.map(({ clause, counts }) => [clause, counts])).toEqual([
      ['SIG-1', { pass: 1, inconclusive: 1, fail: 1 }],
      ['DRN-2', { fail: 1, pass: 1, 'not exercised': 1 }],
      ['DRN-7', { pass: 2, fail: 1 }],
    ]);
  });

  it('counts as wrong what contradicts expected.yaml: never inconclusive, never what nothing is expected of', () => {
    expect(rows.map(({ clause, wrong }) => [clause, wrong])).toEqual([
      ['SIG-1', 1],
      ['DRN-2', 2],
      ['DRN-7', 0],
    ]);
  });

  it('gives the share of inconclusive verdicts among those exercised', () => {
    expect(inconclusiveRate(rows)).toBeCloseTo(1 / 8);
    expect(inconclusiveRate([])).toBe(0);
  });

  it('shows what did not pass every time, and sums up', () => {
    const steady = countSoak([report({ 'SIG-1': 'pass', 'SIG-2': 'inconclusive' })], expected);
    expect(soakTable(steady, 1)).toEqual([
      'shop:1 docker SIG-2: pass 0, fail 0, inconclusive 1, wrong 0',
      '1 passed in all 1 runs; 0 wrong verdicts; 50.0 % inconclusive',
    ]);
  });
});
