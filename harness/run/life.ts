import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineDriver, RunningContainer } from '../engine/driver.ts';
import type { EngineFacts } from '../model/engine.ts';
import { EngineError } from '../model/errors.ts';
import type { KernelWatch, SeenExit } from '../observe/kernel.ts';
import { watchKernel } from '../observe/kernel.ts';
import type { ProcessReader } from '../observe/processes.ts';
import { processReader } from '../observe/processes.ts';
import type { Recorder } from '../observe/recorder.ts';
import type { RunClock } from './clock.ts';
import type { TargetSidecar } from './target-sidecar.ts';

/** An attached stream that ends while PID 1 lives is the first sign of a lost engine; asked this long after it. */
const SUSPICION_MS = 500;

/** One container's life as the script sees it. */
export interface Life {
  /** Aborted when PID 1 has been seen dead. */
  readonly ended: AbortSignal;
  /** Rejects when the engine was lost; never resolves. Race waits against it. */
  readonly trouble: Promise<never>;
  /** Present on a local engine. */
  readonly reader?: ProcessReader;
  /** Whether the kernel's process events are being recorded. */
  readonly kernelEvents: boolean;
  /** Wait for the end or for so long; true when it ended. */
  endedWithin(ms: number): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * Watch a started container until its end: by pidfd through the helper on a local engine, else by the engine's own
 * way. Records `exit.seen` for both.
 */
export async function watchLife(options: {
  readonly engine: EngineFacts;
  readonly driver: EngineDriver;
  readonly container: RunningContainer;
  readonly recorder: Recorder;
  readonly clock: RunClock;
  readonly helper?: string;
  readonly outputEnded: Promise<void>;
  /** Where there is one, it sees what this host cannot. */
  readonly sidecar?: Pick<TargetSidecar, 'gone' | 'reader'>;
}): Promise<Life> {
  const { container, recorder } = options;
  const ended = new AbortController();
  const trouble = Promise.withResolvers<never>();
  trouble.promise.catch(() => undefined); // raced by the script's waits; unobserved outside of them
  const closing = new AbortController();
  const trusted = options.engine.local && (await isItsPid1(container));
  const kernel = await watchByKernel(options, trusted);
  const byEngine = async (): Promise<void> => {
    const begin = recorder.now();
    await container.ended(closing.signal);
    recorder.record({ kind: 'exit.seen', begin, by: 'engine' });
  };
  const gone = kernel?.gone ?? (options.sidecar?.gone && recordGone(options.sidecar.gone, recorder));
  const end = gone ? gone.then(() => undefined).catch(byEngine) : byEngine();
  end.then(
    () => ended.abort(),
    (error: unknown) => closing.signal.aborted || trouble.reject(error),
  );
  void suspect(options.outputEnded, ended.signal, closing.signal, container).catch((error: unknown) =>
    trouble.reject(error),
  );
  const reader = trusted ? await processReader(container.pid) : options.sidecar?.reader;
  return {
    ended: ended.signal,
    trouble: trouble.promise,
    ...(reader ? { reader } : {}),
    kernelEvents: recorder.observations.some((seen) => seen.kind === 'process.events' && seen.state === 'attached'),
    async endedWithin(ms) {
      const over = new AbortController();
      try {
        await Promise.race([
          end.catch(() => trouble.promise),
          trouble.promise,
          sleep(ms, undefined, { signal: over.signal }),
        ]);
      } finally {
        over.abort();
      }
      return ended.signal.aborted;
    },
    async close() {
      closing.abort();
      if (kernel) await closeKernel(kernel, ended.signal.aborted);
    },
  };
}

/** The end as the sidecar's pidfd showed it, recorded. Rejects where the sidecar was lost first. */
async function recordGone(gone: Promise<SeenExit>, recorder: Recorder): Promise<void> {
  const seen = await gone;
  recorder.record({ kind: 'exit.seen', by: 'pidfd', ...seen });
}

async function watchByKernel(
  options: Parameters<typeof watchLife>[0],
  trusted: boolean,
): Promise<KernelWatch | undefined> {
  const { engine, helper, recorder, container, clock } = options;
  const unavailable = (reason: string): undefined => {
    recorder.record({ kind: 'process.events', state: 'unavailable', reason });
  };
  if (helper === undefined) return unavailable('there is no helper binary for this platform');
  if (!engine.local) return unavailable('the engine is not on this host');
  if (!trusted) return unavailable(`pid ${container.pid} of this host is not PID 1 of the container`);
  try {
    return await watchKernel({ helper, pid: container.pid, recorder, fromMonotonic: clock.fromMonotonic });
  } catch (error) {
    recorder.record({
      kind: 'process.events',
      state: 'unavailable',
      reason: error instanceof Error ? error.message : String(error),
    });
    return undefined;
  }
}

/**
 * Whether the engine's pid means the same process here. It does not where the engine's socket was mounted into a container
 * with a pid namespace of its own: there the number is somebody else's process, or nobody's.
 */
export async function isItsPid1({ pid, id }: Pick<RunningContainer, 'pid' | 'id'>): Promise<boolean> {
  const [status, cgroup] = await Promise.all(
    ['status', 'cgroup'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')),
  );
  return /^NSpid:.*\s1$/m.test(status ?? '') && (cgroup ?? '').includes(id.slice(0, 12));
}

/** After an end the helper still drains events and leaves by itself; otherwise it is told to. */
async function closeKernel(kernel: KernelWatch, ended: boolean): Promise<void> {
  if (!ended) kernel.stop();
  await Promise.race([kernel.drained, sleep(1000, undefined, { ref: false })]);
  kernel.stop();
}

/** The output ended although PID 1 lives: a service may close its own output, a lost engine does not answer. */
async function suspect(
  outputEnded: Promise<void>,
  ended: AbortSignal,
  closing: AbortSignal,
  container: RunningContainer,
): Promise<void> {
  await outputEnded;
  await sleep(SUSPICION_MS, undefined, { ref: false });
  if (ended.aborted || closing.aborted) return;
  try {
    await container.inspect();
  } catch (error) {
    if (error instanceof EngineError && error.lost) throw error;
  }
}
