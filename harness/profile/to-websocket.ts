import type { WebSocketEndpoint } from '../model/websocket.ts';
import { defined } from './defined.ts';
import type { KeyPath } from './profile-document.ts';
import type { Reading } from './reading.ts';
import type { WrittenWebSocket } from './schema-websocket.ts';

/** A line end in a value would begin a header, or a request, of its own. */
const CONTROL = /[\0\r\n]/;

/** The routes that take a WebSocket, each with what is spoken on it. Variables are filled in in the values of headers. */
export function webSocketsOf(
  written: readonly WrittenWebSocket[],
  path: KeyPath,
  reading: Reading,
): readonly WebSocketEndpoint[] {
  return written.map((route, index) => {
    if (typeof route === 'string') return { path: route };
    const { register, ask, headers: asWritten, ...rest } = route;
    const at = [...path, index, 'headers'];
    const headers = asWritten && reading.filledEnv(asWritten, at);
    for (const [name, value] of Object.entries(headers ?? {})) {
      if (CONTROL.test(value)) reading.tell([...at, name], 'expected a value in one line, found one with a line end');
    }
    return defined({ ...rest, headers, register: register && defined(register), ask: ask && defined(ask) });
  });
}
