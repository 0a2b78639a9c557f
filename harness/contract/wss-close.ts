import type { Clause, Finding, Terms } from '../model/clause.ts';
import type { History } from '../model/history.ts';
import type { WebSocketKind } from '../model/websocket.ts';
import { processEnd } from './evidence/process-end.ts';
import { outerKill } from './evidence/queries.ts';
import type { SocketPiece } from './evidence/web-sockets.ts';
import { endedAt } from './evidence/work.ts';
import type { WorkCase } from './drn-fate.ts';
import { afterSignal, graceEnds } from './drn-fate.ts';
import { found } from './finding.ts';
import { secondSignalAt, socketsAtSignal, withSockets } from './wss-held.ts';

const NO_CODE = 1005;

const explain = {
  breaks:
    'A process that exits, or a server that destroys its sockets, without a Close; a library that closes with 1000 or 1006 by itself; a list of sockets that only has those that are registered.',
  remedy:
    'Send every open WebSocket a Close with the code and a reason when the stop begins, and await the answer within what remains of the drain.',
};

/** WSS-2: what is on the wire, whenever in the stop it comes. */
export const wss2: Clause = {
  id: 'WSS-2',
  title: 'an idle WebSocket gets a Close frame',
  requirement: "it gets a Close frame with the preset's code and a reason, not a reset",
  levels: { 'light-fabric': 'S', 'openab-cp': 'M', baseline: 'S' },
  needs: ['direct', 'websocket'],
  check: (history, terms) => closedWell(history, terms, ['idle', 'chatty']),
  explain: {
    measured:
      'The frames on WebSockets that were open at the signal, idle ones and some on which messages go on: a Close frame with its code and reason, or how the connection ended without one.',
    ...explain,
  },
};

export const wss3: Clause = {
  id: 'WSS-3',
  title: 'a WebSocket on which nothing was said gets a Close frame',
  requirement: "a socket that upgraded and said nothing yet gets a Close frame with the preset's code and a reason too",
  levels: { 'light-fabric': 'S', 'openab-cp': 'M', baseline: 'r' },
  needs: ['direct', 'websocket'],
  check: (history, terms) => closedWell(history, terms, ['unregistered']),
  explain: {
    measured:
      'The same on WebSockets that were upgraded and on which the peer has said nothing, no registration either.',
    ...explain,
  },
};

/** WSS-7: the code is the service's own there; what counts is that the frame comes whole. */
export const wss7: Clause = {
  id: 'WSS-7',
  title: 'a close of one connection that is under way still delivers its Close frame',
  requirement:
    'a per-connection close latched during the drain, or the first process signal during a per-connection close, still delivers a whole Close frame. After a second process signal Close frames are recorded only',
  levels: { 'light-fabric': '-', 'openab-cp': 'M', baseline: '-' },
  needs: ['direct', 'websocket'],
  check: (history, terms) => {
    const sockets = socketsAtSignal(history, terms, ['refused'], ['a whole Close frame, with whatever code']);
    if (sockets.finding) return sockets.finding;
    const { work, open, base } = sockets;
    const unread = open.filter(({ finished }) => !finished || finished.t >= graceEnds(work));
    if (unread.length > 0) {
      const seen = `${unread.length} of ${open.length} were not read before the grace ran out`;
      return found.inconclusive(seen, withSockets(base, unread));
    }
    return judged(work, open, base, (piece) => (piece.ended?.webSocket?.close ? undefined : withoutClose(work, piece)));
  },
  explain: {
    measured:
      'A peer has made the service close this one connection, or makes it do so in the drain, and reads nothing until after the signal; then everything that comes on it: a whole Close frame, or its end without one.',
    breaks:
      'A close task that the shutdown cancels in the middle of its write; a shutdown that drops whatever is closing already.',
    remedy:
      'Let a close that is under way finish within what remains of the drain budget, and give it no budget of its own.',
  },
};

