import type { Finding } from '../model/clause.ts';
import type { Outcome } from '../model/verdict.ts';

/** The one severity order (architecture rule 5). Waived stands beside it: a waiver is applied after merging. */
const SEVERITY: readonly Finding['outcome'][] = ['fail', 'inconclusive', 'pass', 'not exercised'];

/** The outcome of several: the first in the order fail > inconclusive > pass > not exercised. Of none: not exercised. */
export function mergeOutcomes(outcomes: readonly Finding['outcome'][]): Exclude<Outcome, 'waived'> {
  return SEVERITY.find((outcome) => outcomes.includes(outcome)) ?? 'not exercised';
}

/** The finding that decides among several cells or repeats: the first of the most severe outcome. */
export function decisive<T extends Pick<Finding, 'outcome'>>(findings: readonly T[]): T | undefined {
  const outcome = mergeOutcomes(findings.map((finding) => finding.outcome));
  return findings.find((finding) => finding.outcome === outcome);
}

/**
 * The finding that decides among the samples of one cell, in the order they were taken (rule 4): any fail decides fail;
 * a conclusive sample supersedes those that were inconclusive by timing alone; nothing else is improved by repetition.
 * A repetition alone that could not exercise the clause leaves nothing open that measuring again could close.
 */
export function decisiveSample<T extends Pick<Finding, 'outcome' | 'timing'>>(samples: readonly T[]): T | undefined {
  const exercised = samples.filter((finding) => finding.outcome !== 'not exercised');
  const solid = exercised.filter((finding) => finding.outcome !== 'inconclusive' || finding.timing !== true);
  return solid.length > 0 ? decisive(solid) : samples.at(-1);
}
