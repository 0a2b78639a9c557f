import type { Clause, Finding, Terms } from '../model/clause.ts';
import { processEnd } from './evidence/process-end.ts';
import { ofKind, toNs, triggerOf } from './evidence/queries.ts';
import { longestStallMs } from './evidence/stop-duration.ts';
import type { Piece } from './evidence/work.ts';
import { declareFor, endedAt, evidenceOf, isAdmitted, isAnswered, isBare, piecesOf, unheld } from './evidence/work.ts';
import type { WorkCase } from './drn-fate.ts';
import { afterSignal, cutIsDue } from './drn-fate.ts';
import type { Base } from './expired-stop.ts';
import { found, isAccepted, untriggered } from './finding.ts';
import { boundedStop, eitherStatus, heldBoundMs } from './held-stop.ts';

const SHAPE = 'stalled';
/** A connection that is lost within this from the signal is lost because of it, not by a timeout of the request's own. */
const AT_ONCE_MS = 100;

/** DRN-6: one kind of socket that does not go on in each cell. */
export const drn6: Clause = {
  id: 'DRN-6',
  title: 'a connection that does not go on holds no stop past its bound',
  requirement:
    'a silent connection, half a request line, half the headers, half a body, half a TLS handshake, a reader that stops reading, a half-closed socket, over bare TCP a few bytes or one line and then nothing: none holds the process past the bound. Admitted work cut: exit as grace expired; never admitted: 0 or 1, agreeing with the logged outcome',
  levels: { 'light-fabric': 'M', 'openab-cp': 'M', baseline: 'S' },
  needs: ['http', 'direct'],
  appliesTo: (cell) => cell['kind'] !== undefined,
  check: (history, terms) => {
    const kind = String(history.header.cell.values['kind'] ?? 'stalled');
    const accepted = acceptedEnds(terms);
    const stalled = piecesOf(history).filter(({ held }) => held.shape === SHAPE);
    const missing = ofKind(history, 'capability.missing')[0];
    const failed = unheld(history, [SHAPE])[0] ?? missing;
    if (stalled.length === 0 && failed) {
      const why = failed.kind === 'work.failed' ? failed.message : failed.reason;
      const declare = declareFor(history, failed, missing?.declare ?? 'port: 8080');
      return found.notExercised(`no ${kind} socket was held: ${why}`, { accepted, evidence: [failed.seq], declare });
    }
    const trigger = triggerOf(history);
    if (!trigger) return untriggered(history, accepted);
    const { begin } = trigger.interval;
    const open = stalled.filter((o) => o.held.t <= begin && (endedAt(o) ?? Number.POSITIVE_INFINITY) >= begin);
    const base = { accepted, evidence: [trigger.seq, ...evidenceOf(open.length > 0 ? open : stalled)] };
    const piece = heldLongest(open.filter(isAdmitted)) ?? open[0];
    if (!piece && kind !== 'half-tls-handshake' && stalled.length > 0 && stalled.every(isBare)) {
      const seen = `the service closes a ${kind} socket by itself: none was open at the signal`;
      return found.notExercised(seen, { ...base, declare: 'tcp: [5432]   # one that waits for its clients' });
    }
    if (!piece) {
      return found.inconclusive(`the trigger never happened: no ${kind} socket was open at the signal`, base);
    }
    return boundedBy({ history, terms, trigger }, piece, kind, base);
  },
  explain: {
    measured:
      'One socket of one kind is proven held before the signal and never goes on; when PID 1 ends, with which status, and what outcome it logs.',
    breaks:
      'A drain that waits for every open connection without a deadline; a blocking read or write, or a TLS handshake, outside of the deadline.',
    remedy:
      'Put the deadline around everything that touches a socket, the handshake and the write of an answer too, and close what is left when it is over.',
  },
};

/** The piece that was cut last, since its end is what the exit status must fit; one that was answered only where none was. */
function heldLongest(pieces: readonly Piece[]): Piece | undefined {
  const rank = (piece: Piece): number => (isAnswered(piece) ? 0 : (endedAt(piece) ?? Number.POSITIVE_INFINITY));
  return pieces.toSorted((a, b) => rank(b) - rank(a))[0];
}

function boundedBy(work: WorkCase, piece: Piece, kind: string, base: Base): Finding {
  return boundedStop(work, `a ${kind} socket`, base, (exitCode, details) =>
    isAdmitted(piece) ? admittedStatus(work, piece, exitCode, details) : eitherStatus(work, exitCode, details),
  );
}

/** Cut with the signal or with the deadline the grace has expired; in between the service may have a timeout of its own. */
function admittedStatus(work: WorkCase, piece: Piece, exitCode: number, base: Base): Finding {
  const { terms, trigger, history } = work;
  const asExpired = terms.expiredStatus === null || exitCode === terms.expiredStatus;
  const good = isAccepted(exitCode, terms);
  const gone = processEnd(history)?.interval.end ?? Number.POSITIVE_INFINITY;
  // what a reader that stopped had coming is seen only when it reads on, after the end
  const at = Math.min(endedAt(piece) ?? Number.POSITIVE_INFINITY, gone);
  if (!Number.isFinite(at)) return found.inconclusive('when the connection was lost is not on record', base);
  const when = afterSignal(trigger, at);
  const late = at >= cutIsDue(work);
  if (isAnswered(piece)) {
    const seen = `it was answered ${piece.ended?.status} ${when}`;
    return good || (late && asExpired) ? found.pass(seen, base) : found.fail(`${seen}: not an accepted status`, base);
  }
  const fate = piece.ended === undefined || piece.ended.fate === 'held' ? 'cut' : piece.ended.fate;
  const seen = `admitted, ${fate} ${when}`;
  const own = !late && at > trigger.interval.end + toNs(AT_ONCE_MS);
  const stalled = toNs(longestStallMs(history, { begin: trigger.interval.begin, end: at }));
  if (own && good && !asExpired && at - stalled <= trigger.interval.end + toNs(AT_ONCE_MS)) {
    return found.inconclusive(`${seen}: it may have been cut at the signal`, { ...base, timing: true });
  }
  if (asExpired || (own && good)) return found.pass(seen, base);
  const wanted = own ? 'neither an accepted status nor that of an expired grace' : 'not the status of an expired grace';
  return found.fail(`${seen}: ${wanted}`, base);
}

function acceptedEnds(terms: Terms): readonly string[] {
  const expired = terms.expiredStatus === null ? 'any status but 137' : `exit ${terms.expiredStatus}`;
  return [
    `ends by itself in less than ${heldBoundMs(terms)} ms`,
    `admitted work that is cut: ${expired}`,
    'never admitted: an exit status that agrees with the logged outcome',
  ];
}
