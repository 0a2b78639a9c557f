import type { Clause, Finding, Terms } from '../model/clause.ts';
import { toNs } from './evidence/queries.ts';
import { longestStallMs } from './evidence/stop-duration.ts';
import type { SocketPiece } from './evidence/web-sockets.ts';
import { isCutWebSocket, socketsInWords } from './evidence/web-sockets.ts';
import type { WorkCase } from './drn-fate.ts';
import { afterSignal, cutIsDue } from './drn-fate.ts';
import type { Base } from './expired-stop.ts';
import { found } from './finding.ts';
import { boundedStop, eitherStatus, heldBoundMs } from './held-stop.ts';
import { lostAt, socketsAtSignal, withSockets } from './wss-held.ts';

const QUIET = { unlogged: 'a status that the stop may have', maySayNothing: true };

/** WSS-1: however it is closed, the stop is bounded; WSS-2 and WSS-3 speak about how. */
export const wss1: Clause = {
  id: 'WSS-1',
  title: 'an idle WebSocket does not delay the exit beyond the bound',
  requirement: 'an idle WebSocket cannot delay exit beyond the bound (exit as in DRN-6)',
  levels: { 'light-fabric': 'M', 'openab-cp': 'M', baseline: 'S' },
  needs: ['direct', 'websocket'],
  check: (history, terms) => {
    const sockets = socketsAtSignal(history, terms, ['idle', 'chatty', 'unregistered'], acceptedEnds(terms));
    if (sockets.finding) return sockets.finding;
    const { work, open, base } = sockets;
    return boundedStop(work, `${open.length} WebSocket(s) (${socketsInWords(open)})`, base, (exitCode, details) =>
      idleStatus(work, open, exitCode, details),
    );
  },
  explain: {
    measured:
      'WebSockets that were upgraded, registered where that is declared, and answered are kept open over the signal by a peer that answers a Close; when PID 1 ends, with which status, and what outcome it logs.',
    breaks:
      'A server that waits for every connection to end and never closes a WebSocket; a heartbeat or reader task that nothing cancels.',
    remedy:
      'Keep a list of open WebSockets, send each a Close when the stop begins, and drop what is left at the deadline.',
  },
};

/** WSS-5: one kind of peer in each cell, so that a failure names it. */
export const wss5: Clause = {
  id: 'WSS-5',
  title: 'a WebSocket peer that does not go on holds no stop past its bound',
  requirement:
    'a peer that never answers Close, or stops reading, does not hold the stop past the bound; being dropped there is right',
  levels: { 'light-fabric': 'M', 'openab-cp': 'M', baseline: 'S' },
  needs: ['direct', 'websocket'],
  appliesTo: (cell) => cell['kind'] !== undefined,
  check: (history, terms) => {
    const sockets = socketsAtSignal(history, terms, ['never-closes', 'stops-reading'], acceptedEnds(terms));
    if (sockets.finding) return sockets.finding;
    const { work, open, base } = sockets;
    return boundedStop(work, `${open.length} WebSocket(s) (${socketsInWords(open)})`, base, (exitCode, details) =>
      droppedStatus(work, open, exitCode, details),
    );
  },
  explain: {
    measured:
      'Either the peer gets a Close and never answers it, or it has asked for more than the sockets between hold and reads no further; when PID 1 ends, with which status, and what outcome it logs.',
    breaks:
      'Awaiting the Close of the peer without a deadline; a write to a full socket outside of the deadline; one that holds the lock which the clean-up needs.',
    remedy:
      'Give the closing handshake and every write what remains of the one drain budget, then drop the connection.',
  },
};

/**
 * A peer that answers a Close and was left open until the grace ran out was cut: exit as grace expired. One that was closed,
 * or dropped before, leaves both open, as long as the log agrees.
 */
function idleStatus(work: WorkCase, open: readonly SocketPiece[], exitCode: number, base: Base): Finding {
  const { history, terms, trigger } = work;
  const cut = open.filter(isCutWebSocket).map((piece) => ({ piece, at: lostAt(work, piece) }));
  const due = cutIsDue(work);
  const late = cut.filter(({ at }) => at !== undefined && at >= due);
  const [first] = late;
  if (first?.at === undefined) return droppedStatus(work, open, exitCode, base);
  const seen = `${late.length} were left open, and cut without a Close ${afterSignal(trigger, first.at)}`;
  const details = withSockets(
    base,
    late.map(({ piece }) => piece),
  );
  if (terms.expiredStatus === null || exitCode === terms.expiredStatus) return found.pass(seen, details);
  const stalled = toNs(longestStallMs(history, { begin: trigger.interval.begin, end: first.at }));
  if (first.at - stalled < due) {
    return found.inconclusive(`${seen}: it may have been before the grace ran out`, { ...details, timing: true });
  }
  return found.fail(`${seen}: not the status of an expired grace`, details);
}

/** Without a status of an expired grace in the terms, work that was cut leaves every status open, as in DRN-6. */
function droppedStatus(work: WorkCase, open: readonly SocketPiece[], exitCode: number, base: Base): Finding {
  const cut = open.filter(isCutWebSocket);
  if (work.terms.expiredStatus === null && cut.length > 0) {
    return found.pass(`${cut.length} were dropped without a Close`, base);
  }
  return eitherStatus(work, exitCode, base, QUIET);
}

function acceptedEnds(terms: Terms): readonly string[] {
  return [
    `ends by itself in less than ${heldBoundMs(terms)} ms`,
    'an accepted status or that of an expired grace, agreeing with the logged outcome',
  ];
}
