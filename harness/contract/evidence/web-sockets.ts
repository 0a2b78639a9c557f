import type { History } from '../../model/history.ts';
import type { ObservationOf } from '../../model/observation.ts';
import type { HeldWebSocket, WebSocketKind } from '../../model/websocket.ts';
import type { Piece } from './work.ts';
import { piecesOf } from './work.ts';

/** A WebSocket that was held, or half of its upgrade. */
export interface SocketPiece extends Piece {
  readonly held: ObservationOf<'work.held'> & { readonly webSocket: HeldWebSocket };
}

export function isWebSocket(piece: Piece): piece is SocketPiece {
  return piece.held.webSocket !== undefined;
}

/** The WebSockets of some kinds that were held, in order of proof. */
export function socketsOf(history: History, kinds: readonly WebSocketKind[]): readonly SocketPiece[] {
  return piecesOf(history)
    .filter(isWebSocket)
    .filter(({ held }) => kinds.includes(held.webSocket.kind));
}

/** Whether it is an upgraded WebSocket that got no Close frame as far as is on record. */
export function isCutWebSocket(piece: Piece): boolean {
  return isWebSocket(piece) && piece.held.webSocket.kind !== 'half-upgrade' && !piece.ended?.webSocket?.close;
}

/** Whether nobody read on it, so that neither a Close frame nor its end could be seen in time. */
export function isUnreadWebSocket(piece: Piece): boolean {
  if (!isWebSocket(piece)) return false;
  const { kind } = piece.held.webSocket;
  return kind === 'stops-reading' || (kind === 'backlog' || kind === 'refused' ? !piece.finished : false);
}

/** How many of each kind: `4 idle, 2 chatty`. */
export function socketsInWords(pieces: readonly SocketPiece[]): string {
  const counts = new Map<string, number>();
  for (const { held } of pieces) counts.set(held.webSocket.kind, (counts.get(held.webSocket.kind) ?? 0) + 1);
  return [...counts].map(([kind, count]) => `${count} ${kind}`).join(', ');
}
