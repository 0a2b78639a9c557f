import type { History } from '../../model/history.ts';
import type { ObservationOf } from '../../model/observation.ts';
import type { Nanoseconds } from '../../model/time.ts';
import { processEnd } from './process-end.ts';
import type { Trigger } from './queries.ts';
import { ofKind } from './queries.ts';

/** One piece of held work with everything that is on record about it. */
export interface Piece {
  readonly held: ObservationOf<'work.held'>;
  /** When the harness had completed its part of it. Absent: it never did. */
  readonly finished?: ObservationOf<'work.finished'>;
  /** Its fate. Fate `held` says only that the record stopped: it never ended (see `endedAt`). */
  readonly ended?: ObservationOf<'work.ended'>;
}

const known = new WeakMap<History, readonly Piece[]>();

/**
 * All work that was proven held, in order of proof. The first end and the first completion of an id count; an end of
 * work that was never held is none.
 */
export function piecesOf(history: History): readonly Piece[] {
  const before = known.get(history);
  if (before) return before;
  const finished = firstById(ofKind(history, 'work.finished'));
  const ended = firstById(ofKind(history, 'work.ended'));
  const pieces = [...firstById(ofKind(history, 'work.held')).values()].map((held) => {
    const [done, end] = [finished.get(held.id), ended.get(held.id)];
    return { held, ...(done && { finished: done }), ...(end && { ended: end }) };
  });
  known.set(history, pieces);
  return pieces;
}

function firstById<T extends { readonly id: string }>(list: readonly T[]): ReadonlyMap<string, T> {
  const map = new Map<string, T>();
  for (const entry of list) if (!map.has(entry.id)) map.set(entry.id, entry);
  return map;
}

/** Whether the gate had let it in: a request whose headers were complete. */
export function isAdmitted(piece: Piece): boolean {
  return piece.held.admitted !== false;
}

/** Whether it is a connection of which nobody knows what is spoken on it: never admitted work. */
export function isBare({ held }: Piece): boolean {
  return held.over === 'tcp';
}

/** When it ended, stamped by this host; undefined while nothing had happened to it when the record stopped. */
export function endedAt(piece: Piece): Nanoseconds | undefined {
  return piece.ended === undefined || piece.ended.fate === 'held' ? undefined : piece.ended.t;
}

/** Whether it got a whole answer, with whatever status. */
export function isAnswered(piece: Piece): boolean {
  return piece.ended?.fate === 'answered';
}

/** When the last byte of its answer came; undefined where it got no whole answer. */
export function answeredAt(piece: Piece): Nanoseconds | undefined {
  return isAnswered(piece) ? (piece.ended?.lastByteAt ?? piece.ended?.t) : undefined;
}

/**
 * The work that was in flight at the signal: held before its call, and not over by then. The service got the signal
 * somewhere between call and answer, so work that ended in between is none of it, with one exception: a connection that
 * was lost (not answered) there was cut because of the signal when PID 1 may have been gone by then, or when it was not
 * the only one. A service that leaves within a millisecond does so before the engine has answered (engines.md section 1).
 */
export function inFlightAt(history: History, trigger: Trigger): readonly Piece[] {
  const { begin, end } = trigger.interval;
  const held = piecesOf(history).filter(({ held }) => held.t <= begin);
  const lost = held.filter((piece) => {
    const at = endedAt(piece);
    return at !== undefined && at >= begin && at <= end && !isNormal(piece);
  });
  const gone = processEnd(history)?.interval.begin ?? Number.POSITIVE_INFINITY;
  return held.filter((piece) => {
    const at = endedAt(piece) ?? Number.POSITIVE_INFINITY;
    return at > end || (lost.includes(piece) && (lost.length > 1 || gone <= at));
  });
}

/** Answered as it would have been without a signal: with its normal status, or where none is known anything but 503. */
function isNormal(piece: Piece): boolean {
  if (!isAnswered(piece)) return false;
  const { normal } = piece.held;
  return normal === undefined ? piece.ended?.status !== 503 : piece.ended?.status === normal.status;
}

/** The last whole answer to held work, by its last byte; undefined where nothing was answered. */
export function lastWorkEnd(history: History): { readonly at: Nanoseconds; readonly piece: Piece } | undefined {
  let last: { readonly at: Nanoseconds; readonly piece: Piece } | undefined;
  for (const piece of piecesOf(history)) {
    const at = answeredAt(piece);
    if (at !== undefined && (last === undefined || at > last.at)) last = { at, piece };
  }
  return last;
}

/** What could not be held, of some shapes or of all. */
export function unheld(history: History, shapes?: readonly string[]): readonly ObservationOf<'work.failed'>[] {
  return ofKind(history, 'work.failed').filter((o) => shapes === undefined || shapes.includes(o.shape));
}

/**
 * The profile line to declare for what could not be held: that of the load which said so, since a wrong CA or a port without
 * HTTP is not mended by an endpoint; else the clause's own.
 */
export function declareFor(
  history: History,
  failed: ObservationOf<'work.failed' | 'capability.missing'> | undefined,
  otherwise: string,
): string {
  const reason = failed?.kind === 'work.failed' ? failed.message : failed?.reason;
  return ofKind(history, 'capability.missing').find((o) => o.reason === reason)?.declare ?? otherwise;
}

/** Sequence numbers of everything that is on record about these pieces. */
export function evidenceOf(pieces: readonly Piece[]): readonly number[] {
  return pieces.flatMap(({ held, finished, ended }) =>
    [held.seq, finished?.seq, ended?.seq].filter((seq) => seq !== undefined),
  );
}
