import type { Finding, Terms } from '../model/clause.ts';
import type { History } from '../model/history.ts';
import type { Nanoseconds } from '../model/time.ts';
import { timeProvesNothing } from './evidence/emulation.ts';
import { probeOf } from './evidence/probe-samples.ts';
import { processEnd } from './evidence/process-end.ts';
import { deliveredSignals, endingOf, ofKind, toMs, toNs } from './evidence/queries.ts';
import type { Trigger } from './evidence/queries.ts';
import { ms } from './evidence/stop-duration.ts';
import { isCutWebSocket } from './evidence/web-sockets.ts';
import type { Piece } from './evidence/work.ts';
import { inFlightAt, isAdmitted, isAnswered } from './evidence/work.ts';
import { hardDeadlineMs } from './expired-stop.ts';
import { found, isAccepted, killedTooSoon } from './finding.ts';

/** A service is given this long for an answer that it owes before the grace runs out: completed later, work proves nothing. */
const CERTAIN_MS = 100;
/** Beside other containers an answer may take this long without being the service's fault: then it is tried again, alone. */
const CERTAIN_IN_COMPANY_MS = 500;

/** What became of one piece that was to complete inside the grace. */
export interface Outlook {
  readonly piece: Piece;
  /**
   * `complete`: its normal, whole answer. `lost`: certainly due inside the grace, and never so. `uncertain`: lost, but so
   * narrowly that neighbours may be the cause. `not judged`: nothing follows from it; `late` where only time is to blame.
   */
  readonly outcome: 'complete' | 'lost' | 'uncertain' | 'not judged';
  readonly late?: true;
  /** Reset, and not known to have been accepted at all. */
  readonly queued?: true;
  /** In words, where it is not complete. */
  readonly why: string;
}

/** What all of this rests on. */
export interface WorkCase {
  readonly history: History;
  readonly terms: Terms;
  readonly trigger: Trigger;
}

/** The earliest moment at which the grace can have run out; without a declared grace the bound of the stop. */
export function graceEnds({ terms, trigger }: WorkCase): Nanoseconds {
  return trigger.interval.begin + toNs(terms.graceMs ?? terms.stopBoundMs);
}

/** From here on a cut may be the expired grace: what was lost before was lost early. */
export function cutIsDue(work: WorkCase): Nanoseconds {
  return graceEnds(work) - toNs(work.terms.toleranceMs);
}

/** Milliseconds from the signal, in words. */
export function afterSignal(trigger: Trigger, t: Nanoseconds): string {
  return `${ms(Math.max(0, toMs(t - trigger.interval.end)))} after the signal`;
}

/**
 * Judge one piece that was in flight at the signal. It was due inside the grace when the harness had completed its part
 * well before the end of it; what the service loses before the grace can have run out is lost whoever had done what. A
 * service that answers before the harness has done its part is as good as any; what the harness did not do is no fault.
 */
export function outlookOf(work: WorkCase, piece: Piece): Outlook {
  const { ended, held } = piece;
  if (!ended) return { piece, outcome: 'not judged', why: 'nothing is on record about its end' };
  if (ended.fate !== 'answered') return lossOf(work, piece);
  const { status } = ended;
  if (status === undefined) return { piece, outcome: 'not judged', why: 'answered without a status on record' };
  const normal = held.normal?.status;
  if (status === 503 && normal === 503) {
    return { piece, outcome: 'not judged', why: 'its normal answer is a 503 too' };
  }
  if (normal === undefined ? status < 500 : status === normal) return { piece, outcome: 'complete', why: '' };
  const instead = normal === undefined ? '' : ` instead of ${normal}`;
  const why = `answered ${status}${instead} ${afterSignal(work.trigger, ended.t)}`;
  return unanswered(work, piece, ended.t, why);
}

function lossOf(work: WorkCase, piece: Piece): Outlook {
  const { ended } = piece;
  if (!ended) return { piece, outcome: 'not judged', why: 'nothing is on record about its end' };
  const gone = processEnd(work.history)?.interval.end;
  const open = ended.fate === 'held' || ended.fate === 'hung';
  if (!open) return unanswered(work, piece, ended.t, `${ended.fate} ${afterSignal(work.trigger, ended.t)}`);
  if (gone !== undefined && gone <= ended.t) {
    return unanswered(work, piece, gone, `never answered until the end of PID 1 ${afterSignal(work.trigger, gone)}`);
  }
  const why = `still without an answer ${afterSignal(work.trigger, ended.t)}`;
  if (ended.t < graceEnds(work)) return { piece, outcome: 'not judged', why };
  return unanswered(work, piece, ended.t, why);
}

function unanswered(work: WorkCase, piece: Piece, at: Nanoseconds, said: string): Outlook {
  const due = graceEnds(work);
  if (mayHaveWaited(work, piece)) {
    const why = `${said}: not known to have been accepted, since no later connection was answered before the signal`;
    return { piece, outcome: 'not judged', late: true, queued: true, why };
  }
  const why = said;
  const by = disturbedAt(work);
  const disturbed = by !== undefined && by <= at;
  if (at < cutIsDue(work)) {
    if (!disturbed) return { piece, outcome: mayBeUnread(work, piece) ? 'uncertain' : 'lost', why };
    return { piece, outcome: 'not judged', why: `${why}, when the harness had interfered` };
  }
  const { finished, held } = piece;
  if (!finished) {
    const unknown = held.ends === 'finish' ? 'the harness did not complete its part' : 'when it was due is not known';
    return { piece, outcome: 'not judged', why: `${why}: ${unknown}` };
  }
  const slackMs = toMs(due - finished.t);
  if (slackMs < CERTAIN_MS) {
    const late = `the harness completed its part only ${afterSignal(work.trigger, finished.t)}`;
    return { piece, outcome: 'not judged', late: true, why: `${why}: ${late}` };
  }
  const emulated = timeProvesNothing(work.history);
  if (emulated !== undefined) return { piece, outcome: 'not judged', late: true, why: `${why}: ${emulated}` };
  if (disturbed && by < due) return { piece, outcome: 'not judged', why: `${why}, when the harness had interfered` };
  const narrow = slackMs < CERTAIN_IN_COMPANY_MS && work.history.header.cell.lane !== 'alone';
  return { piece, outcome: narrow ? 'uncertain' : 'lost', why };
}

