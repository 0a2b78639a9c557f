import type { Clock } from '../reference/clock.ts';
import { systemClock } from '../reference/clock.ts';
import type { Runtime } from '../reference/run-until-shutdown.ts';
import { createRuntime } from '../reference/runtime.ts';
import type { ShutdownReason } from '../reference/signal-watcher.ts';
import { ShutdownWatcher } from '../reference/signal-watcher.ts';
import type { Fault, Faults } from './fault.ts';
import { inRuntime } from './fault.ts';

const never = new Promise<never>(() => undefined);

/** Calls back at the second and every later signal. */
const onLaterSignal = (callback: () => void): void => {
  let first = true;
  const received = (): void => {
    if (!first) callback();
    first = false;
  };
  process.on('SIGTERM', received);
  process.on('SIGINT', received);
};

/** The second signal is what `second` makes of what the watcher would say next. */
class Changed extends ShutdownWatcher {
  readonly #inner: ShutdownWatcher;
  readonly #second: (next: () => Promise<ShutdownReason>) => Promise<ShutdownReason>;
  #asked = 0;

  constructor(inner: ShutdownWatcher, second: (next: () => Promise<ShutdownReason>) => Promise<ShutdownReason>) {
    super();
    this.#inner = inner;
    this.#second = second;
  }

  override next(): Promise<ShutdownReason> {
    this.#asked += 1;
    return this.#asked === 1 ? this.#inner.next() : this.#second(() => this.#inner.next());
  }
}

const ignored = (watcher: ShutdownWatcher): ShutdownWatcher => new Changed(watcher, () => never);

/** Signals this close to the first one are taken for an echo of it, ms. */
const ECHO_MS = 80;

const withoutEchoes: Fault = (watcher) => {
  let firstAt = Number.POSITIVE_INFINITY;
  const received = (): void => {
    firstAt = Math.min(firstAt, systemClock.now());
  };
  // ahead of the watcher, which takes what comes
  process.prependListener('SIGTERM', received);
  process.prependListener('SIGINT', received);
  const unechoed = async (next: () => Promise<ShutdownReason>): Promise<ShutdownReason> => {
    const reason = await next();
    return systemClock.now() - firstAt < ECHO_MS ? await unechoed(next) : reason;
  };
  return createRuntime(new Changed(watcher, unechoed));
};

/** Starts every timer anew when it is told to. */
class Restarting implements Clock {
  readonly #pending = new Set<{ readonly ms: number; readonly callback: () => void; disarm: () => void }>();

  now(): number {
    return systemClock.now();
  }

  after(ms: number, callback: () => void): () => void {
    const entry = { ms, callback, disarm: (): void => undefined };
    this.#pending.add(entry);
    this.#arm(entry);
    return () => {
      this.#pending.delete(entry);
      entry.disarm();
    };
  }

  restart(): void {
    for (const entry of this.#pending) {
      entry.disarm();
      this.#arm(entry);
    }
  }

  #arm(entry: { readonly ms: number; readonly callback: () => void; disarm: () => void }): void {
    entry.disarm = systemClock.after(entry.ms, () => {
      this.#pending.delete(entry);
      entry.callback();
    });
  }
}

const restartingGrace: Fault = (watcher) => {
  const clock = new Restarting();
  onLaterSignal(() => clock.restart());
  return { ...createRuntime(ignored(watcher)), clock };
};

/** So long after the last signal the process leaves, ms: after two it is still within the floor. */
const QUIET_MS = 120;

/** An exit that waits until no signal has come for a while. */
const whenQuiet = (): Runtime['exit'] => {
  let last = Number.NEGATIVE_INFINITY;
  const received = (): void => {
    last = systemClock.now();
  };
  process.on('SIGTERM', received);
  process.on('SIGINT', received);
  return (status) => {
    setInterval(() => {
      if (systemClock.now() - last >= QUIET_MS) process.exit(status);
    }, 10);
  };
};

/** An exit that never comes once a second signal has: what it set going is waited for in vain. */
const stuckBySecond = (): Runtime['exit'] => {
  let stuck = false;
  onLaterSignal(() => {
    stuck = true;
  });
  return (status) => {
    if (stuck) setInterval(() => undefined, 60_000);
    else process.exit(status);
  };
};

/** What a second signal does, or what one alone does: SIG-5 to 9. */
export const signalFaults: Faults = {
  'ignores-second-signal': (watcher) => createRuntime(ignored(watcher)),
  'second-signal-has-default-action': inRuntime(() => {
    process.once('SIGTERM', () => process.once('SIGTERM', () => process.exit(143)));
    return {};
  }),
  'second-signal-sticks': inRuntime(() => ({ exit: stuckBySecond() })),
  'takes-quick-second-for-echo': withoutEchoes,
  'second-signal-restarts-grace': restartingGrace,
  'takes-one-signal-for-two': (watcher) => createRuntime(new Changed(watcher, () => Promise.resolve('Terminate'))),
  'waits-for-quiet-signals': inRuntime(() => ({ exit: whenQuiet() })),
};
