import type { Finding } from '../model/clause.ts';
import type { History } from '../model/history.ts';
import type { Observation } from '../model/observation.ts';
import type { Nanoseconds } from '../model/time.ts';
import { sinceSignal } from './evidence/cut.ts';
import type { ProcessEnd } from './evidence/process-end.ts';
import { processEnd } from './evidence/process-end.ts';
import type { Ending } from './evidence/queries.ts';
import { endingOf, oomSeen, outerKill, signalNumber, toMs } from './evidence/queries.ts';
import { describeMeasurement, ms } from './evidence/stop-duration.ts';
import type { Piece } from './evidence/work.ts';
import { answeredAt, endedAt, isAnswered } from './evidence/work.ts';
import { sinceLast } from './drn-exit.ts';
import { outlookOf } from './drn-fate.ts';
import type { Base } from './expired-stop.ts';
import { hardDeadlineMs } from './expired-stop.ts';
import { found, isAccepted, killedTooSoon } from './finding.ts';
import type { DoubleStop } from './second-signal.ts';
import { limitOf } from './second-signal.ts';
import { compared } from './stop-check.ts';

/** An end that was the service's own, with what is to be said of it. */
interface Ended {
  readonly exitCode: number;
  readonly end: ProcessEnd;
  readonly base: Base;
}

/** Whether a stop with a second signal ended as the policy for that signal says. */
export function endsAsPolicySays(stop: DoubleStop): Finding {
  const { history, what, base } = stop;
  const ending = endingOf(history);
  const details = { ...base, evidence: [...base.evidence, ...ending.evidence] };
  if (ending.how !== 'itself') return notByItself(stop, ending, details);
  const oom = oomSeen(history);
  if (oom) return found.fail(`${what}: exit ${ending.exitCode}, but ${oom.text}`, details);
  const end = processEnd(history);
  if (!end) return found.inconclusive(`${what}: neither clock has a reading of the end`, details);
  const ended: Ended = { exitCode: ending.exitCode, end, base: { ...details, evidence: evidenceWith(details, end) } };
  switch (stop.policy) {
    case 'never-slower':
      return followsWork(stop, ended);
    case 'must-not-shorten':
      return completes(stop, ended);
    case 'must-shorten':
      return completedByUs(stop, ended) ?? endsSoon(stop, ended);
    case 'collapses':
    case 'at-once':
      return wrongStatus(stop, ended) ?? endsSoon(stop, ended);
  }
}

const evidenceWith = (base: Base, end: ProcessEnd): readonly number[] => [
  ...new Set([...base.evidence, ...end.evidence]),
];

/** What a stop may take from its first signal on, whatever is sent later, ms. */
function boundMs({ terms }: DoubleStop): number {
  return Math.max(terms.stopBoundMs, hardDeadlineMs(terms));
}

function notByItself(stop: DoubleStop, ending: Exclude<Ending, { how: 'itself' }>, base: Base): Finding {
  const { history, what, second } = stop;
  if (ending.how === 'unknown') return found.inconclusive(`${what}: ${ending.why}`, base);
  if (ending.how === 'killed') return found.fail(`${what}: ${ending.why}`, base);
  const limitMs = limitOf(stop.policy, stop.terms);
  const kill = outerKill(history);
  const survivedMs = kill ? toMs((kill.begin ?? kill.t) - second.interval.end) : 0;
  const tooSoon = limitMs === undefined ? ending.survivedMs < boundMs(stop) : survivedMs < limitMs;
  if (tooSoon) return killedTooSoon(ending.survivedMs, limitMs ?? boundMs(stop), base);
  const seen = `${what}: still running ${ms(survivedMs)} later; the harness sent SIGKILL`;
  const waiting = mayWaitForWork(stop, kill?.begin ?? kill?.t);
  if (!waiting) return found.fail(seen, base);
  const declare = 'grace: 30s   # after which work is cut';
  return found.notExercised(`${seen}; ${waiting.held.id} was not answered: it may wait for that after one signal too`, {
    ...base,
    declare,
  });
}

/**
 * Work that was open until the SIGKILL and that the harness had not completed, or of which it is not known that it is ever
 * answered: where no grace is declared a service may wait for it as long as it likes (DLN-7). What is usually answered once
 * it is complete, and now is not, is stuck with the rest.
 */
function mayWaitForWork({ policy, terms, open }: DoubleStop, killed: Nanoseconds | undefined): Piece | undefined {
  if (policy !== 'never-slower' || terms.graceMs !== null || killed === undefined) return undefined;
  return open.find(
    (piece) =>
      (endedAt(piece) ?? Number.POSITIVE_INFINITY) >= killed && !(piece.finished && piece.held.normal !== undefined),
  );
}

/** Whether a piece got the answer that it would have got without any signal. */
function isWhole({ held, ended }: Piece): boolean {
  const normal = held.normal?.status;
  return ended?.fate === 'answered' && (normal === undefined ? (ended.status ?? 500) < 500 : ended.status === normal);
}

