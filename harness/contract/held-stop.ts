import type { Finding, Terms } from '../model/clause.ts';
import { endingOf } from './evidence/queries.ts';
import { ms } from './evidence/stop-duration.ts';
import type { WorkCase } from './drn-fate.ts';
import type { Base } from './expired-stop.ts';
import { hardDeadlineMs } from './expired-stop.ts';
import { found, isAccepted, killedTooSoon } from './finding.ts';
import { agreesWithLog } from './logged-outcome.ts';
import { timed } from './stop-check.ts';

/** The hard bound: the larger of the bound of a stop and the hard deadline; without a grace the bound of a stop. */
export function heldBoundMs(terms: Terms): number {
  return terms.graceMs === null ? terms.stopBoundMs : Math.max(terms.stopBoundMs, hardDeadlineMs(terms));
}

/**
 * A stop with a connection that does not go on (DRN-6, WSS-1, WSS-5): by itself, with a status that `statusOf` judges, and
 * within the hard bound. What is definite decides before the clocks are asked.
 */
export function boundedStop(
  { history, terms }: WorkCase,
  by: string,
  base: Base,
  statusOf: (exitCode: number, details: Base) => Finding,
): Finding {
  const ending = endingOf(history);
  const details = { ...base, evidence: [...base.evidence, ...ending.evidence] };
  if (ending.how === 'unknown') return found.inconclusive(ending.why, details);
  if (ending.how === 'killed') return found.fail(`held by ${by}: ${ending.why}`, details);
  if (ending.how === 'outer-timeout') {
    if (ending.survivedMs < heldBoundMs(terms)) return killedTooSoon(ending.survivedMs, heldBoundMs(terms), details);
    const seen = `${by} held the process: still running ${ms(ending.survivedMs)} after the signal; the harness sent SIGKILL`;
    return found.fail(seen, details);
  }
  const status = statusOf(ending.exitCode, details);
  const what = `exit ${ending.exitCode} with ${by}`;
  if (status.outcome === 'fail') return { ...status, seen: `${what}: ${status.seen}` };
  const inTime = timed(history, heldBoundMs(terms), what, details);
  if (inTime.outcome === 'fail' || status.outcome === 'pass') {
    return inTime.outcome === 'pass' ? { ...inTime, seen: `${inTime.seen}; ${status.seen}` } : inTime;
  }
  return { ...status, seen: `${what}: ${status.seen}` };
}

/** The service may call its stop graceful or not, but exit status and log must say the same; `maySayNothing`: OBS-3 speaks of that. */
export function eitherStatus(
  { history, terms, trigger }: WorkCase,
  exitCode: number,
  base: Base,
  more: { readonly unlogged?: string; readonly maySayNothing?: boolean } = {},
): Finding {
  const possible = isAccepted(exitCode, terms) || exitCode === (terms.expiredStatus ?? 1);
  if (!possible) return found.fail('neither an accepted status nor that of an expired grace', base);
  if (terms.patterns.outcome === undefined) return found.pass(more.unlogged ?? 'never admitted', base);
  return agreesWithLog(
    history,
    terms,
    { exitCode, since: trigger.interval.begin, maySayNothing: more.maySayNothing ?? false },
    base,
  );
}
