import { setTimeout as sleep } from 'node:timers/promises';
import { reasonOf } from '../model/network.ts';
import type { Draft } from '../model/observation.ts';
import type { Nanoseconds } from '../model/time.ts';
import { AnswerReader } from '../wire/answer-reader.ts';
import type { Access } from '../wire/connection.ts';
import { openConnection, requestHead } from '../wire/connection.ts';
import type { Recorder } from './recorder.ts';

/** One request is given up after this long, ms: only one is under way at a time. */
const SAMPLE_LIMIT_MS = 1000;
/** After so many samples they come half as often, after twice as many a third as often: what a long start records stays small. */
const DENSE_SAMPLES = 500;

/** Asks an application route while the service starts (STA-7). */
export interface EarlyProbe {
  /** No sample begins any more, and one that is under way is dropped. */
  stop(): Promise<void>;
}

type Seen = Omit<Extract<Draft, { kind: 'early.sample' }>, 'kind' | 'request'>;

/**
 * Ask on a new connection every `everyMs`, one after the other, also while nobody listens, until PID 1 has ended or it is
 * stopped. Records each outcome as it is known; an answer is known by its status. After the end of PID 1 only an answer
 * still says something.
 */
export function startEarlyProbe(options: {
  readonly access: Access;
  readonly request: { readonly method: string; readonly path: string };
  readonly everyMs: number;
  readonly recorder: Recorder;
  readonly ended: AbortSignal;
}): EarlyProbe {
  const { access, request, everyMs, recorder, ended } = options;
  const stopping = new AbortController();
  const over = AbortSignal.any([ended, stopping.signal]);
  const probing = (async () => {
    for (let samples = 0; !over.aborted; samples += 1) {
      const began = recorder.now();
      const seen = await sample(access, request, recorder.now, stopping.signal);
      if (seen === undefined) return;
      if (!ended.aborted || seen.outcome === 'answered') {
        recorder.record({ kind: 'early.sample', request: `${request.method} ${request.path}`, ...seen });
      }
      const pauseMs = everyMs * (1 + Math.floor(samples / DENSE_SAMPLES)) - (recorder.now() - began) / 1e6;
      await sleep(Math.max(1, pauseMs), undefined, { signal: over }).catch(() => undefined);
    }
  })().catch((error: unknown) => {
    if (over.aborted) return;
    recorder.record({ kind: 'fault', where: 'harness', message: `the probe of the start-up: ${reasonOf(error)}` });
  });
  return {
    async stop() {
      stopping.abort();
      await probing;
    },
  };
}

/** One request; undefined where it was dropped. */
async function sample(
  access: Access,
  { method, path }: { readonly method: string; readonly path: string },
  now: () => Nanoseconds,
  stopped: AbortSignal,
): Promise<Seen | undefined> {
  const connecting = openConnection(access, { limitMs: SAMPLE_LIMIT_MS, now });
  const dropped = new Promise<undefined>((resolve) => {
    if (stopped.aborted) resolve(undefined);
    else stopped.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  const connected = await Promise.race([connecting, dropped]);
  if (connected === undefined) {
    connecting.then(({ socket }) => socket?.destroy()).catch(() => undefined);
    return undefined;
  }
  const { begin, socket } = connected;
  if (socket === undefined) return { begin, t: connected.t, outcome: connected.outcome };
  const reader = new AnswerReader(now, method);
  const answered = new Promise<Seen>((resolve) => {
    const end = (outcome: Seen['outcome']): void => resolve({ begin, t: now(), outcome });
    const timer = setTimeout(() => end('hung'), SAMPLE_LIMIT_MS);
    socket.on('data', (chunk: Buffer) => {
      reader.push(chunk);
      const { answer, problem } = reader;
      if (answer)
        resolve({ begin, t: now(), outcome: 'answered', status: answer.status, answeredAt: answer.firstByteAt });
      else if (problem !== undefined) end('answered');
    });
    socket.once('end', () => end('reset'));
    socket.once('error', () => end('reset'));
    socket.once('close', () => {
      clearTimeout(timer);
      end('reset');
    });
  });
  socket.write(requestHead(access, method, path, { 'user-agent': 'lf-qualify', connection: 'close' }));
  const seen = await Promise.race([answered, dropped]);
  socket.destroy();
  return seen;
}
