import type { Clause, Finding, Terms } from '../model/clause.ts';
import type { History } from '../model/history.ts';
import type { Measurement, Nanoseconds } from '../model/time.ts';
import { processEnd } from './evidence/process-end.ts';
import { endingOf, engineErrorMs, outerKill, toMs, toNs, triggerOf } from './evidence/queries.ts';
import type { Trigger } from './evidence/queries.ts';
import { describeMeasurement, longestStallMs, ms } from './evidence/stop-duration.ts';
import type { Piece } from './evidence/work.ts';
import {
  declareFor,
  endedAt,
  evidenceOf,
  inFlightAt,
  isAdmitted,
  isAnswered,
  lastWorkEnd,
  piecesOf,
  unheld,
} from './evidence/work.ts';
import { mayBeUnread } from './drn-fate.ts';
import { isWithinGrace } from './drn-work.ts';
import type { Base } from './expired-stop.ts';
import { found, untriggered } from './finding.ts';
import { compared } from './stop-check.ts';

const REQUIREMENT =
  'the process does not wait out the grace: exit follows the last piece of work in under 1 s; within 250 ms S';

const explain = {
  measured:
    'From the last byte of the last answer to work that was in flight at the signal, read off the connection, to the end of PID 1.',
  breaks:
    'A drain that sleeps through the grace; polling for open requests in long steps; keep-alive connections that are waited for after the last answer.',
  remedy: 'Wait for the work itself, with the deadline beside it, and go on at once when the last piece is done.',
};

/** DRN-9: only where all admitted work was answered; a stop that cut work is judged by DRN-1 and DLN-1. */
export const drn9: Clause = {
  id: 'DRN-9',
  title: 'the exit follows the last piece of work',
  requirement: REQUIREMENT,
  levels: { 'light-fabric': 'M', 'openab-cp': 'M', baseline: 'S' },
  needs: ['http', 'direct'],
  appliesTo: isWithinGrace,
  check: (history, terms) => followsWork(history, terms, terms.afterWorkMs),
  explain,
};

/** DRN-9-fast: the goal. */
export const drn9Fast: Clause = {
  id: 'DRN-9-fast',
  title: 'the exit follows the last piece of work at once',
  requirement: REQUIREMENT,
  levels: { 'light-fabric': 'S', 'openab-cp': 'S', baseline: 'S' },
  needs: ['http', 'direct'],
  appliesTo: isWithinGrace,
  check: (history, terms) => followsWork(history, terms, terms.afterWorkGoalMs),
  explain,
};

function followsWork(history: History, { serveAfterMs }: Terms, limitMs: number): Finding {
  const serving = serveAfterMs > 0 ? `, and after the ${serveAfterMs} ms in which new work may be served` : '';
  const accepted = [`PID 1 ends in less than ${limitMs} ms after the last byte of the last answer${serving}`];
  const failed = unheld(history)[0];
  if (failed && !piecesOf(history).some(isAdmitted)) {
    const declare = declareFor(history, failed, "endpoints: { slow: ['POST /path/that/reads/its/body'] }");
    const seen = `no request could be held in flight: ${failed.message}`;
    return found.notExercised(seen, { accepted, evidence: [failed.seq], declare });
  }
  const trigger = triggerOf(history);
  if (!trigger) return untriggered(history, accepted);
  const inFlight = inFlightAt(history, trigger).filter(isAdmitted);
  const base: Base = { accepted, evidence: [trigger.seq, ...evidenceOf(inFlight)] };
  const last = lastWorkEnd(history);
  const untrue = notAfterWork(history, trigger, inFlight, last?.at);
  if (untrue !== undefined || !last) {
    const seen = `the trigger never happened: ${untrue ?? 'no work was answered'}`;
    return found.inconclusive(seen, { ...base, ...(wasStarved({ history, trigger }, inFlight) && { timing: true }) });
  }
  // it may have served new work until then, so it need not have gone before
  const over = Math.max(last.at, serveAfterMs > 0 ? trigger.interval.end + toNs(serveAfterMs) : last.at);
  return measured(history, over, limitMs, { ...base, evidence: [...base.evidence, ...evidenceOf([last.piece])] });
}

/** Whether all that was cut may be a starved service's that had not read it: measured again, alone. */
function wasStarved(
  work: { readonly history: History; readonly trigger: Trigger },
  inFlight: readonly Piece[],
): boolean {
  const cut = inFlight.filter((piece) => !isAnswered(piece));
  return cut.length > 0 && cut.every((piece) => mayBeUnread(work, piece));
}

/** Why the end cannot be counted from the last answer; undefined where it can. */
function notAfterWork(
  history: History,
  trigger: Trigger,
  inFlight: readonly Piece[],
  last: Nanoseconds | undefined,
): string | undefined {
  if (inFlight.length === 0) return 'no work was in flight at the signal';
  const cut = inFlight.find((piece) => !isAnswered(piece));
  if (cut) return `work was cut, not answered (${cut.held.id}: ${cut.ended?.fate ?? 'no end on record'})`;
  if (last === undefined || last <= trigger.interval.end) return 'no work was answered after the signal';
  // what the harness still held open, its own part undone, the service may have waited for
  const open = piecesOf(history).find(
    (piece) => piece.held.ends === 'finish' && !piece.finished && (endedAt(piece) ?? Number.POSITIVE_INFINITY) > last,
  );
  return open && `the harness never completed its part of ${open.held.id}`;
}

function measured(history: History, last: Nanoseconds, limitMs: number, base: Base): Finding {
  const ending = endingOf(history);
  const details = { ...base, evidence: [...base.evidence, ...ending.evidence], limitMs };
  if (ending.how === 'unknown') return found.inconclusive(ending.why, details);
  if (ending.how === 'killed') return found.fail(ending.why, details);
  if (ending.how === 'outer-timeout') {
    const kill = outerKill(history);
    const survivedMs = kill ? toMs((kill.begin ?? kill.t) - last) : 0;
    const seen = `still running ${ms(Math.max(0, survivedMs))} after the last answer; the harness sent SIGKILL`;
    return survivedMs >= limitMs ? found.fail(seen, details) : found.inconclusive(seen, details);
  }
  const end = processEnd(history);
  if (!end) return found.inconclusive('neither clock has a reading of the end', details);
  const measurement = sinceLast(history, last, end);
  const seen = `exit ${ending.exitCode}, ${describeMeasurement(measurement)} after the last answer`;
  const evidence = [...new Set([...details.evidence, ...end.evidence])];
  return compared(history, measurement, limitMs, seen, { ...base, evidence }, end.problem);
}

/** A loop that stood still records it first and reads its sockets then: a stall that ended this shortly before counts. */
const STAMPED_AFTER_STALL_MS = 50;

/**
 * The end of work is a point of this host's clock, stamped late at worst by as much as the harness's loop was; the end of
 * PID 1 is an interval (rule 3).
 */
export function sinceLast(
  history: History,
  last: Nanoseconds,
  end: NonNullable<ReturnType<typeof processEnd>>,
): Measurement {
  const errorMs =
    (end.by === 'host' ? history.header.uncertainty.hostMs : engineErrorMs(history)) +
    longestStallMs(history, { begin: last - toNs(STAMPED_AFTER_STALL_MS), end: Math.max(last, end.interval.end) });
  const valueMs = Math.max(0, toMs(end.interval.end - last));
  return {
    by: end.by,
    valueMs,
    lowMs: Math.max(0, toMs(end.interval.begin - last) - errorMs),
    highMs: valueMs + errorMs,
  };
}
