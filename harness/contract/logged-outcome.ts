import type { Finding, Terms } from '../model/clause.ts';
import type { History } from '../model/history.ts';
import type { Nanoseconds } from '../model/time.ts';
import { lastLine, leftOut, linesMatching, logGap } from './evidence/log-lines.ts';
import type { Base } from './expired-stop.ts';
import { found, undeclaredPattern } from './finding.ts';
import { AGREES } from './obs.ts';

/**
 * Whether the exit status is that of the outcome which the log states: for the stops that may end either way (DLN-4,
 * DLN-6). Without a declared pattern it is not exercised. OBS-3 judges the log itself; `maySayNothing` leaves it the
 * case where no outcome is logged at all.
 */
export function agreesWithLog(
  history: History,
  terms: Terms,
  end: { readonly exitCode: number; readonly since: Nanoseconds; readonly maySayNothing?: boolean },
  base: Base,
): Finding {
  const pattern = terms.patterns.outcome;
  if (pattern === undefined) {
    return undeclaredPattern('outcome', 'outcome=(?<outcome>graceful|deadline-exceeded|failed)', base.accepted);
  }
  const lines = linesMatching(history, pattern, end.since);
  const details = { ...base, evidence: [...base.evidence, ...lines.map((match) => match.line.seq)] };
  const outcomes = [...new Set(lines.map((match) => match.groups['outcome']))];
  const [outcome] = outcomes;
  if (lines.length === 0) {
    const gap = logGap(history, end.since);
    const seen = `exit ${end.exitCode}, and no outcome was logged`;
    if (gap === undefined && end.maySayNothing) return found.pass(seen, details);
    return gap === undefined
      ? found.fail(`${seen}; ${lastLine(history)}`, details)
      : found.inconclusive(`${seen}, but ${gap}`, details);
  }
  if (outcomes.length > 1) return found.fail(`different outcomes were logged: ${outcomes.join(', ')}`, details);
  if (outcome === undefined) {
    return found.inconclusive('the pattern `outcome` gives no group `outcome`: add (?<outcome>…)', details);
  }
  const seen = `outcome ${outcome}, exit ${end.exitCode}`;
  const agrees = AGREES[outcome];
  if (!agrees) return found.fail(`${seen}: not one of ${Object.keys(AGREES).join(', ')}`, details);
  if (!agrees(end.exitCode, terms)) return found.fail(`${seen}: they contradict each other`, details);
  const gap = leftOut(history, end.since);
  return gap === undefined ? found.pass(seen, details) : found.inconclusive(`${seen}, but ${gap}`, details);
}
