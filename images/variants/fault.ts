import { systemClock } from '../reference/clock.ts';
import type { HttpTransport } from '../reference/http-transport.ts';
import type { Runtime } from '../reference/run-until-shutdown.ts';
import type { TransportFactory } from '../reference/runtime.ts';
import { createRuntime } from '../reference/runtime.ts';
import type { ShutdownContext } from '../reference/shutdown-context.ts';
import type { ShutdownWatcher } from '../reference/signal-watcher.ts';

/** The reference with one thing wrong. */
export type Fault = (watcher: ShutdownWatcher) => Runtime;

/** Faults by the name that `FAULT` gives. */
export type Faults = Readonly<Record<string, Fault>>;

/** A fault of the transport alone. */
export const inTransport =
  (Class: new (...parts: Parameters<TransportFactory>) => HttpTransport): Fault =>
  (watcher) =>
    createRuntime(watcher, (...parts) => new Class(...parts));

/** A fault in one of the runtime's parts. */
export const inRuntime =
  (change: (runtime: Runtime) => Partial<Runtime>): Fault =>
  (watcher) => {
    const runtime = createRuntime(watcher);
    return { ...runtime, ...change(runtime) };
  };

/** Resolves after `ms`, or when the stop's deadline has come: most faults leave the bound as it is. */
export const pause = (ms: number, context: ShutdownContext): Promise<void> =>
  new Promise((resolve) => {
    systemClock.after(ms, resolve);
    if (context.cancellation.aborted) resolve();
    context.cancellation.addEventListener('abort', () => resolve(), { once: true });
  });

/** Longer than every hard deadline plus what is tolerated, shorter than every outer timeout. */
const STAYS_MS = 3000;

/** An exit that waits while something is held, at most 3 s. */
export const exitWaiting =
  (isHeld: () => boolean): Runtime['exit'] =>
  (status) => {
    const end = systemClock.now() + STAYS_MS;
    setInterval(() => {
      if (!isHeld() || systemClock.now() >= end) process.exit(status);
    }, 10);
  };
