import type { Clause, Finding } from '../model/clause.ts';
import type { History } from '../model/history.ts';
import type { ObservationOf } from '../model/observation.ts';
import type { Nanoseconds } from '../model/time.ts';
import type { ProcessEnd } from './evidence/process-end.ts';
import { processEnd } from './evidence/process-end.ts';
import { endingOf, outerKill, toMs, toNs, triggerOf } from './evidence/queries.ts';
import { longestStallMs, ms } from './evidence/stop-duration.ts';
import { isUnreadWebSocket } from './evidence/web-sockets.ts';
import type { Piece } from './evidence/work.ts';
import { declareFor, endedAt, evidenceOf, isAdmitted, piecesOf, unheld } from './evidence/work.ts';
import type { Base } from './expired-stop.ts';
import { SLOW_ENDPOINT } from './expired-stop.ts';
import { found, untriggered } from './finding.ts';

/**
 * After the exit the record waits 500 ms for the fate of held work (run/script.ts). An end reaches the peer 1 to 3 ms
 * after the exit on every route (engines.md section 3), so silence for this long means that it never came.
 */
const SILENCE_MS = 400;
/** Answers without a length may differ a little from one request to the next; more than this is missing is a cut. */
const NEARLY_WHOLE = 0.9;

/** What the service does within this of a moment of the stop it does because of it. */
const AT_ONCE_MS = 100;

const accepted = [
  'every connection is closed by the exit, and the peer learns of it',
  'an answer that ends early is chunked without its last chunk, shorter than its length, or reset',
];

/**
 * DLN-7: whether the peers can tell. Closing at the exit itself is allowed, and so is cutting; an answer without length
 * and chunks that ends in an orderly way looks whole to every client.
 */
export const dln7: Clause = {
  id: 'DLN-7',
  title: 'no connection outlives the exit, no cut passes for an answer',
  requirement: 'all connections are closed by exit; no answer is truncated without the client being able to tell',
  levels: { 'light-fabric': 'M', 'openab-cp': 'M', baseline: 'S' },
  // what of several loads could be held is on record with each: one that could not be does not silence the others
  needs: ['direct'],
  check: (history, terms) => {
    if (terms.graceMs === 0 && terms.zeroGrace !== 'warn') {
      return found.notExercised('a grace of 0 does not start here', { accepted, evidence: [] });
    }
    const failed = unheld(history)[0];
    if (failed && piecesOf(history).length === 0) {
      const seen = `nothing could be held: ${failed.message}`;
      return found.notExercised(seen, {
        accepted,
        evidence: [failed.seq],
        declare: declareFor(history, failed, SLOW_ENDPOINT),
      });
    }
    const trigger = triggerOf(history);
    if (!trigger) return untriggered(history, accepted);
    // who reads nothing on a WebSocket cannot learn of its end
    const pieces = piecesOf(history).filter(
      (piece) => (endedAt(piece) ?? trigger.interval.begin) >= trigger.interval.begin && !isUnreadWebSocket(piece),
    );
    if (pieces.length === 0) {
      const seen = 'the trigger never happened: no connection was held at the signal';
      return found.inconclusive(seen, { accepted, evidence: [trigger.seq] });
    }
    const ending = endingOf(history);
    const base = { accepted, evidence: [trigger.seq, ...ending.evidence] };
    const findings = pieces.map((piece) => {
      const details = { accepted, evidence: [...base.evidence, ...evidenceOf([piece])] };
      return hiddenCut(history, piece, details) ?? openAfterExit(history, piece, details);
    });
    const worst =
      findings.find((finding) => finding?.outcome === 'fail') ??
      findings.find((finding) => finding?.outcome === 'inconclusive') ??
      findings.find((finding) => finding !== undefined);
    if (worst?.outcome === 'fail') return worst;
    if (ending.how === 'unknown') return found.inconclusive(ending.why, base);
    if (worst) return worst;
    const seen = `${pieces.length} connection(s): ${tally(pieces)}; the peer could tell in each case`;
    return found.pass(seen, { accepted, evidence: [...base.evidence, ...evidenceOf(pieces)] });
  },
  explain: {
    measured:
      'The fate of every connection that was held across the signal: how the service ended it, its headers, its bytes, and whether its end had reached the peer half a second after the exit.',
    breaks:
      'An answer without Content-Length and chunks (HTTP/1.0 style) that is cut by an orderly close; sockets handed to something that outlives PID 1.',
    remedy:
      'Send a length or chunks, so that a cut shows; reset, or leave out the last chunk, when an answer is cut short.',
  },
};

/** An answer whose framing cannot show where it ends, ended in an orderly way before its end. */
function hiddenCut(history: History, { held, ended }: Piece, base: Base): Finding | undefined {
  if (!ended || !isUsualAnswer(held, ended) || held.over === 'h2') return undefined;
  if (ended.by !== undefined && ended.by !== 'FIN') return undefined;
  const over = ended.fate === 'answered' || ended.fate === 'truncated' || ended.fate === 'closed';
  const short = shortfall(history, held, ended);
  if (!over || short === undefined) return undefined;
  const seen = `${nameOf(held)}: ${short.text}`;
  if (ended.headers === undefined) {
    return ended.fate === 'answered'
      ? found.inconclusive(`${seen}, and whether that shows cannot be told: its headers are not on record`, base)
      : undefined;
  }
  if (showsItsEnd(ended)) return undefined;
  const hidden = `${seen}, without Content-Length and chunks`;
  if (ended.by === undefined) return found.inconclusive(`${hidden}; how the connection ended is not on record`, base);
  return short.certain
    ? found.fail(`${hidden}, and closed in an orderly way: no client can tell`, base)
    : found.inconclusive(`${hidden}, and closed in an orderly way; it may have been whole`, base);
}

