import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const bodyLength = async (request: IncomingMessage): Promise<number> => {
  let length = 0;
  for await (const chunk of request) length += (chunk as Buffer).length;
  return length;
};

const answer = (response: ServerResponse, body: object): void => {
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
};

/** The routes: `/health`, `/slow?ms=N`, any path that takes a body, and a friendly answer for the rest. */
export const serveRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const url = new URL(request.url ?? '/', 'http://service');
  if (url.pathname === '/health') return answer(response, { status: 'ready' });
  if (url.pathname === '/slow') {
    await sleep(Math.min(Number(url.searchParams.get('ms')) || 0, 600_000));
    return answer(response, { slept: true });
  }
  // a body is read before the answer, so that a client can hold a request by sending slowly
  const length = await bodyLength(request);
  answer(response, { service: 'reference', length });
};
