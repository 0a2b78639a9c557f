import type { MessagePort } from 'node:worker_threads';
import { Worker } from 'node:worker_threads';
import { reasonOf } from '../model/network.ts';
import type { Nanoseconds } from '../model/time.ts';
import type { Access } from '../wire/connection.ts';
import type { Relay } from '../wire/relay.ts';
import type { FromThread, ProbeJob, Sample, ToThread, Totals } from './admission-probe-messages.ts';
import type { AskedRequest } from './control-routes.ts';
import type { Recorder } from './recorder.ts';

const thread = new URL(`./admission-probe-thread.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url);
/** A thread that is told to stop waits for one request limit at most: one that takes this long is broken. */
const STOP_LIMIT_MS = 10_000;

/** New requests all the time, from before the signal until the exit (ADM). */
export interface AdmissionProbe {
  /**
   * True as soon as an admission request that began after this call was not answered normally: any other status than the
   * normal one, refused, or a new connection that was reset. False after the limit, or when PID 1 or the probe ended.
   */
  turnedAway(limitMs: number): Promise<boolean>;
  /** Ask each once on a new connection, right away; resolves when all outcomes are recorded, or the probe has ended. */
  ask(requests: readonly AskedRequest[]): Promise<void>;
  /** End it, record `probe.ended`. Idempotent. What is unanswered is waited for: a second at most, less after the end. */
  stop(reason: string): Promise<void>;
}

export interface AdmissionProbeOptions {
  readonly access: Access;
  /**
   * Nothing is sent to an address whose owner may be gone: PID 1 of the target as this host counts, or the relay of a
   * sidecar that watches it.
   */
  readonly through: { readonly pid: number } | { readonly relay: Relay };
  readonly request: { readonly method: string; readonly path: string };
  readonly everyMs: number;
  /** Connections that are opened and answered once beforehand. Those that the service does not keep are not replaced. */
  readonly kept: number;
  readonly recorder: Recorder;
  readonly fromMonotonic: (ns: bigint) => Nanoseconds;
  /** Aborted when PID 1 has been seen dead. */
  readonly ended: AbortSignal;
}

/**
 * Start the probe in a thread of its own. Resolves once its kept connections are warm and `probe.started` is recorded;
 * undefined after `probe.failed`: before the signal a request was not answered at all, or with 5xx, so that nothing can be
 * told from what comes after it.
 */
export async function startAdmissionProbe(options: AdmissionProbeOptions): Promise<AdmissionProbe | undefined> {
  if (options.ended.aborted) {
    options.recorder.record({ kind: 'probe.failed', message: 'PID 1 had ended before the probe began', tried: [] });
    return undefined;
  }
  const running = new RunningProbe(options);
  return (await running.started) ? running : undefined;
}

interface Waiter {
  readonly since: Nanoseconds;
  readonly resolve: (turnedAway: boolean) => void;
}

/** The main thread's half: the only one that records. */
class RunningProbe implements AdmissionProbe {
  readonly started: Promise<boolean>;
  readonly #options: AdmissionProbeOptions;
  readonly #base = process.hrtime.bigint();
  readonly #worker: Worker;
  readonly #start = Promise.withResolvers<boolean>();
  /** The thread is gone and everything is recorded. */
  readonly #exited = Promise.withResolvers<void>();
  readonly #waiters = new Set<Waiter>();
  readonly #questions = new Map<number, () => void>();
  #state: 'starting' | 'under way' | 'failed' | 'over' = 'starting';
  #normal: number | undefined;
  #reason: string | undefined;
  #recorded = 0;
  #asked = 0;

  constructor(options: AdmissionProbeOptions) {
    this.#options = options;
    this.started = this.#start.promise;
    const { access, through: place, request, everyMs, kept } = options;
    const { dial: _, ...reachable } = access;
    const port = 'relay' in place ? place.relay.port() : undefined;
    const through = 'relay' in place ? { relay: port as MessagePort } : place;
    const workerData: ProbeJob = { access: reachable, through, request, everyMs, kept, base: this.#base };
    const transferList = port === undefined ? [] : [port];
    this.#worker = new Worker(thread, { workerData, transferList, name: 'admission-probe' });
    this.#worker.on('message', (message: FromThread) => this.#take(message));
    this.#worker.on('error', (error: unknown) => this.#broken(reasonOf(error)));
    this.#worker.once('exit', () => this.#gone());
    options.ended.addEventListener('abort', this.#targetEnded, { once: true });
  }

  async turnedAway(limitMs: number): Promise<boolean> {
    if (this.#state !== 'under way' || this.#options.ended.aborted) return false;
    return await new Promise((resolve) => {
      const waiter: Waiter = {
        since: this.#options.recorder.now(),
        resolve: (turnedAway) => {
          clearTimeout(timer);
          this.#waiters.delete(waiter);
          resolve(turnedAway);
        },
      };
      const timer = setTimeout(() => waiter.resolve(false), limitMs);
      this.#waiters.add(waiter);
    });
  }

  async ask(requests: readonly AskedRequest[]): Promise<void> {
    if (this.#state !== 'under way' || this.#options.ended.aborted || requests.length === 0) return;
    const id = this.#asked++;
    await new Promise<void>((resolve) => {
      this.#questions.set(id, resolve);
      this.#post({ type: 'ask', id, requests });
    });
  }

  async stop(reason: string): Promise<void> {
    this.#reason ??= reason;
    this.#post({ type: 'stop' });
    const limit = setTimeout(() => {
      this.#broken(`did not stop within ${STOP_LIMIT_MS} ms`);
      void this.#worker.terminate();
    }, STOP_LIMIT_MS);
    await this.#exited.promise;
    clearTimeout(limit);
  }

  readonly #targetEnded = (): void => {
    this.#reason ??= 'PID 1 ended';
    this.#post({ type: 'ended' });
    for (const { resolve } of [...this.#waiters]) resolve(false);
  };

  #post(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  #time(ns: number): Nanoseconds {
    return this.#options.fromMonotonic(this.#base + BigInt(ns));
  }

  #take(message: FromThread): void {
    const { recorder, everyMs, request, access } = this.#options;
    switch (message.type) {
      case 'started': {
        const { kept, normal } = message;
        const asked = `${request.method} ${request.path}`;
        const t = this.#time(message.at);
        this.#normal = normal;
        recorder.record({ kind: 'probe.started', t, everyMs, kept, request: asked, normal, over: access.over });
        this.#state = 'under way';
        this.#start.resolve(true);
        return;
      }
      case 'failed':
        this.#fail(message.message, message.tried, this.#time(message.at));
        return;
      case 'samples':
        for (const sample of message.list) this.#record(sample);
        return;
      case 'asked':
        this.#questions.get(message.id)?.();
        this.#questions.delete(message.id);
        return;
      case 'fault':
        recorder.record({ kind: 'fault', where: 'harness', message: `admission probe: ${message.message}` });
        return;
      case 'over':
        this.#reason ??= message.lost ? 'the way to the target was lost' : undefined;
        this.#finish(message.totals, this.#time(message.at));
    }
  }

  #record(sample: Sample): void {
    const stamps = Object.fromEntries(
      (['connectedAt', 'sentBegin', 'sentAt', 'answeredAt'] as const).flatMap((name) => {
        const at = sample[name];
        return at === undefined ? [] : [[name, this.#time(at)]];
      }),
    );
    const begin = this.#time(sample.begin);
    this.#options.recorder.record({ kind: 'probe.sample', ...sample, begin, t: this.#time(sample.t), ...stamps });
    this.#recorded += 1;
    if (!turnsAway(sample, this.#normal)) return;
    for (const { since, resolve } of [...this.#waiters]) if (begin >= since) resolve(true);
  }

  #fail(message: string, tried: readonly string[], t: Nanoseconds): void {
    if (this.#state !== 'starting') return;
    this.#state = 'failed';
    this.#options.recorder.record({ kind: 'probe.failed', t, message, tried });
  }

  #finish(totals: Totals, t: Nanoseconds): void {
    if (this.#state === 'under way') {
      this.#options.recorder.record({ kind: 'probe.ended', t, reason: this.#reason ?? 'PID 1 ended', ...totals });
    }
    if (this.#state !== 'failed') this.#state = 'over';
  }

  /** The thread itself failed: how far it can be trusted is bounded by its whole life. */
  #broken(message: string): void {
    const { recorder } = this.#options;
    const t = recorder.now();
    recorder.record({
      kind: 'fault',
      where: 'harness',
      message: `the thread of the admission probe failed: ${message}`,
    });
    this.#fail('the thread of the probe failed', [message], t);
    const longestGapMs = Number(process.hrtime.bigint() - this.#base) / 1e6;
    this.#finish({ samples: this.#recorded, withdrawn: 0, unused: 0, void: 0, longestGapMs }, t);
  }

  /** The thread has ended, after its last message or without one. */
  #gone(): void {
    if (this.#state === 'starting' || this.#state === 'under way') this.#broken('it ended without its last word');
    this.#options.ended.removeEventListener('abort', this.#targetEnded);
    for (const { resolve } of [...this.#waiters]) resolve(false);
    for (const resolve of this.#questions.values()) resolve();
    this.#start.resolve(this.#state === 'over');
    this.#exited.resolve();
  }
}

/** Whether new work was turned away: a kept connection that ends under a request is every client's race. */
function turnsAway({ purpose, via, outcome, status }: Sample, normal: number | undefined): boolean {
  if (purpose !== 'admission') return false;
  if (outcome === 'answered') return status !== normal;
  return outcome === 'refused' || (outcome === 'reset' && via === 'new');
}
