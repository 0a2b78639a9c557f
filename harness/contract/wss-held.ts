import type { Finding, Terms } from '../model/clause.ts';
import type { History } from '../model/history.ts';
import type { Nanoseconds } from '../model/time.ts';
import type { WebSocketKind } from '../model/websocket.ts';
import { processEnd } from './evidence/process-end.ts';
import { deliveredSignals, ofKind, triggerOf } from './evidence/queries.ts';
import type { SocketPiece } from './evidence/web-sockets.ts';
import { socketsOf } from './evidence/web-sockets.ts';
import { declareFor, endedAt, evidenceOf, unheld } from './evidence/work.ts';
import type { WorkCase } from './drn-fate.ts';
import type { Base } from './expired-stop.ts';
import { found, untriggered } from './finding.ts';

const SHAPE = 'web-sockets';
const DECLARE = 'endpoints: { websocket: [/ws] }';
/** The evidence of a thousand WebSockets is that of a few of them. */
const MOST_SHOWN = 8;

/** The signal with WebSockets of some kinds open at it, or the finding where there were none. */
type Sockets =
  | {
      readonly work: WorkCase;
      readonly open: readonly SocketPiece[];
      readonly base: Base;
      readonly finding?: undefined;
    }
  | { readonly finding: Finding };

/** What the clauses about WebSockets have in common. One that was closed before the signal was not open at it. */
export function socketsAtSignal(
  history: History,
  terms: Terms,
  kinds: readonly WebSocketKind[],
  accepted: readonly string[],
): Sockets {
  const held = socketsOf(history, kinds);
  const names = kinds.join(' or ');
  const ours = (tried: readonly string[]): boolean => kinds.some((kind) => tried.some((line) => line.startsWith(kind)));
  const failures = unheld(history, [SHAPE]);
  const missing = ofKind(history, 'capability.missing').find((o) => o.capability === 'websocket');
  const failed = failures.find((o) => ours(o.tried)) ?? failures[0] ?? missing;
  if (held.length === 0 && failed) {
    const why = failed.kind === 'work.failed' ? failed.message : failed.reason;
    const declare = declareFor(history, failed, missing?.declare ?? DECLARE);
    const seen = `no WebSocket was held (${names}): ${why}`;
    return { finding: found.notExercised(seen, { accepted, evidence: [failed.seq], declare }) };
  }
  const trigger = triggerOf(history);
  if (!trigger) return { finding: untriggered(history, accepted) };
  const { begin } = trigger.interval;
  const open = held.filter((piece) => {
    const close = piece.ended?.webSocket?.close?.t ?? Number.POSITIVE_INFINITY;
    return piece.held.t <= begin && (endedAt(piece) ?? Number.POSITIVE_INFINITY) >= begin && close >= begin;
  });
  const base = {
    accepted,
    evidence: [trigger.seq, ...evidenceOf((open.length > 0 ? open : held).slice(0, MOST_SHOWN))],
  };
  if (open.length === 0) {
    const seen = `the trigger never happened: none of ${held.length} WebSockets (${names}) was open at the signal`;
    return { finding: found.inconclusive(seen, base) };
  }
  return { work: { history, terms, trigger }, open, base };
}

/** Evidence of these few besides. */
export function withSockets(base: Base, pieces: readonly SocketPiece[]): Base {
  return { ...base, evidence: [...new Set([...base.evidence, ...evidenceOf(pieces.slice(0, MOST_SHOWN))])] };
}

/** When it was lost: its end, or the end of PID 1 where that came first. Undefined where neither is on record. */
export function lostAt({ history }: WorkCase, piece: SocketPiece): Nanoseconds | undefined {
  const at = Math.min(endedAt(piece) ?? Number.POSITIVE_INFINITY, goneAt(history));
  return Number.isFinite(at) ? at : undefined;
}

function goneAt(history: History): Nanoseconds {
  return processEnd(history)?.interval.end ?? Number.POSITIVE_INFINITY;
}

/** When the script sent another signal: from here on Close frames are recorded only (WSS-7). */
export function secondSignalAt({ history, trigger }: WorkCase): Nanoseconds | undefined {
  return deliveredSignals(history).find((signal) => signal.seq !== trigger.seq)?.interval.begin;
}
