import type { ServiceResponse } from './exchange.ts';
import { setTimeout as sleep } from 'node:timers/promises';

const PIECE_EVERY_MS = 50;

/** Sends a piece every 50 ms for `ms`, never faster than the client reads, then ends the answer. */
export const sendPieces = async (
  response: ServiceResponse,
  ms: number,
  piece: (n: number) => string,
): Promise<void> => {
  const closed = new AbortController();
  response.once('close', () => closed.abort());
  const end = performance.now() + ms;
  for (let n = 1; !closed.signal.aborted; n += 1) {
    if (!response.write(piece(n))) {
      await new Promise<void>((resolve) => {
        response.once('drain', resolve);
        response.once('close', resolve);
      });
    }
    const left = end - performance.now();
    await sleep(Math.max(0, Math.min(PIECE_EVERY_MS, left)), undefined, { signal: closed.signal }).catch(
      () => undefined, // the client is gone: nobody to send to
    );
    if (left <= PIECE_EVERY_MS) break;
  }
  response.end();
};