/** The finding for a status that the policy does not have; what was answered otherwise than usual may count either way. */
function wrongStatus(stop: DoubleStop, { exitCode, base }: Ended): Finding | undefined {
  const { terms, what, work, second } = stop;
  if (stop.policy === 'at-once') {
    const number = signalNumber(second.signal);
    const wanted = number === undefined ? undefined : 128 + number;
    if (wanted === undefined || exitCode === wanted) return undefined;
    return found.fail(`${what}: exit ${exitCode} instead of ${wanted}`, base);
  }
  const cut = work.some((piece) => !isAnswered(piece));
  const expired = terms.expiredStatus === null || exitCode === terms.expiredStatus;
  if (cut) return expired ? undefined : found.fail(`${what}: exit ${exitCode}, although work was cut`, base);
  if (isAccepted(exitCode, terms) || (expired && !work.every(isWhole))) return undefined;
  return found.fail(`${what}: exit ${exitCode}, although all work had completed`, base);
}

/** Work that the harness completed before the second signal had to show: then it is no shortened stop. */
function completedByUs(stop: DoubleStop, { end, base }: Ended): Finding | undefined {
  const limitMs = limitOf(stop.policy, stop.terms) ?? 0;
  const done = stop.open.find(({ finished }) => finished !== undefined && finished.t < end.interval.end);
  if (!done?.finished || toMs(done.finished.t - stop.second.interval.end) >= limitMs) return undefined;
  const seen = `${stop.what}: the harness completed ${done.held.id} before the stop had to be over`;
  return found.inconclusive(seen, base);
}

/**
 * The end against the limit of the policy, from the second signal on. It is short beside what a starved process may take to
 * act on a signal: beside others nothing fails by it, it is measured again, alone.
 */
function endsSoon(stop: DoubleStop, { exitCode, end, base }: Ended): Finding {
  const { history, second, what } = stop;
  const measured = sinceSignal(history, second, end.interval);
  const cut = stop.work.some((piece) => !isAnswered(piece)) ? 'work was cut' : 'no work was cut';
  const seen = `${what}: exit ${exitCode} ${describeMeasurement(measured)} later, ${cut}`;
  const finding = compared(history, measured, limitOf(stop.policy, stop.terms) ?? 0, seen, base, end.problem);
  if (finding.outcome !== 'fail' || history.header.cell.lane === 'alone') return finding;
  return { ...finding, outcome: 'inconclusive', seen: `${finding.seen}, measured beside others`, timing: true };
}

/**
 * The end against the last piece of work. Where it comes later than after one signal it should, that is the second signal's
 * fault only if the first alone is promised to be as fast: else one history cannot tell, unless it is past every bound.
 */
function followsWork(stop: DoubleStop, { exitCode, end, base }: Ended): Finding {
  const { history, terms, first, what } = stop;
  const last = lastEnd(stop, end);
  const measured = sinceLast(history, last.at, end);
  const seen = `${what}: exit ${exitCode} ${describeMeasurement(measured)} after the last work (${last.piece.held.id}: ${last.piece.ended?.fate ?? 'cut by the exit'})`;
  const finding = compared(history, measured, terms.afterWorkMs, seen, base, end.problem);
  if (finding.outcome !== 'fail') return finding;
  const promised = terms.graceMs !== null || (history.header.basis.origins.afterWorkMs ?? 'preset') !== 'preset';
  if (promised || sinceSignal(history, first, end.interval).lowMs >= boundMs(stop)) return finding;
  const why = `not below ${terms.afterWorkMs} ms, and whether it is faster after one signal is not known`;
  const declare = 'terms: { afterWork: 3s }   # how long it takes after one signal';
  return found.notExercised(`${seen}: ${why}`, { ...base, measured, limitMs: terms.afterWorkMs, declare });
}

/** The last end of the work that was open at the second signal; what nobody saw end, ended with PID 1. */
function lastEnd(stop: DoubleStop, end: ProcessEnd): { readonly at: Nanoseconds; readonly piece: Piece } {
  const gone = end.interval.begin;
  const ends = stop.open.map((piece) => {
    const at = answeredAt(piece) ?? endedAt(piece) ?? gone;
    return { at: Math.max(stop.second.interval.begin, Math.min(at, gone)), piece };
  });
  return ends.reduce((latest, entry) => (entry.at > latest.at ? entry : latest));
}

/** All open work completes, and the exit follows it. */
function completes(stop: DoubleStop, ended: Ended): Finding {
  const { terms, first, open, what } = stop;
  const { base, exitCode } = ended;
  const lost = open.filter((piece) => !isWhole(piece));
  const [piece] = lost;
  if (piece) {
    const outlook = outlookOf({ history: afterFirstAlone(stop), terms, trigger: first }, piece);
    const seen = `${what}: ${lost.length} of ${open.length} pieces of admitted work did not complete; ${piece.held.id}: ${outlook.why}`;
    if (outlook.outcome === 'lost') return found.fail(seen, base);
    const timing = outlook.late || outlook.outcome === 'uncertain' ? { timing: true } : {};
    return found.inconclusive(seen, { ...base, ...timing });
  }
  if (!isAccepted(exitCode, terms)) {
    return found.fail(`${what}: all work completed, but exit ${exitCode}: not an accepted status`, base);
  }
  return followsWork(stop, ended);
}

/** The record as if only the first signal had been sent: what was lost is then judged by what that one alone promises. */
function afterFirstAlone({ history, first }: DoubleStop): History {
  const later = (o: Observation): boolean =>
    o.kind === 'signal.delivered' && o.purpose === 'script' && o.seq !== first.seq;
  return { ...history, observations: history.observations.filter((o) => !later(o)) };
}
