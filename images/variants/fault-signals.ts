import { systemClock } from '../reference/clock.ts';
import type { Runtime } from '../reference/run-until-shutdown.ts';
import { createRuntime } from '../reference/runtime.ts';
import type { ShutdownReason } from '../reference/signal-watcher.ts';
import type { ShutdownWatcher } from '../reference/signal-watcher.ts';
import { Changed, onLaterSignal } from './changed-watcher.ts';
import type { Fault, Faults } from './fault.ts';
import { inRuntime } from './fault.ts';
import { RestartingClock } from './restarting-clock.ts';

const never = new Promise<never>(() => undefined);

const ignored = (watcher: ShutdownWatcher): ShutdownWatcher => new Changed(watcher, { second: () => never });

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
  return createRuntime(new Changed(watcher, { second: unechoed }));
};

const restartingGrace: Fault = (watcher) => {
  const clock = new RestartingClock();
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

const SECOND = 'second shutdown signal received';

/** Long enough that a second signal certainly came before the end, and within the floor, ms. */
const LEAVES_AFTER_MS = 150;

/** A log that leaves the second signal out. */
const secondUnsaid: Fault = inRuntime(({ log }) => ({
  exit: (status) => void systemClock.after(LEAVES_AFTER_MS, () => process.exit(status)),
  log: { ...log, warn: (message, fields) => (message.startsWith(SECOND) ? undefined : log.warn(message, fields)) },
}));

/** A log that says a second signal with every first one. */
const oneSaidAsTwo: Fault = inRuntime(({ log }) => ({
  log: {
    ...log,
    info: (message, fields) => {
      log.info(message, fields);
      if (message.startsWith('shutdown signal received')) log.warn(`${SECOND}; the drain goes on`);
    },
  },
}));

/** What a second signal does, or what one alone does: SIG-5 to 9. */
export const signalFaults: Faults = {
  'ignores-second-signal': (watcher) => createRuntime(ignored(watcher)),
  'second-signal-has-default-action': inRuntime(() => {
    process.once('SIGTERM', () => process.once('SIGTERM', () => process.exit(143)));
    return {};
  }),
  'second-signal-crashes': inRuntime(() => {
    onLaterSignal(() => process.exit(7));
    return {};
  }),
  'second-signal-sticks': inRuntime(() => ({ exit: stuckBySecond() })),
  'takes-quick-second-for-echo': withoutEchoes,
  'second-signal-restarts-grace': restartingGrace,
  'takes-one-signal-for-two': (watcher) =>
    createRuntime(new Changed(watcher, { second: () => Promise.resolve('Terminate') })),
  'second-signal-unsaid': secondUnsaid,
  'says-one-signal-as-two': oneSaidAsTwo,
  'waits-for-quiet-signals': inRuntime(() => ({ exit: whenQuiet() })),
};
