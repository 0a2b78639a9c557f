import type { JudgementBasis } from '../model/clause.ts';
import type { Outcome, Verdict } from '../model/verdict.ts';

type Judged = Pick<Verdict, 'outcome' | 'seen'>;

/**
 * A waived clause is reported waived, never passed, with what it would have been; an expired waiver fails, whatever
 * was found. The day of expiry still counts; what counts as today is the day of the run, so that judging again agrees.
 */
export function applyWaiver(
  clause: string,
  judged: { readonly outcome: Exclude<Outcome, 'waived'>; readonly seen: string },
  basis: Pick<JudgementBasis, 'waivers' | 'judgedOn'>,
): Judged & Pick<Verdict, 'waiver'> {
  const waivers = basis.waivers.filter((entry) => entry.clause === clause);
  // the longest one counts: a profile that renews a waiver may keep the old line
  const waiver = waivers.toSorted((a, b) => b.expires.localeCompare(a.expires))[0];
  if (!waiver) return judged;
  const expired = basis.judgedOn.slice(0, 10) > waiver.expires.slice(0, 10);
  const facts = { reason: waiver.reason, expires: waiver.expires, expired, would: judged.outcome };
  const without = `without it: ${judged.outcome}, ${judged.seen}`;
  if (expired) {
    const seen = `the waiver (${waiver.reason}) expired on ${waiver.expires}; ${without}`;
    return { outcome: 'fail', seen, waiver: facts };
  }
  return { outcome: 'waived', seen: `waived until ${waiver.expires}: ${waiver.reason}; ${without}`, waiver: facts };
}
