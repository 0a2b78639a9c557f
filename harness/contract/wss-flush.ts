import type { Clause } from '../model/clause.ts';
import { toMs } from './evidence/queries.ts';
import { longestStallMs } from './evidence/stop-duration.ts';
import type { SocketPiece } from './evidence/web-sockets.ts';
import type { WorkCase } from './drn-fate.ts';
import { afterSignal, cutIsDue, graceEnds } from './drn-fate.ts';
import { found } from './finding.ts';
import { lostAt, secondSignalAt, socketsAtSignal, withSockets } from './wss-held.ts';

/** So much time for the rest of a flood is enough for every service; beside others it may take longer. */
const ENOUGH_MS = 500;
const ENOUGH_IN_COMPANY_MS = 1000;

/** WSS-4: messages count when they are whole, so a frame that is cut never does. */
export const wss4: Clause = {
  id: 'WSS-4',
  title: 'queued frames are flushed before the Close',
  requirement: 'queued outbound frames are flushed before Close; a frame being written at the signal arrives whole',
  levels: { 'light-fabric': 'S', 'openab-cp': 'M', baseline: '-' },
  needs: ['direct', 'websocket'],
  check: (history, terms) => {
    const accepted = ['every byte that is owed at the signal arrives in whole messages'];
    const sockets = socketsAtSignal(history, terms, ['backlog'], accepted);
    if (sockets.finding) return sockets.finding;
    const { work, open, base } = sockets;
    const short = open.filter(isShort);
    const [first] = short;
    if (!first) {
      const { bytes = 0, close } = open[0]?.ended?.webSocket ?? {};
      const then = close ? `, then a Close ${close.code}` : '; no Close frame came after them';
      return found.pass(`${open.length} of ${open.length} got all that was queued: ${bytes} bytes${then}`, base);
    }
    const details = withSockets(base, short);
    const certain = short.find((piece) => isLost(work, piece) === 'certain');
    const seen = `${short.length} of ${open.length} got less than was queued; ${inWords(work, certain ?? first)}`;
    if (secondSignalAt(work) !== undefined) return found.inconclusive(`${seen}, after a second signal`, details);
    if (certain) return found.fail(seen, details);
    const narrow = short.some((piece) => isLost(work, piece) === 'narrow');
    const why = narrow ? 'that little time was left may be the reason' : 'it was not read in time to tell';
    return found.inconclusive(`${seen}: ${why}`, { ...details, ...(narrow && { timing: true }) });
  },
  explain: {
    measured:
      'A peer asks for more than the sockets between hold and reads nothing until after the signal, then all of it: the bytes of whole messages against those that were asked for, and whether the connection ended in the middle of a frame.',
    breaks:
      'Dropping the queue of a connection at the signal; sending the Close past the queue; ending the process when the Close is handed to a buffer.',
    remedy:
      'Close through the same queue as the messages, and await the answer to the Close, within what remains of the drain.',
  },
};

function isShort({ held, ended }: SocketPiece): boolean {
  const end = ended?.webSocket;
  if (end?.partialFrame || end?.problem !== undefined) return true;
  return (end?.bytes ?? 0) < (held.webSocket.owed ?? 0);
}

/** Lost before the grace ran out, or although it was read early enough: then it is the service's doing. */
function isLost(work: WorkCase, piece: SocketPiece): 'certain' | 'narrow' | 'unknown' {
  const { history, trigger } = work;
  const at = lostAt(work, piece);
  if (at === undefined) return 'unknown';
  if (at < cutIsDue(work) || piece.ended?.webSocket?.close) return 'certain';
  const read = piece.finished?.t;
  if (read === undefined) return 'unknown';
  const stalledMs = longestStallMs(history, { begin: trigger.interval.begin, end: at });
  const leftMs = toMs(graceEnds(work) - read) - stalledMs;
  if (leftMs < ENOUGH_MS) return leftMs > 0 ? 'narrow' : 'unknown';
  return leftMs >= ENOUGH_IN_COMPANY_MS || history.header.cell.lane === 'alone' ? 'certain' : 'narrow';
}

function inWords({ trigger }: WorkCase, { held, ended }: SocketPiece): string {
  const { bytes = 0, partialFrame, problem, close } = ended?.webSocket ?? {};
  const cut = partialFrame ? ', the last frame cut' : problem === undefined ? '' : ` (${problem})`;
  const how = close ? `closed with ${close.code}` : (ended?.fate ?? 'no end on record');
  const when = ended ? ` ${afterSignal(trigger, close?.t ?? ended.t)}` : '';
  return `${held.id} got ${bytes} of ${held.webSocket.owed ?? 0} bytes${cut}, ${how}${when}`;
}
