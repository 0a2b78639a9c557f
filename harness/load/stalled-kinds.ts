import type { StalledKind } from '../model/scenario.ts';
import type { Endpoint, Endpoints } from '../model/target.ts';
import type { Nanoseconds } from '../model/time.ts';
import { clientHello } from '../wire/client-hello.ts';
import type { Access } from '../wire/connection.ts';
import { requestHead } from '../wire/connection.ts';
import { bodyEndpoints, timed } from './body-endpoints.ts';
import type { WatchedConnection } from './watched-connection.ts';
import { askOnce, openWatched } from './watched-connection.ts';
import { endingInWords } from '../wire/ending.ts';

/** Longer than any outer timeout: what takes this long has no end of its own. */
const ENDLESS_MS = '600000';
const ANSWER_LIMIT_MS = 5000;
/** More than the kernels on both sides keep for one connection (tcp_rmem and tcp_wmem at most 6 and 4 MiB). */
const MORE_THAN_KEPT_BYTES = 16 * 1024 * 1024;
const HALF_BODY = 'x'.repeat(1000);

/** A connection that is proven not to go on. */
export interface Stall {
  readonly connection: WatchedConnection;
  /** What a complete request of the same form was answered. */
  readonly normal?: { readonly status: number; readonly bytes: number };
}

/** Why it is not held; `closed`: the service closed it in an orderly way. */
interface NotStalled {
  readonly problem: string;
  readonly closed?: boolean;
}

/** One form of a kind, in words, and how it is brought about. `admitted`: the gate let a request in. */
export interface WayToStall {
  readonly how: string;
  readonly admitted: boolean;
  stall(on: Way): Promise<Stall | NotStalled>;
}

interface Way {
  readonly access: Access;
  readonly now: () => Nanoseconds;
}

/** The forms of a kind, the most telling first. */
export function waysToStall(kind: StalledKind, access: Access, endpoints: Endpoints): readonly WayToStall[] {
  const head = requestHead(access, 'GET', '/').slice(0, -2);
  switch (kind) {
    case 'silent':
      return [sends(access.tls ? 'TLS handshake done, then nothing sent' : 'connected, nothing sent', '')];
    case 'half-request-line':
      return [sends('GET /he and nothing more', 'GET /he')];
    case 'half-headers':
      return [sends('GET / with one header and no empty line', head)];
    case 'half-body':
      return bodyEndpoints(endpoints).map(halfBody);
    case 'half-tls-handshake':
      return [halfHandshake];
    case 'reader-stops':
      return [...endpoints.stream, ...endpoints.sse].map(readerStops);
    case 'half-closed':
      return [
        ...endpoints.slow.map(halfClosedRequest),
        sends('connected, nothing sent, then FIN', '', true),
        sends('GET / with one header and no empty line, then FIN', head, true),
      ];
  }
}

/** Nothing of this was admitted: it waits for what never comes. */
function sends(how: string, text: string, fin = false): WayToStall {
  return {
    how,
    admitted: false,
    async stall({ access, now }) {
      const connection = await openWatched(access, now, fin);
      if ('problem' in connection) return connection;
      if (text !== '') await connection.send(text);
      if (fin) connection.finishWriting();
      return proven(connection);
    },
  };
}

function halfBody({ method, path }: Endpoint): WayToStall {
  const length = String(2 * HALF_BODY.length);
  return {
    how: `${method} ${path} with half of a body of ${length} bytes`,
    admitted: true,
    async stall({ access, now }) {
      const normal = await askOnce(access, now, { method, path, body: HALF_BODY });
      if ('problem' in normal)
        return { problem: `a complete request of this form was not answered: ${normal.problem}` };
      const connection = await openWatched(access, now);
      if ('problem' in connection) return connection;
      await connection.send(requestHead(access, method, path, { 'content-length': length }) + HALF_BODY);
      return proven(connection, normal);
    },
  };
}

const halfHandshake: WayToStall = {
  how: 'half of a TLS ClientHello',
  admitted: false,
  async stall({ access, now }) {
    const hello = await clientHello(access);
    const { address, port } = access;
    const connection = await openWatched({ address, port, over: 'http' }, now);
    if ('problem' in connection) return connection;
    await connection.send(hello.subarray(0, hello.length / 2));
    return proven(connection);
  },
};

/** First somebody reads it, to see that it does not end by itself; then somebody stops reading after the head. */
function readerStops(endpoint: Endpoint): WayToStall {
  const { method, path } = timed(endpoint, ENDLESS_MS);
  const ask = async ({ access, now }: Way): Promise<WatchedConnection | NotStalled> => {
    const connection = await openWatched(access, now);
    if ('problem' in connection) return connection;
    await connection.send(requestHead(access, method, path));
    if (await connection.answerBegun(ANSWER_LIMIT_MS)) return connection;
    const { end } = connection;
    connection.giveUp();
    return { problem: end ? `not held: ${endingInWords(end)}` : `no answer begun within ${ANSWER_LIMIT_MS} ms` };
  };
  return {
    how: `${method} ${path}, whose answer is read no further than its head`,
    admitted: true,
    async stall(way) {
      const reader = await ask(way);
      if ('problem' in reader) return reader;
      const end = await reader.proof();
      reader.giveUp();
      if (end && (end.bytes ?? 0) <= MORE_THAN_KEPT_BYTES)
        return { problem: `not held: ${endingInWords(end)} when it was read` };
      const connection = await ask(way);
      if ('problem' in connection) return connection;
      connection.stopReading();
      return proven(connection);
    },
  };
}

/** Our FIN after a complete request whose answer is still due. */
function halfClosedRequest(endpoint: Endpoint): WayToStall {
  const { method, path } = timed(endpoint, ENDLESS_MS);
  const body = method === 'GET' || method === 'HEAD' ? '' : 'x';
  return {
    how: `${method} ${path}, then FIN before its answer is due`,
    admitted: true,
    async stall({ access, now }) {
      const connection = await openWatched(access, now, true);
      if ('problem' in connection) return connection;
      const length: Readonly<Record<string, string>> = body === '' ? {} : { 'content-length': '1' };
      await connection.send(requestHead(access, method, path, length) + body);
      connection.finishWriting();
      return proven(connection);
    },
  };
}

async function proven(connection: WatchedConnection, normal?: Stall['normal']): Promise<Stall | NotStalled> {
  const end = await connection.proof();
  if (end === undefined) return { connection, ...(normal === undefined ? {} : { normal }) };
  connection.giveUp();
  return { problem: `not held: ${endingInWords(end)}`, closed: end.fate === 'closed' };
}
