/** What a step of `npm test` counts. */
export interface Totals {
  readonly passed: number;
  readonly failed: number;
}

/** What is read of a vitest JSON report. */
interface VitestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
}

const isVitestReport = (value: unknown): value is VitestReport =>
  typeof value === 'object' &&
  value !== null &&
  Number.isInteger((value as VitestReport).numPassedTests) &&
  Number.isInteger((value as VitestReport).numFailedTests);

/** A step without tests of its own counts as one. */
export const totalsOfExit = (exitCode: number | null): Totals =>
  exitCode === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };

/**
 * Counts a run of vitest. A run that failed without a failed test (a file that does not load, an error outside of any
 * test, no test at all, no report) counts as one failure more, so that it can never look like a pass.
 * @param report text of the JSON report; undefined when there is none
 */
export function totalsOfVitest(report: string | undefined, exitCode: number | null): Totals {
  let value: unknown;
  try {
    value = report === undefined ? undefined : JSON.parse(report);
  } catch {
    value = undefined;
  }
  if (!isVitestReport(value)) return { passed: 0, failed: 1 };
  const { numPassedTests: passed, numFailedTests: failed } = value;
  const silent = failed === 0 && (exitCode !== 0 || passed === 0);
  return { passed, failed: silent ? 1 : failed };
}

export const sum = (all: readonly Totals[]): Totals => ({
  passed: all.reduce((total, { passed }) => total + passed, 0),
  failed: all.reduce((total, { failed }) => total + failed, 0),
});
