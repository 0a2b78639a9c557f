import type { Fault, Report, Summary } from '../model/report.ts';
import type { Outcome, Verdict } from '../model/verdict.ts';
import { EXIT } from './exit-codes.ts';

type Parts = Pick<Report, 'strict' | 'faults'> & {
  readonly targets: readonly { readonly verdicts: readonly Verdict[] }[];
};

/**
 * The verdict on a whole run and the exit code (architecture rule 6), worst first: 70 for any fault or gap, 1 for a
 * MUST that failed (SHOULD too with `strict`), 3 when nothing was judged, 2 for something inconclusive or a required
 * clause that was not exercised and not waived, else 0. SHOULD clauses count towards 1 only with `strict`, towards 2 also
 * where they are required; recorded ones never. Every reason is listed, also those that a worse one outranks.
 */
export function summarise(parts: Parts): Summary {
  const verdicts = parts.targets.flatMap((target) => target.verdicts);
  const counted = verdicts.filter((v) => v.level === 'M' || (parts.strict && v.level === 'S'));
  const failed = counted.filter((v) => v.outcome === 'fail');
  const undecided = verdicts.filter((v) => (counted.includes(v) || v.required) && v.outcome === 'inconclusive');
  const missing = verdicts.filter((v) => v.required && v.outcome === 'not exercised');
  const judged = verdicts.some((v) => v.outcome !== 'not exercised' && v.level !== 'r');
  const must = verdicts.filter((v) => v.level === 'M');
  const rated = verdicts.filter((v) => (v.level === 'M' || v.level === 'S') && isExercised(v));
  const inconclusive = rated.filter((v) => v.outcome === 'inconclusive').length;
  const reasons = [
    ...parts.faults.map(faultReason),
    ...failed.map((v) => `${nameOf(v)} failed: ${v.seen}`),
    ...(judged ? [] : ['nothing was judged']),
    ...undecided.map((v) => `${nameOf(v)} is inconclusive: ${v.seen}`),
    ...missing.map((v) => `${nameOf(v)} is required and was not exercised: ${v.seen}`),
  ];
  const ending = endOf({ faults: parts.faults, failed, judged, open: [...undecided, ...missing] });
  return {
    ...ending,
    counts: countsOf(verdicts),
    mustExercised: must.filter(isExercised).length,
    mustTotal: must.length,
    inconclusiveRate: rated.length === 0 ? 0 : inconclusive / rated.length,
    reasons: reasons.length > 0 ? reasons : ['every MUST clause that was exercised passed'],
  };
}

function endOf(state: {
  readonly faults: readonly Fault[];
  readonly failed: readonly Verdict[];
  readonly judged: boolean;
  readonly open: readonly Verdict[];
}): Pick<Summary, 'outcome' | 'exitCode'> {
  if (state.faults.length > 0) return { outcome: 'fault', exitCode: EXIT.fault };
  if (state.failed.length > 0) return { outcome: 'not qualified', exitCode: EXIT.failed };
  if (!state.judged) return { outcome: 'nothing judged', exitCode: EXIT.nothingJudged };
  if (state.open.length > 0) return { outcome: 'inconclusive', exitCode: EXIT.inconclusive };
  return { outcome: 'qualified', exitCode: EXIT.qualified };
}

/** A waived clause counts as exercised when there was something to waive. */
function isExercised(verdict: Verdict): boolean {
  if (verdict.outcome === 'waived') return verdict.waiver?.would !== 'not exercised';
  return verdict.outcome !== 'not exercised';
}

function countsOf(verdicts: readonly Verdict[]): Readonly<Record<Outcome, number>> {
  const count = (outcome: Outcome): number => verdicts.filter((v) => v.outcome === outcome).length;
  return {
    pass: count('pass'),
    fail: count('fail'),
    inconclusive: count('inconclusive'),
    'not exercised': count('not exercised'),
    waived: count('waived'),
  };
}

function faultReason(fault: Fault): string {
  const where = fault.engine === undefined ? fault.where : `${fault.where} (${fault.engine})`;
  return `${where}: ${fault.message}`;
}

function nameOf(verdict: Verdict): string {
  return `${verdict.clause} of ${verdict.image} on ${verdict.engine}`;
}
