import { Pool } from 'undici';
import WebSocket from 'ws';
import { hostInUrl } from '../model/network.ts';
import type { Access } from '../wire/connection.ts';
import { dialDirectly } from '../wire/dial.ts';
import { undiciConnector } from '../wire/undici-connector.ts';
import { within } from '../wire/within.ts';
import { openTls } from './speech-tries.ts';

/** Where services commonly tell whether they are ready or alive, and what everybody asks for. */
const COMMON_PATHS: readonly string[] = [
  '/',
  '/ready',
  '/readyz',
  '/-/ready',
  '/health/ready',
  '/actuator/health/readiness',
  '/actuator/health',
  '/health',
  '/healthz',
  '/-/healthy',
  '/status',
  '/live',
  '/livez',
  '/health/live',
  '/actuator/health/liveness',
];

/** Where services commonly take a WebSocket. */
const WEB_SOCKET_PATHS: readonly string[] = [
  '/',
  '/ws',
  '/websocket',
  '/socket',
  '/socket.io/?EIO=4&transport=websocket',
  '/graphql',
  '/cable',
];

/** No service has it: what is answered here is what any path is answered with. */
export const NO_SUCH_PATH = '/lf-qualify/no-such-path';

/** What the common paths of a port answered. */
export interface Routes {
  /** The status of each path whose answer was whole, by path. */
  readonly answers: Readonly<Record<string, number>>;
  /** Whether a path that nobody has is answered as if it were there: the answers of the others then tell nothing. */
  readonly answersAnything: boolean;
  readonly webSockets: readonly string[];
}

/** Side by side: little for a server, and a path that hangs does not keep the others waiting. */
const CONNECTIONS = 4;
const LIMITS_FOR_ALL = 4;
/** An answer that is longer is not read to its end: no readiness is told at such length. */
const MOST_BYTES = 4 * 1024 * 1024;

/**
 * Ask an HTTP/1.1 port for the common paths, each on a connection of its own, and for a WebSocket on the common ones. GET
 * alone, every path once, `limitMs` for each and four times as long for all; every connection is closed by us. Where it cannot
 * be told in time what any path is answered with, the answer of `/` alone is told.
 */
export async function routesOf(access: Access, limitMs: number): Promise<Routes> {
  const asked = await statusesOf(access, [NO_SUCH_PATH, ...COMMON_PATHS], limitMs);
  const anything = asked.get(NO_SUCH_PATH);
  const unknown = anything === 'late';
  const answersAnything = typeof anything === 'number' && anything < 400;
  const answers = [...asked].filter(
    (entry): entry is [string, number] =>
      entry[0] !== NO_SUCH_PATH &&
      entry[1] !== 'late' &&
      (entry[0] === '/' || !(unknown || (answersAnything && entry[1] === anything))),
  );
  const upgraded = await Promise.all(
    [...WEB_SOCKET_PATHS, NO_SUCH_PATH].map(async (path) => ((await upgrades(access, path, limitMs)) ? [path] : [])),
  );
  const webSockets = upgraded.flat();
  return {
    answers: Object.fromEntries(answers),
    answersAnything,
    webSockets: webSockets.includes(NO_SUCH_PATH) ? ['/'] : webSockets,
  };
}

async function statusesOf(
  access: Access,
  paths: readonly string[],
  limitMs: number,
): Promise<Map<string, number | 'late'>> {
  const pool = new Pool(`${access.over}://${hostInUrl(access.address)}:${access.port}`, {
    connections: CONNECTIONS,
    connect: undiciConnector(access, limitMs),
    headersTimeout: limitMs,
    bodyTimeout: limitMs,
    allowH2: false,
  });
  const over = AbortSignal.timeout(LIMITS_FOR_ALL * limitMs);
  const ask = async (path: string): Promise<[string, number | 'late'][]> => {
    try {
      const request = {
        method: 'GET',
        path,
        reset: true,
        signal: over,
        headers: { 'user-agent': 'lf-qualify' },
      } as const;
      const { statusCode, body } = await pool.request(request);
      let bytes = 0;
      for await (const chunk of body) {
        bytes += (chunk as Buffer).length;
        if (bytes > MOST_BYTES) return [[path, 'late']];
      }
      return [[path, statusCode]];
    } catch (error) {
      // an answer that nobody waited for may yet come; else there is none, and absence is the fact
      return /Timeout|Abort/.test((error as Error).name) ? [[path, 'late']] : [];
    }
  };
  try {
    return new Map((await Promise.all(paths.map(ask))).flat());
  } finally {
    await pool.destroy();
  }
}

async function upgrades(access: Access, path: string, limitMs: number): Promise<boolean> {
  const { address, port, tls, dial = dialDirectly } = access;
  const socket = new WebSocket(`${tls ? 'wss' : 'ws'}://${hostInUrl(address)}:${port}${path}`, {
    createConnection: () => (tls ? openTls(access, ['http/1.1']).socket : dial({ host: address, port, noDelay: true })),
    perMessageDeflate: false,
  });
  try {
    const opened = new Promise<boolean>((resolve) => {
      socket.once('open', () => resolve(true));
      socket.on('error', () => resolve(false));
      socket.once('close', () => resolve(false));
    });
    // its own limit for a handshake is kept only on connections that it makes itself
    return (await within(opened, limitMs)) ?? false;
  } finally {
    socket.terminate();
  }
}