/** A head came, with the status that a whole answer has: errors and refusals are answers of their own. */
function isUsualAnswer(held: ObservationOf<'work.held'>, { status }: ObservationOf<'work.ended'>): boolean {
  if (status === undefined) return false;
  return held.normal === undefined ? status >= 200 && status < 300 : status === held.normal.status;
}

/** Whether the framing of HTTP/1.1 says where the answer ends: 204 and 304 have no body. */
function showsItsEnd({ headers, status }: ObservationOf<'work.ended'>): boolean {
  const chunked = /\bchunked\b/i.test(headers?.['transfer-encoding'] ?? '');
  return status === 204 || status === 304 || chunked || headers?.['content-length'] !== undefined;
}

/** What an answer lacks, as far as it is known how much there should have been. */
function shortfall(
  history: History,
  held: ObservationOf<'work.held'>,
  ended: ObservationOf<'work.ended'>,
): { readonly text: string; readonly certain: boolean } | undefined {
  const [bytes, normal] = [ended.bytes ?? 0, held.normal?.bytes];
  if (normal !== undefined && bytes < normal) {
    return { text: `an answer of ${bytes} bytes instead of ${normal}`, certain: bytes <= normal * NEARLY_WHOLE };
  }
  if (held.ends !== 'never' || normal !== undefined) return undefined;
  const text = `an answer without an end of its own ended after ${bytes} bytes`;
  return { text, certain: isOfTheStop(history, ended.t) };
}

/** Whether an end came with the signal, with the graceful deadline or with the exit, not of its own accord. */
function isOfTheStop(history: History, t: Nanoseconds): boolean {
  const signal = triggerOf(history)?.interval;
  if (!signal) return false;
  const { graceMs } = history.header.basis.terms;
  const causes = [
    signal,
    ...(graceMs === null ? [] : [{ begin: signal.begin + toNs(graceMs), end: signal.end + toNs(graceMs) }]),
    ...[processEnd(history)?.interval].filter((end) => end !== undefined),
  ];
  const near = toNs(AT_ONCE_MS);
  return causes.some(({ begin, end }) => t >= begin - near && t <= end + near);
}

/** A connection of which the peer had not learned the end when the record stopped. */
function openAfterExit(history: History, piece: Piece, base: Base): Finding | undefined {
  const { held, ended } = piece;
  const end = processEnd(history);
  const kill = outerKill(history);
  const name = nameOf(held);
  const t = ended && ended.fate !== 'held' && ended.fate !== 'hung' ? ended.t : undefined;
  if (kill && (t === undefined || t >= (kill.begin ?? kill.t))) {
    const seen = `${name} was still open when the harness sent SIGKILL`;
    if (mayStillWait(history, piece)) {
      const why = 'the harness never completed its part, and no grace is declared after which it should be cut';
      return found.notExercised(`${seen}; ${why}`, { ...base, declare: 'grace: 30s   # after which work is cut' });
    }
    return found.fail(seen, { ...base, evidence: [...base.evidence, kill.seq] });
  }
  if (t !== undefined) return undefined;
  if (!ended) return found.inconclusive(`the fate of ${name} is not on record`, base);
  if (!end) return found.inconclusive(`${name} was still open when the record stopped, before any exit was seen`, base);
  return silent(history, name, { end, until: ended.t }, base);
}

/** Admitted work without an end: a service may wait for it as long as it likes where no grace is declared (baseline). */
function mayStillWait(history: History, piece: Piece): boolean {
  const { graceMs } = history.header.basis.terms;
  return graceMs === null && isAdmitted(piece) && piece.held.ends !== 'itself' && !piece.finished;
}

/** Ids that loads give begin with the shape. */
function nameOf({ id, shape }: ObservationOf<'work.held'>): string {
  return id.startsWith(shape) ? id : `${shape} ${id}`;
}

function silent(
  history: History,
  name: string,
  { end, until }: { readonly end: ProcessEnd; readonly until: number },
  base: Base,
): Finding {
  const after = { begin: end.interval.end, end: until };
  const waitedMs = toMs(until - end.interval.end) - longestStallMs(history, after);
  const seen = `${name} was still open to its peer ${ms(toMs(until - end.interval.end))} after the exit`;
  const details = { ...base, evidence: [...base.evidence, ...end.evidence] };
  if (waitedMs >= SILENCE_MS) return found.fail(seen, details);
  return found.inconclusive(`${seen}; nobody waited long enough for its end`, details);
}

function tally(pieces: readonly Piece[]): string {
  const counts = new Map<string, number>();
  for (const { ended } of pieces) counts.set(ended?.fate ?? 'unknown', (counts.get(ended?.fate ?? 'unknown') ?? 0) + 1);
  return [...counts].map(([fate, count]) => `${count} ${fate}`).join(', ');
}
