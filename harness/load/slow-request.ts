import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'undici';
import { hostInUrl, reasonOf } from '../model/network.ts';
import type { Fate } from '../model/observation.ts';
import type { Endpoint } from '../model/target.ts';
import type { Recorder } from '../observe/recorder.ts';

const SHAPE = 'slow-request';
/** Body promised in the head; one byte of it goes out per step, so that it outlasts every outer timeout. */
const PROMISED_BYTES = 1_000_000;
const STEP_MS = 20;
/** A request that has had no answer and no close for this long while its body is incomplete counts as held. */
const PROOF_MS = 250;
/** Longer than two retransmits of a lost SYN. */
const BASELINE_LIMIT_MS = 5000;

interface Attempt {
  readonly how: string;
  readonly method: string;
  readonly path: string;
  readonly chunked: boolean;
  /** A declared slow endpoint holds by itself: it gets no body. */
  readonly body: boolean;
}

/** Work that the service holds because of us. */
export interface HeldWork {
  /** Resolves when its fate is known; never rejects. */
  readonly ended: Promise<void>;
  /** Stop sending and record `held` if nothing has happened to it. */
  release(): Promise<void>;
}

/** The declared endpoints first, then POST, PUT and chunked with a body that is sent slowly (architecture.md). */
function attempts(endpoints: readonly Endpoint[]): Attempt[] {
  const declared = endpoints.map(({ method, path }) => ({
    how: `declared ${method} ${path}`,
    method,
    path,
    chunked: false,
    body: method !== 'GET',
  }));
  const general = [
    { how: 'POST / with a body sent slowly', method: 'POST', path: '/', chunked: false, body: true },
    { how: 'PUT / with a body sent slowly', method: 'PUT', path: '/', chunked: false, body: true },
    { how: 'POST / with a chunked body sent slowly', method: 'POST', path: '/', chunked: true, body: true },
  ];
  return [...declared, ...general];
}

/**
 * Put one request in flight and prove that the service holds it: a complete request of the same form is answered, the
 * slow one is neither answered nor closed. Records `work.held`, or `work.failed` with everything that was tried.
 */
export async function holdSlowRequest(options: {
  readonly id: string;
  readonly address: string;
  readonly port: number;
  readonly endpoints: readonly Endpoint[];
  readonly recorder: Recorder;
}): Promise<HeldWork | undefined> {
  const { recorder, id } = options;
  const origin = `http://${hostInUrl(options.address)}:${options.port}`;
  const tried: string[] = [];
  for (const attempt of attempts(options.endpoints)) {
    if (attempt.body) {
      const baseline = await complete(origin, attempt);
      if (!baseline.answered) {
        tried.push(`${attempt.how}: a complete request of this form was not answered: ${baseline.detail}`);
        continue;
      }
    }
    const begin = recorder.now();
    const request = startSlow(origin, attempt);
    const early = await Promise.race([request.fate, request.connected.then(() => sleep(PROOF_MS, undefined))]);
    if (early) {
      tried.push(`${attempt.how}: not held: ${early.fate}${early.status === undefined ? '' : ` ${early.status}`}`);
      await request.abort();
      continue;
    }
    recorder.record({ kind: 'work.held', id, begin, shape: SHAPE, how: attempt.how });
    let over = false;
    const ended = request.fate.then((end) => {
      if (over) return;
      over = true;
      recorder.record({ kind: 'work.ended', begin, id, shape: SHAPE, ...end });
    });
    return {
      ended,
      async release() {
        if (!over) {
          over = true;
          recorder.record({ kind: 'work.ended', begin, id, shape: SHAPE, fate: 'held' });
        }
        await request.abort();
      },
    };
  }
  recorder.record({ kind: 'work.failed', id, shape: SHAPE, tried, message: 'nothing held a request in flight' });
  return undefined;
}

interface End {
  readonly fate: Fate;
  readonly status?: number;
  readonly bytes?: number;
  readonly message?: string;
}

interface SlowRequest {
  /** Resolves when the connection stands: only from then on is silence a proof. */
  readonly connected: Promise<void>;
  /** Never rejects. */
  readonly fate: Promise<End>;
  abort(): Promise<void>;
}

async function complete(origin: string, attempt: Attempt): Promise<{ answered: boolean; detail: string }> {
  const client = new Client(origin, {
    headersTimeout: BASELINE_LIMIT_MS,
    bodyTimeout: BASELINE_LIMIT_MS,
    connectTimeout: BASELINE_LIMIT_MS,
  });
  try {
    const { statusCode, body } = await client.request({
      method: attempt.method as 'POST',
      path: attempt.path,
      body: 'x',
      headers: { connection: 'close' },
    });
    await body.dump();
    return { answered: true, detail: String(statusCode) };
  } catch (error) {
    return { answered: false, detail: reasonOf(error) };
  } finally {
    await client.destroy();
  }
}

function startSlow(origin: string, attempt: Attempt): SlowRequest {
  const client = new Client(origin, { headersTimeout: 0, bodyTimeout: 0, connectTimeout: BASELINE_LIMIT_MS });
  const connected = new Promise<void>((resolve) => client.once('connect', () => resolve()));
  const stop = new AbortController();
  const end = async (): Promise<End> => {
    try {
      const { statusCode, body } = await client.request({
        method: attempt.method as 'POST',
        path: attempt.path,
        body: attempt.body ? Readable.from(trickle(stop.signal)) : null,
        headers: attempt.body && !attempt.chunked ? { 'content-length': String(PROMISED_BYTES) } : {},
      });
      return await readAnswer(statusCode, body);
    } catch (error) {
      return { fate: fateOf(error), message: reasonOf(error) };
    }
  };
  return {
    connected,
    fate: end(),
    async abort() {
      stop.abort();
      await client.destroy();
    },
  };
}

async function readAnswer(status: number, body: AsyncIterable<Uint8Array>): Promise<End> {
  let bytes = 0;
  try {
    for await (const chunk of body) bytes += chunk.length;
    return { fate: 'answered', status, bytes };
  } catch (error) {
    return { fate: 'truncated', status, bytes, message: reasonOf(error) };
  }
}

async function* trickle(signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < PROMISED_BYTES && !signal.aborted; sent += 1) {
    yield Uint8Array.of(0x78);
    await sleep(STEP_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** How a connection ended before any answer, from the client's error. */
function fateOf(error: unknown): Fate {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (code === 'ECONNREFUSED') return 'refused';
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'reset';
  if (code === 'UND_ERR_SOCKET') return 'closed';
  return 'hung';
}
