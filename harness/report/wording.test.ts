import { expect, it } from 'vitest';
import { finding, verdict } from './testing/literal-report.ts';
import { evidenceOf, formatDisturbed, formatSamples } from './wording.ts';

const failed = verdict('DRN-6', 'fail', 'S', {
  findings: [finding('fail', { evidence: [1, 2, 3, 4] }), finding('pass', { evidence: [9] })],
});

it('names every observation of each finding that decided', () => {
  expect(evidenceOf(failed)).toEqual([expect.stringMatching(/ #1 #2 #3 #4$/)]);
});

it('names no more than asked for, and how many there are besides', () => {
  expect(evidenceOf(failed, 2)).toEqual([expect.stringMatching(/ #1 #2 … 2 more$/)]);
});

const open = (disturbedBy: readonly string[] | undefined) =>
  verdict('DRN-6', 'inconclusive', 'M', {
    samples: 3,
    failing: 0,
    findings: [finding('inconclusive', disturbedBy === undefined ? {} : { disturbedBy }), finding('pass', {})],
  });

it('says what disturbed an undecided limit, or that nothing on record did, and nothing of any other verdict', () => {
  expect(formatDisturbed(open(['the harness was held up for 40 ms', 'x']))).toBe(
    'the harness was held up for 40 ms; x',
  );
  expect(formatDisturbed(open([]))).toBe('by nothing on record');
  expect(formatDisturbed(open(undefined))).toBeUndefined();
  expect(formatDisturbed(failed)).toBeUndefined();
});

it('counts samples that failed and those that are inconclusive alike', () => {
  expect(formatSamples(open([]))).toBe('0 of 3 samples failed, 1 inconclusive');
});