function closedWell(history: History, terms: Terms, kinds: readonly WebSocketKind[]): Finding {
  const reason = terms.closeReason === null ? 'a reason' : `the reason ${JSON.stringify(terms.closeReason)}`;
  const accepted = [`a Close frame with ${terms.closeCodes.join(' or ')} and ${reason}`];
  const sockets = socketsAtSignal(history, terms, kinds, accepted);
  if (sockets.finding) return sockets.finding;
  return judged(sockets.work, sockets.open, sockets.base, (piece) => wrongClose(sockets.work, piece));
}

/** What is wrong with each, as one finding. After a second signal Close frames are recorded only. */
function judged(
  work: WorkCase,
  open: readonly SocketPiece[],
  base: { readonly accepted: readonly string[]; readonly evidence: readonly number[] },
  problemOf: (piece: SocketPiece) => string | undefined,
): Finding {
  const wrong = open.flatMap((piece) => {
    const problem = problemOf(piece);
    return problem === undefined ? [] : [{ piece, problem }];
  });
  const [first] = wrong;
  if (!first) {
    const close = open[0]?.ended?.webSocket?.close;
    const example = close
      ? `: ${close.code} ${JSON.stringify(close.reason)} ${afterSignal(work.trigger, close.t)}`
      : '';
    return found.pass(`${open.length} of ${open.length} got a whole Close frame${example}`, base);
  }
  const details = withSockets(
    base,
    wrong.map(({ piece }) => piece),
  );
  const unknown = wrong.find(({ piece }) => !isKnown(work, piece));
  const second = secondSignalAt(work);
  const counts = wrong.filter(
    ({ piece }) => isKnown(work, piece) && (second === undefined || decidedAt(piece) < second),
  );
  const said = counts[0] ?? first;
  const seen = `${wrong.length} of ${open.length} got no such Close frame; ${said.piece.held.id} (${said.piece.held.webSocket.kind}) ${said.problem}`;
  if (counts.length > 0) return found.fail(seen, details);
  const why = unknown ? 'how they ended is not on record' : 'after a second signal Close frames are recorded only';
  return found.inconclusive(`${seen}: ${why}`, details);
}

/** Whether what is on record of it reaches to its end, or to that of the process. */
function isKnown({ history }: WorkCase, { ended }: SocketPiece): boolean {
  if (!ended) return false;
  if (ended.fate !== 'held' || ended.webSocket?.close) return true;
  return processEnd(history) !== undefined || outerKill(history) !== undefined;
}

/** When it was clear how it is closed. */
function decidedAt(piece: SocketPiece): number {
  return piece.ended?.webSocket?.close?.t ?? endedAt(piece) ?? Number.POSITIVE_INFINITY;
}

function wrongClose(work: WorkCase, piece: SocketPiece): string | undefined {
  const { closeCodes, closeReason } = work.terms;
  const close = piece.ended?.webSocket?.close;
  if (!close) return withoutClose(work, piece);
  const when = afterSignal(work.trigger, close.t);
  if (!closeCodes.includes(close.code)) {
    const code = close.code === NO_CODE ? 'no code' : `code ${close.code}`;
    return `got a Close with ${code} ${when}`;
  }
  if (closeReason === null ? close.reason !== '' : close.reason === closeReason) return undefined;
  const reason = close.reason === '' ? 'no reason' : `the reason ${JSON.stringify(close.reason)}`;
  return `got a Close ${close.code} with ${reason} ${when}`;
}

function withoutClose({ trigger }: WorkCase, { ended }: SocketPiece): string {
  if (!ended) return 'has no end on record';
  const { fate, webSocket } = ended;
  if (webSocket?.problem !== undefined) return `got what breaks the protocol (${webSocket.problem})`;
  const when = afterSignal(trigger, ended.t);
  if (webSocket?.partialFrame) return `was cut in the middle of a frame ${when}`;
  if (fate === 'reset') return `was reset ${when}`;
  if (fate === 'held') return 'got none until the record stopped';
  return fate === 'hung' ? `was lost without a word ${when}` : `was closed without one ${when}`;
}
