import type { Draft, Fate } from '../../model/observation.ts';
import type { HeldWebSocket, UpgradeObservation, WebSocketEnd, WebSocketKind } from '../../model/websocket.ts';
import { at, SIGNAL_AT } from './history-builder.ts';
import { finished, held, lost, workFailed } from './work-builder.ts';

/** A WebSocket of the usual path that is held at the usual signal; ids are `web-sockets-<n>`. */
export function socket(kind: WebSocketKind, n = 1, more: Partial<HeldWebSocket> = {}): Draft {
  const ends = kind === 'backlog' || kind === 'refused' || kind === 'half-upgrade' ? 'finish' : 'never';
  const { normal: _, ...work } = held(`web-sockets-${n}`, { admitted: false, ends }) as Extract<
    Draft,
    { kind: 'work.held' }
  >;
  return { ...work, webSocket: { kind, path: '/ws', ...more } };
}

/** Its end so long after the usual signal; a Close with a code and a reason came 1 ms before. */
export function socketEnd(
  n: number,
  afterMs: number,
  seen: { readonly code?: number; readonly reason?: string; readonly fate?: Fate } & Partial<WebSocketEnd> = {},
): Draft {
  const { code, reason = 'shutting down', fate = 'closed', ...rest } = seen;
  const close = code === undefined ? {} : { close: { code, reason, t: at(SIGNAL_AT + afterMs - 1) } };
  return lost(`web-sockets-${n}`, afterMs, fate, { webSocket: { messages: 0, bytes: 0, ...close, ...rest } });
}

export const readOn = (n: number, afterMs: number): Draft => finished(`web-sockets-${n}`, afterMs);

export const noSocket = (message: string): Draft => workFailed('web-sockets', message);

/** An upgrade whose request was complete so long after the usual signal, and answered 1 ms later. */
export function upgradeAt(
  afterMs: number,
  outcome: UpgradeObservation['outcome'],
  more: Partial<Omit<UpgradeObservation, 'kind' | 'outcome'>> & { readonly begin?: number } = {},
): Draft {
  const sent = SIGNAL_AT + afterMs;
  const answered = outcome === 'answered' || outcome === 'upgraded' ? { answeredAt: at(sent + 1) } : {};
  const stamps = outcome === 'refused' ? {} : { sentBegin: at(sent), sentAt: at(sent + 0.1), ...answered };
  const status = outcome === 'upgraded' ? { status: 101 } : {};
  const usual = { id: 'upgrade-1', via: 'new', path: '/ws' } as const;
  return {
    kind: 'ws.upgrade',
    begin: at(sent - 0.5),
    t: at(sent + 1),
    ...usual,
    outcome,
    ...stamps,
    ...status,
    ...more,
  };
}