/**
 * Whether a starved service may not have read the request by the time of the signal, and reset it unread: beside others
 * only, where it is measured again, alone, and only where it answered other work, so that it does not cut whatever it has.
 */
export function mayBeUnread({ history, trigger }: Omit<WorkCase, 'terms'>, { held, ended }: Piece): boolean {
  const silent = ended?.firstByteAt === undefined && (ended?.bytes ?? 0) === 0;
  if (ended?.fate !== 'reset' || !silent || held.over !== 'http') return false;
  return history.header.cell.lane === 'shared' && inFlightAt(history, trigger).some(isAnswered);
}

/** A connection stands this long after its call at most; one that was called later came behind it into the backlog. */
const STANDS_MS = 50;

/**
 * Whether a request that was reset without a byte of an answer may have been in the backlog all the time, where closing
 * the listener resets it: a starved service accepts late. A backlog is taken in order, so an answer to a later connection
 * proves that it was accepted; so do a handshake of TLS and an earlier answer on the connection. Where nothing else was
 * asked in the clear nothing can prove it, and a service that was ready is taken to accept.
 */
function mayHaveWaited({ history, trigger }: WorkCase, { held, ended }: Piece): boolean {
  const probe = probeOf(history);
  if (ended?.fate !== 'reset' || (ended.bytes ?? 0) > 0 || ended.firstByteAt !== undefined) return false;
  if (held.over !== 'http' || held.shape === 'warm-slow-body' || probe?.over !== 'http') return false;
  const behind = (held.begin ?? held.t) + toNs(STANDS_MS);
  return !probe.samples.some(
    (sample) =>
      sample.via === 'new' &&
      sample.outcome === 'answered' &&
      sample.t <= trigger.interval.begin &&
      (sample.begin ?? Number.NEGATIVE_INFINITY) >= behind,
  );
}

/** When the harness itself did something else to the target after the trigger: what happens then may be its doing. */
function disturbedAt({ history, trigger }: WorkCase): Nanoseconds | undefined {
  const own = ofKind(history, 'signal.sent').filter((o) => o.purpose !== 'script');
  const script = deliveredSignals(history).filter((signal) => signal.seq !== trigger.seq);
  const times = [...own.map((o) => o.begin ?? o.t), ...script.map((signal) => signal.interval.begin)];
  const after = times.filter((t) => t > trigger.interval.begin);
  return after.length === 0 ? undefined : Math.min(...after);
}

/** What is said of pieces that were lost: how many of how many, and the first of them. */
export function lostInWords(lost: readonly Outlook[], of: number, what: string): string {
  const first = [...lost].sort((a, b) => endOf(a) - endOf(b))[0];
  return `${lost.length} of ${of} ${what} did not complete; ${first?.piece.held.id} was ${first?.why}`;
}

const endOf = ({ piece }: Outlook): number => piece.ended?.t ?? Number.POSITIVE_INFINITY;

/**
 * Whether admitted work was in flight at the signal that never got a whole answer, or a WebSocket that got no Close: then an
 * expired grace is true.
 */
export function someWasCut({ history, trigger }: WorkCase): boolean {
  return inFlightAt(history, trigger).some(
    (piece) => (isAdmitted(piece) && !isAnswered(piece)) || isCutWebSocket(piece),
  );
}

/**
 * The end that belongs to what was seen of the work: by itself, with an accepted status; where work was cut, the status of
 * an expired grace is right as well. 137 and the outer timeout are never right.
 */
export function endFitting(
  work: WorkCase,
  seen: string,
  mayExpire: boolean,
  base: { readonly accepted: readonly string[]; readonly evidence: readonly number[] },
): Finding {
  const { history, terms } = work;
  const ending = endingOf(history);
  const details = { ...base, evidence: [...new Set([...base.evidence, ...ending.evidence])] };
  if (ending.how === 'outer-timeout') {
    const limitMs = Math.max(terms.stopBoundMs, hardDeadlineMs(terms));
    if (ending.survivedMs < limitMs) return killedTooSoon(ending.survivedMs, limitMs, details);
    return found.fail(
      `${seen}, but still running ${ms(ending.survivedMs)} after the signal; the harness sent SIGKILL`,
      details,
    );
  }
  if (ending.how === 'killed') return found.fail(`${seen}, but ${ending.why}`, details);
  if (ending.how === 'unknown') return found.inconclusive(`${seen}, but ${ending.why}`, details);
  const { exitCode } = ending;
  const expired = mayExpire && (terms.expiredStatus === null || exitCode === terms.expiredStatus);
  if (isAccepted(exitCode, terms) || expired) return found.pass(`${seen}; exit ${exitCode}`, details);
  return found.fail(`${seen}, but exit ${exitCode}: not an accepted status`, details);
}
