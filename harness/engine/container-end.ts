import { setTimeout as sleep } from 'node:timers/promises';
import type { ContainerState } from './driver.ts';

/** Between looks at a container whose output is still open: only a fallback, since the output ends with the process. */
const OPEN_OUTPUT_POLL_MS = 500;
/** After the output ended the state follows within milliseconds; later looks are for processes that closed it early. */
const CLOSED_OUTPUT_POLL_MS = [2, 5, 10, 20] as const;
const SLOW_POLL_MS = 50;
/** Looks after a refusal: half a second. */
const MOST_LOOKS_AFTER_REFUSAL = 25;
const REFUSAL_POLL_MS = 20;

export interface EndSources {
  inspect(): Promise<ContainerState>;
  /** Resolves when the attached output ended. */
  readonly outputEnd: Promise<void>;
  /** The engine's own wait, where it is cheap. May fail: the next inspect then says what is wrong. */
  readonly wait?: (abort: AbortSignal) => Promise<unknown>;
  /** @default a real pause; rejects when aborted */
  readonly pause?: (ms: number, abort: AbortSignal) => Promise<unknown>;
}

/**
 * Resolves once inspect shows the container not running. What it waits for only says when to look (engines.md
 * section 1). Rejects with the reason of `abort`.
 */
export async function untilEnded(sources: EndSources, abort: AbortSignal): Promise<ContainerState> {
  abort.throwIfAborted();
  const done = new AbortController();
  const rest = sources.pause ?? ((ms, stop) => sleep(ms, undefined, { signal: stop }));
  const signal = AbortSignal.any([abort, done.signal]);
  const pending = new Set<Promise<unknown>>();
  const track = (source: Promise<unknown>): void => {
    const settled: Promise<unknown> = source.catch(() => undefined).then(() => pending.delete(settled));
    pending.add(settled);
  };
  let outputOpen = true;
  track(sources.outputEnd.then(() => (outputOpen = false)));
  if (sources.wait) track(sources.wait(signal));
  try {
    for (let look = 0; ; ) {
      const state = await sources.inspect();
      if (!state.running) return state;
      abort.throwIfAborted();
      const pauseMs = outputOpen ? OPEN_OUTPUT_POLL_MS : (CLOSED_OUTPUT_POLL_MS[look++] ?? SLOW_POLL_MS);
      const pause = new AbortController();
      const timer = rest(pauseMs, AbortSignal.any([signal, pause.signal])).catch(() => undefined);
      await Promise.race([timer, ...pending]);
      pause.abort();
      abort.throwIfAborted();
    }
  } finally {
    done.abort();
  }
}

/**
 * Whether a container has ended that an engine did not signal because it had. Podman may say `stopped` in its refusal and
 * show the container as running for a moment after.
 */
export async function endedAfterRefusal(
  inspect: EndSources['inspect'],
  pause: (ms: number) => Promise<unknown> = sleep,
): Promise<boolean> {
  for (let look = 1; (await inspect()).running; look += 1) {
    if (look === MOST_LOOKS_AFTER_REFUSAL) return false;
    await pause(REFUSAL_POLL_MS);
  }
  return true;
}
