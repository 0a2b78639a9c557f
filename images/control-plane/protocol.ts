import type { Peer } from './peer.ts';

/** Registration belongs to the connection: a method knows its peer. */
type Method = (peer: Peer, params: Readonly<Record<string, unknown>>) => unknown;

/** JSON-RPC error codes: those of the specification, and the control plane's own. */
const PARSE_ERROR = -32_700;
const METHOD_NOT_FOUND = -32_601;
const SATURATED = -32_001;

/** Policy Violation. */
const REFUSED = 1008;

const FLOOD_PIECE = 65_536;
const FLOOD_MOST = 64 * 1024 * 1024;

/** Messages of at most 64 KiB with so many bytes in all. */
const flood = (peer: Peer, bytes: number): void => {
  for (let left = Math.min(bytes, FLOOD_MOST); left > 0; left -= FLOOD_PIECE) {
    peer.send('.'.repeat(Math.min(left, FLOOD_PIECE)));
  }
};

/** What a method returns is the result; without any it has answered by itself. */
const methods: Readonly<Record<string, Method>> = {
  'cp/register': (peer, { runtime }) => {
    if (typeof runtime !== 'string' || runtime === '') {
      peer.close(REFUSED, 'registration refused');
      return undefined;
    }
    peer.registered = true;
    return { status: 'registered', runtime };
  },
  'cp/ping': () => 'pong',
  'cp/flood': (peer, { bytes }) => {
    flood(peer, Number(bytes) || 0);
    return undefined;
  },
};

interface Request {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: Readonly<Record<string, unknown>>;
}

const parsed = (text: string): Request | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
};

/** What is answered, less its id; undefined where the method has answered by itself. */
const outcomeOf = (peer: Peer, { method, params = {} }: Request): object | undefined => {
  // no new work for one that is to be closed: told so in front of its Close
  if (peer.isClosing) return { error: { code: SATURATED, message: 'SATURATED' } };
  const known = Object.hasOwn(methods, String(method)) ? methods[String(method)] : undefined;
  if (!known) return { error: { code: METHOD_NOT_FOUND, message: `no method ${method}` } };
  const result = known(peer, params);
  return result === undefined ? undefined : { result };
};

/** Answers one message of a peer. */
export const answer = (peer: Peer, text: string): void => {
  const request = parsed(text);
  const outcome = request
    ? outcomeOf(peer, request)
    : { error: { code: PARSE_ERROR, message: 'not a JSON-RPC request' } };
  if (outcome) peer.send(JSON.stringify({ jsonrpc: '2.0', id: request?.id ?? null, ...outcome }));
};
