import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'undici';
import { hostInUrl, reasonOf } from '../model/network.ts';
import type { ReadySpec, TlsAccess } from '../model/target.ts';
import type { Dial } from '../wire/dial.ts';
import { dialDirectly } from '../wire/dial.ts';
import { undiciConnector } from '../wire/undici-connector.ts';
import type { Recorder } from './recorder.ts';

/** Pause between two looks, ms: a loop this fine costs a few percent of a core and finds readiness within one step. */
const POLL_MS = 5;
/** A look at a service that is still starting is given up after this long. */
const LOOK_LIMIT_MS = 1000;

/** Where a look goes: the container's own address, never a published port (architecture rule 10). */
export interface Vantage {
  readonly address: string | undefined;
  /** How TLS is spoken there; absent: the certificate is not verified. */
  readonly tls?: TlsAccess;
  /** How connections are made there. @default dialDirectly */
  readonly dial?: Dial;
  /** What the engine says of the image's HEALTHCHECK. */
  readonly health?: () => Promise<'healthy' | 'unhealthy' | 'starting' | 'none'>;
}

/** One look at the service: how it went, in words. */
export interface Look {
  readonly ok: boolean;
  readonly detail: string;
}

/** Look once, by the readiness spec. HTTP: any complete answer below 400. */
export async function look(
  spec: ReadySpec,
  vantage: Vantage,
  recorder: Recorder,
  limitMs: number = LOOK_LIMIT_MS,
): Promise<Look> {
  switch (spec.kind) {
    case 'http':
      return await lookHttp(vantage, spec, limitMs);
    case 'tcp':
      return await lookTcp(vantage, spec, limitMs);
    case 'log': {
      const pattern = new RegExp(spec.pattern);
      const line = recorder.observations.find((seen) => seen.kind === 'log' && pattern.test(seen.text));
      return line
        ? { ok: true, detail: `log line ${line.seq} matches` }
        : { ok: false, detail: `no log line matches /${spec.pattern}/ yet` };
    }
    case 'health': {
      const health = (await vantage.health?.()) ?? 'none';
      return { ok: health === 'healthy', detail: `the image's HEALTHCHECK says ${health}` };
    }
    case 'settled': {
      const started = recorder.observations.find((seen) => seen.kind === 'container.started');
      const livedMs = started ? (recorder.now() - started.t) / 1e6 : 0;
      return { ok: livedMs >= spec.afterMs, detail: `the process has lived ${Math.round(livedMs)} ms` };
    }
  }
}

type HttpReady = Extract<ReadySpec, { kind: 'http' }>;

async function lookHttp(vantage: Vantage, { port, path, tls }: HttpReady, limitMs: number): Promise<Look> {
  if (vantage.address === undefined) return { ok: false, detail: 'the container cannot be reached from here' };
  const { address } = vantage;
  const asked = `GET ${path} on port ${port}${tls ? ' over TLS' : ''}`;
  const { dial = dialDirectly } = vantage;
  const clear = { address, port, over: 'http', dial } as const;
  const access = tls ? ({ ...clear, over: 'https', tls: vantage.tls ?? { port } } as const) : clear;
  const client = new Client(`${access.over}://${hostInUrl(address)}:${port}`, {
    connect: undiciConnector(access, limitMs),
    headersTimeout: limitMs,
    bodyTimeout: limitMs,
  });
  try {
    const { statusCode, body } = await client.request({ method: 'GET', path, headers: { connection: 'close' } });
    await body.dump();
    return {
      ok: statusCode < 400,
      detail: `${asked} answered ${statusCode}`,
    };
  } catch (error) {
    return { ok: false, detail: `${asked}: ${reasonOf(error)}` };
  } finally {
    await client.destroy();
  }
}

async function lookTcp(
  vantage: Vantage,
  { port, greets }: Extract<ReadySpec, { kind: 'tcp' }>,
  limitMs: number,
): Promise<Look> {
  const address = vantage.address;
  if (address === undefined) return { ok: false, detail: 'the container cannot be reached from here' };
  return await new Promise((resolve) => {
    const socket = (vantage.dial ?? dialDirectly)({ host: address, port });
    const end = (ok: boolean, detail: string): void => {
      socket.destroy();
      resolve({ ok, detail: `connect to port ${port}: ${detail}` });
    };
    if (greets) {
      socket.once('data', () => end(true, 'greeted'));
      socket.once('end', () => end(false, 'closed without a greeting'));
    } else socket.once('connect', () => end(true, 'accepted'));
    socket.setTimeout(limitMs, () => end(false, `no answer within ${limitMs} ms`));
    socket.on('error', (error) => end(false, reasonOf(error)));
  });
}

/**
 * Wait until `answers` looks in a row were answered. Records `ready`, or `ready.failed` with the last error when the
 * time is over or `ended` aborts (the container died: the wait ends at once). Returns whether the service is ready.
 */
export async function awaitReady(options: {
  readonly spec: ReadySpec;
  readonly vantage: Vantage;
  readonly answers: number;
  readonly limitMs: number;
  readonly recorder: Recorder;
  readonly ended: AbortSignal;
}): Promise<boolean> {
  const { spec, recorder, ended } = options;
  const start = recorder.now();
  const died = new Promise<Look>((resolve) => {
    ended.addEventListener('abort', () => resolve({ ok: false, detail: 'the container ended' }), { once: true });
  });
  let attempts = 0;
  let answers = 0;
  let last: Look = { ok: false, detail: 'nothing was tried yet' };
  while (!ended.aborted && (recorder.now() - start) / 1e6 < options.limitMs) {
    const begin = recorder.now();
    attempts += 1;
    last = await Promise.race([look(spec, options.vantage, recorder), died]);
    answers = last.ok ? answers + 1 : 0;
    if (answers >= options.answers && !ended.aborted) {
      recorder.record({ kind: 'ready', begin, by: `${last.detail} (${spec.origin})`, attempts, answers });
      return true;
    }
    if (!last.ok) await sleep(POLL_MS, undefined, { signal: ended }).catch(() => undefined);
  }
  recorder.record({
    kind: 'ready.failed',
    begin: start,
    reason: ended.aborted ? 'exited' : 'timeout',
    message: ended.aborted ? 'the container ended before it was ready' : `not ready within ${options.limitMs} ms`,
    lastError: last.detail,
  });
  return false;
}
