import type { Capability } from '../model/clause.ts';
import type { Endpoints } from '../model/target.ts';
import type { WebSocketEndpoint, WebSocketKind } from '../model/websocket.ts';

const DECLARE = {
  path: 'endpoints: { websocket: [/ws] }',
  flood: "endpoints: { websocket: [{ path: /ws, flood: { send: 'flood 16777216', bytes: 16777216 } }] }",
  refused: 'endpoints: { websocket: [{ path: /ws, refused: { send: goodbye } }] }',
} as const;

/** Which of the declared endpoints can hold a kind: a flood, or a close by the service, must be declared with it. */
export function webSocketEndpoints(kind: WebSocketKind, endpoints: Endpoints): readonly WebSocketEndpoint[] {
  const declared = endpoints.webSocket ?? [];
  const needed = neededBy(kind);
  return needed === undefined ? declared : declared.filter((endpoint) => endpoint[needed] !== undefined);
}

function neededBy(kind: WebSocketKind): 'flood' | 'refused' | undefined {
  if (kind === 'stops-reading' || kind === 'backlog') return 'flood';
  return kind === 'refused' ? 'refused' : undefined;
}

/** The line that makes a kind possible. */
export function declareWebSocket(kind: WebSocketKind): string {
  return DECLARE[neededBy(kind) ?? 'path'];
}

/** What is not declared and a kind cannot do without; undefined where nothing is missing. */
export function undeclaredWebSocket(
  kind: WebSocketKind,
  endpoints: Endpoints,
): { readonly capability: Capability; readonly reason: string; readonly declare: string } | undefined {
  if (webSocketEndpoints(kind, endpoints).length > 0) return undefined;
  const missing = { capability: 'websocket', declare: declareWebSocket(kind) } as const;
  const needed = neededBy(kind);
  if (needed === undefined || (endpoints.webSocket ?? []).length === 0) {
    return { ...missing, reason: 'no route is declared that takes a WebSocket' };
  }
  const reason =
    needed === 'flood'
      ? 'no message is declared upon which the service sends more than the sockets between hold'
      : 'no message is declared upon which the service closes a WebSocket';
  return { ...missing, reason: `${reason} (${kind})` };
}
