import { mayYetHear, startReturned } from '../contract/evidence/lost-signal.ts';
import type { Nanoseconds } from '../model/time.ts';
import { cpuPressureMs } from '../observe/cpu-pressure.ts';
import { awaitReady } from '../observe/readiness.ts';
import type { ReadinessContext } from './reach-ready.ts';
import { canSeeReady } from './reach-ready.ts';

/** A look for readiness that goes on beside a script. */
export interface Readying {
  /** True once the service is ready; false when it ended before, or was not within its start timeout. */
  readonly reached: Promise<boolean>;
  stop(): Promise<void>;
}

/** Begin to look for readiness without waiting for it; undefined, and recorded, where it cannot be seen from here. */
export function watchReadiness(context: ReadinessContext): Readying | undefined {
  if (!canSeeReady(context)) return undefined;
  const { recorder, life, target, vantage } = context;
  const over = new AbortController();
  const reached = awaitReady({
    spec: target.ready,
    vantage,
    // the first answer: what the service still is at the signal is the question
    answers: 1,
    limitMs: target.startTimeoutMs,
    recorder,
    ended: AbortSignal.any([life.ended, over.signal]),
  });
  reached.catch(() => undefined); // awaited by the steps and at the end
  return {
    reached,
    async stop() {
      over.abort();
      await reached;
    },
  };
}

/**
 * Wait until so long after the engine's start, at most until the service is ready: later it starts no more, and a signal
 * then comes on the edge of readiness. Then look at the processes once (what PID 1 is now, before the signal).
 */
export async function untilOffset(context: ReadinessContext, readying: Readying, forMs: number): Promise<void> {
  const { recorder, life } = context;
  recorder.record({ kind: 'wait', describe: `${forMs} ms from the engine's start on, unless it is ready before` });
  await withEvidence(context, async () => {
    const started = startReturned(recorder.observations);
    const leftMs = forMs - (recorder.now() - (started?.t ?? 0)) / 1e6;
    const over = life.endedWithin(Math.max(0, leftMs));
    if (leftMs > 0) await Promise.race([over, readying.reached.then((ready) => ready || over)]);
  });
}

/** A wait in the start-up, and then what must be known before a signal: what kept it from a processor, and its processes. */
export async function withEvidence<T>(context: ReadinessContext, wait: () => Promise<T>): Promise<T> {
  const begin = context.recorder.now();
  // of an engine elsewhere this machine's processors tell nothing
  const before = context.engine.local ? await cpuPressureMs() : undefined;
  const waited = await wait();
  await recordPressure(context, begin, before);
  await recordProcesses(context, 'before-signal');
  return waited;
}

/**
 * Wait until a service that was signalled into its start-up has ended; else until it is ready all the same and `forMs`
 * more. Where the processes leave open whether it has heard the signal, it is given `withinMs` from the signal on to end by
 * itself: only then was it lost.
 */
export async function settle(
  context: ReadinessContext,
  readying: Readying,
  { forMs, withinMs }: { readonly forMs: number; readonly withinMs: number },
): Promise<void> {
  const { recorder, life } = context;
  if (life.ended.aborted) return;
  recorder.record({ kind: 'wait', describe: `for the end, or for readiness and ${forMs} ms more` });
  await recordUntilDeaf(context, readying);
  if (!(await readying.reached) || (await life.endedWithin(forMs))) return;
  await recordProcesses(context, 'during-stop');
  if (life.ended.aborted || !mayYetHear(recorder.observations)) return;
  const sent = recorder.observations.findLast((seen) => seen.kind === 'signal.delivered');
  const leftMs = withinMs + PAST_BOUND_MS - (recorder.now() - (sent?.t ?? 0)) / 1e6;
  recorder.record({ kind: 'wait', describe: `up to ${withinMs} ms from the signal on: it may have been heard` });
  if (leftMs > 0) await life.endedWithin(leftMs);
}

/** Beyond a bound by more than what a timer is early or late. */
const PAST_BOUND_MS = 50;

/**
 * How long the start was kept from a processor: exact where all that has run in the container still lives, else no longer
 * than anything on this machine was.
 */
async function recordPressure(
  { recorder, life }: ReadinessContext,
  begin: Nanoseconds,
  before: number | undefined,
): Promise<void> {
  const allLive = life.kernelEvents && !recorder.observations.some(({ kind }) => kind === 'process.exit');
  const own = allLive ? await life.reader?.waitedMs?.() : undefined;
  if (own !== undefined) recorder.record({ kind: 'cpu.pressure', of: 'container', waitedMs: own });
  if (own !== undefined || before === undefined) return;
  const after = await cpuPressureMs();
  if (after !== undefined) recorder.record({ kind: 'cpu.pressure', of: 'machine', begin, waitedMs: after - before });
}

/** A handler of a runtime's own is gone the moment it has given the signal back: looked for so long, so often. */
const DEAF_LOOK_MS = { within: 500, every: 10 } as const;

/** What PID 1 can hear right after the signal, until it is seen to have no handler, is ready, or half a second has passed. */
async function recordUntilDeaf(context: ReadinessContext, readying: Readying): Promise<void> {
  const { recorder, life } = context;
  const over = new AbortController();
  readying.reached.finally(() => over.abort()).catch(() => undefined);
  const until = recorder.now() + DEAF_LOOK_MS.within * 1e6;
  let written = '';
  do {
    written = await recordProcesses(context, 'during-stop', written);
    if (!mayYetHear(recorder.observations)) return;
    await life.endedWithin(life.reader?.everyMs ?? DEAF_LOOK_MS.every);
  } while (!life.ended.aborted && !over.signal.aborted && recorder.now() < until);
}

/** Records what the processes are, where that is not what was `written` last; gives what is on record now. */
async function recordProcesses(
  { recorder, life }: ReadinessContext,
  moment: 'before-signal' | 'during-stop',
  written = '',
): Promise<string> {
  const begin = recorder.now();
  const list = (await life.reader?.list()) ?? [];
  const text = JSON.stringify(list);
  if (list.length > 0 && text !== written) recorder.record({ kind: 'processes', begin, moment, list });
  return text;
}
