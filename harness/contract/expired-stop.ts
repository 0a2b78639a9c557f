import type { Finding, Terms } from '../model/clause.ts';
import type { History } from '../model/history.ts';
import type { Piece } from './evidence/work.ts';
import { declareFor, endedAt, evidenceOf, inFlightAt, isAdmitted, piecesOf, unheld } from './evidence/work.ts';
import type { Ending, Trigger } from './evidence/queries.ts';
import { triggerOf } from './evidence/queries.ts';
import { ms } from './evidence/stop-duration.ts';
import { found, killedTooSoon, untriggered } from './finding.ts';

/** What a finding of these clauses says in any case. */
export interface Base {
  readonly accepted: readonly string[];
  readonly evidence: readonly number[];
}

/** The profile line to declare where nothing could be held. */
export const SLOW_ENDPOINT = "endpoints: { slow: ['POST /path/that/reads/its/body'] }";

/** By when a stop must have ended once the grace expired, ms from the signal: the hard deadline and its tolerance. */
export function hardDeadlineMs(terms: Terms): number {
  return (terms.graceMs ?? 0) + terms.floorMs + terms.toleranceMs;
}

/** The finding where there is no declared grace to judge by; undefined where there is one. */
export function withoutGrace(terms: Terms, accepted: readonly string[]): Finding | undefined {
  if (terms.graceMs !== null) return undefined;
  return found.notExercised('no grace is declared', { accepted, evidence: [], declare: 'grace: 2s' });
}

/** A signal with admitted work in flight at it, or the finding that says why there was none. */
type Busy =
  | { readonly trigger: Trigger; readonly work: readonly Piece[]; readonly base: Base; readonly finding?: undefined }
  | { readonly finding: Finding };

/** The signal and the admitted work in flight at it, with everything that is on record about both as evidence. */
export function busyStop(history: History, accepted: readonly string[]): Busy {
  const failed = unheld(history)[0];
  // half-sent headers may have been held: nothing was admitted by that
  if (failed && !piecesOf(history).some(isAdmitted)) {
    const seen = `no request could be held in flight: ${failed.message}`;
    const declare = declareFor(history, failed, SLOW_ENDPOINT);
    return { finding: found.notExercised(seen, { accepted, evidence: [failed.seq], declare }) };
  }
  const trigger = triggerOf(history);
  if (!trigger) return { finding: untriggered(history, accepted) };
  const work = inFlightAt(history, trigger).filter(isAdmitted);
  const base = { accepted, evidence: [trigger.seq, ...evidenceOf(work)] };
  if (work.length === 0) {
    const seen = 'the trigger never happened: no work was in flight at the signal';
    return { finding: letGoBefore(history, trigger, accepted) ?? found.inconclusive(seen, base) };
  }
  return { trigger, work, base };
}

/**
 * The finding where all the work that was held had ended before the signal, by the service's own doing: where no grace is
 * declared nothing is promised to it, and it would be so every time. Undefined elsewhere.
 */
function letGoBefore(history: History, trigger: Trigger, accepted: readonly string[]): Finding | undefined {
  if (history.header.basis.terms.graceMs !== null) return undefined;
  const held = piecesOf(history).filter((piece) => isAdmitted(piece) && piece.held.t <= trigger.interval.begin);
  const [first] = held;
  const at = (piece: Piece): number => endedAt(piece) ?? Number.POSITIVE_INFINITY;
  if (!first || held.some((piece) => at(piece) >= trigger.interval.begin)) return undefined;
  const seen = `no work was in flight at the signal: ${first.held.id} was ${first.ended?.fate} before it`;
  const evidence = [trigger.seq, ...evidenceOf(held)];
  return found.notExercised(seen, { accepted, evidence, declare: SLOW_ENDPOINT });
}

/**
 * The finding for an end that was not the service's own: past the outer timeout, by another's SIGKILL, or unknown. A
 * SIGKILL of the harness that came before `limitMs` had passed, by an outer timeout that is too near, proves nothing.
 */
export function notItself(
  ending: Exclude<Ending, { how: 'itself' }>,
  what: string,
  base: Base,
  limitMs: number,
): Finding {
  if (ending.how === 'unknown') return found.inconclusive(ending.why, base);
  if (ending.how === 'killed') return found.fail(ending.why, base);
  if (ending.survivedMs < limitMs) return killedTooSoon(ending.survivedMs, limitMs, base);
  return found.fail(`still running ${ms(ending.survivedMs)} after the signal ${what}; the harness sent SIGKILL`, base);
}
