import { describe, expect, it } from 'vitest';
import { sum, totalsOfExit, totalsOfVitest } from './totals.ts';

const report = (numPassedTests: number, numFailedTests: number) => JSON.stringify({ numPassedTests, numFailedTests });

describe('totals of a vitest run', () => {
  it.each([
    ['all passed', report(3, 0), 0, { passed: 3, failed: 0 }],
    ['some failed', report(3, 2), 1, { passed: 3, failed: 2 }],
    ['a file that does not load', report(3, 0), 1, { passed: 3, failed: 1 }],
    ['no test at all', report(0, 0), 0, { passed: 0, failed: 1 }],
    ['killed', report(3, 0), null, { passed: 3, failed: 1 }],
    ['no report', undefined, 0, { passed: 0, failed: 1 }],
    ['a report cut short', '{"numPassedTests": 3', 0, { passed: 0, failed: 1 }],
    ['a report of something else', '[]', 0, { passed: 0, failed: 1 }],
  ] as const)('%s', (_title, text, exitCode, expected) => {
    expect(totalsOfVitest(text, exitCode)).toEqual(expected);
  });
});

it('a step without tests counts as one', () => {
  expect(sum([0, 1, null].map(totalsOfExit))).toEqual({ passed: 1, failed: 2 });
});
