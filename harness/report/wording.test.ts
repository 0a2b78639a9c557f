import { expect, it } from 'vitest';
import { finding, verdict } from './testing/literal-report.ts';
import { evidenceOf } from './wording.ts';

const failed = verdict('DRN-6', 'fail', 'S', {
  findings: [finding('fail', { evidence: [1, 2, 3, 4] }), finding('pass', { evidence: [9] })],
});

it('names every observation of each finding that decided', () => {
  expect(evidenceOf(failed)).toEqual([expect.stringMatching(/ #1 #2 #3 #4$/)]);
});

it('names no more than asked for, and how many there are besides', () => {
  expect(evidenceOf(failed, 2)).toEqual([expect.stringMatching(/ #1 #2 … 2 more$/)]);
});
