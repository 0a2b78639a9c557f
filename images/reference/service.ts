import type { Handler, ServiceRequest } from './exchange.ts';
import { answerJson } from './exchange.ts';
import { sendPieces } from './pieces.ts';
import { setTimeout as sleep } from 'node:timers/promises';

const LONGEST_MS = 600_000;

const bodyLength = async (request: ServiceRequest): Promise<number> => {
  let length = 0;
  for await (const chunk of request) length += (chunk as Buffer).length;
  return length;
};

/** The `ms` of a query, or the given value where it has none. */
const milliseconds = (url: URL, otherwise: number): number => {
  const text = url.searchParams.get('ms');
  return text === null ? otherwise : Math.min(Number(text) || 0, LONGEST_MS);
};

/**
 * The routes: `/health`, `/slow?ms=N`, `/stream?ms=N` and `/events?ms=N` (without `ms` they have no end), any path that
 * takes a body, and a friendly answer for the rest.
 */
export const serveRequest: Handler = async (request, response) => {
  const url = new URL(request.url ?? '/', 'http://service');
  if (url.pathname === '/health') return answerJson(response, 200, { status: 'ready' });
  if (url.pathname === '/slow') {
    await sleep(milliseconds(url, 0));
    return answerJson(response, 200, { slept: true });
  }
  if (url.pathname === '/stream') {
    response.writeHead(200, { 'Content-Type': 'text/plain' });
    return sendPieces(response, milliseconds(url, Number.POSITIVE_INFINITY), (n) => `line ${n}\n`);
  }
  if (url.pathname === '/events') {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    return sendPieces(response, milliseconds(url, Number.POSITIVE_INFINITY), (n) => `id: ${n}\ndata: tick\n\n`);
  }
  // a body is read before the answer, so that a client can hold a request by sending slowly
  const length = await bodyLength(request);
  answerJson(response, 200, { service: 'reference', length });
};
