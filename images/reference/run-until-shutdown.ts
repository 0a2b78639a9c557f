import type { AdmissionGate } from './admission-gate.ts';
import type { Clock } from './clock.ts';
import { MANDATORY_CLEANUP_FLOOR_MS, ShutdownContext } from './shutdown-context.ts';
import type { ShutdownReason, ShutdownWatcher } from './signal-watcher.ts';
import type { StartUpPhase } from './start-up.ts';
import { StartUp } from './start-up.ts';
import type { ShutdownOutcome, StopParts } from './stop-sequence.ts';
import { stopInOrder } from './stop-sequence.ts';

export interface Runtime extends StopParts {
  readonly watcher: ShutdownWatcher;
  readonly gate: AdmissionGate;
  readonly graceMs: number;
  /** What comes before the transport is bound. */
  readonly before?: readonly StartUpPhase[];
  readonly clock: Clock;
  /** Ends the process; the one place where a status is decided. */
  exit(status: number): void;
}

/** The last records and the exit itself take time: the supervisor gives up this much before the hard deadline, ms. */
const EXIT_RESERVE_MS = 30;

const DEADLINE_RECORD = 'light-runtime: graceful shutdown deadline exceeded';
const ABORT_RECORD = 'light-runtime: startup abort deadline exceeded';

/** Resolves after `ms` unless told to forget it. */
const timer = (clock: Clock, ms: number): { readonly fired: Promise<'late'>; forget(): void } => {
  let forget = (): void => undefined;
  const fired = new Promise<'late'>((resolve) => {
    forget = clock.after(ms, () => resolve('late'));
  });
  return { fired, forget };
};

/** The last record of every stop, and the exit policy: 0 graceful, else 1. */
const finish = (runtime: Runtime, outcome: ShutdownOutcome, reason: ShutdownReason, elapsedMs: number): void => {
  const duration = Math.round(elapsedMs);
  runtime.log.out(`light-runtime: shutdown completed reason=${reason} outcome=${outcome} duration_ms=${duration}`);
  runtime.exit(outcome === 'graceful' ? 0 : 1);
};

/** Waits for the stop, for a second signal, and for the hard deadline, whatever comes first. */
const stopWithin = async (runtime: Runtime, context: ShutdownContext): Promise<ShutdownOutcome> => {
  const stopped = stopInOrder(runtime, context);
  let hard = timer(runtime.clock, context.remainingHard() - EXIT_RESERVE_MS);
  const first = await Promise.race([stopped, hard.fired, runtime.watcher.next()]);
  hard.forget();
  if (first === 'late') return 'deadline-exceeded';
  if (first !== 'Interrupt' && first !== 'Terminate' && first !== 'Programmatic') return first;
  runtime.log.warn('second shutdown signal received; cancelling graceful drain');
  context.collapse();
  hard = timer(runtime.clock, Math.max(0, context.remainingHard() - EXIT_RESERVE_MS));
  const second = await Promise.race([stopped, hard.fired]);
  hard.forget();
  return second === 'late' ? 'deadline-exceeded' : second;
};

/** The start, phase by phase: what comes before the transport, the transport, the registration. */
const startUpOf = ({ before = [], transport, registry, gate }: Runtime): StartUp => {
  const bind: StartUpPhase = {
    name: 'transport',
    run: (cancel) => transport.bind(gate, cancel),
    undo: () => transport.abort(),
  };
  if (!registry) return new StartUp([...before, bind]);
  const register: StartUpPhase = {
    name: 'registration',
    run: () => registry.start(),
    undo: async () => registry.abort(),
  };
  return new StartUp([...before, bind, register]);
};

/** Unwinds a start within the floor, whatever it has begun; a second signal changes nothing (STA-10). */
const unwind = async ({ clock }: Runtime, startUp: StartUp): Promise<'unwound' | 'late'> => {
  const floor = timer(clock, MANDATORY_CLEANUP_FLOOR_MS - EXIT_RESERVE_MS);
  const unwound = await Promise.race([startUp.abort().then(() => 'unwound' as const), floor.fired]);
  floor.forget();
  return unwound;
};

/** A start-up that a signal cut short: unwound within the floor, with no drain, since nothing was ever admitted. */
const abortStartUp = async (runtime: Runtime, startUp: StartUp, reason: ShutdownReason): Promise<void> => {
  const acceptedAt = runtime.clock.now();
  const unwound = await unwind(runtime, startUp);
  if (unwound === 'late') runtime.log.err(ABORT_RECORD);
  finish(runtime, unwound === 'late' ? 'deadline-exceeded' : 'graceful', reason, runtime.clock.now() - acceptedAt);
};

/**
 * The whole life of a service: start-up that a signal can cancel, readiness, signal, drain under one deadline, exit.
 * The watcher must be installed before this is called.
 */
export const runUntilShutdown = async (runtime: Runtime): Promise<void> => {
  const { watcher, gate, log } = runtime;
  log.info('graceful shutdown configured', { configured_ms: runtime.graceMs, effective_ms: runtime.graceMs });
  if (runtime.graceMs === 0) log.warn('shutdownGracefulPeriod is 0: requests are not drained');
  const startUp = startUpOf(runtime);
  const signal = watcher.next();
  const started = startUp.run().then(
    () => 'started' as const,
    (error: unknown) => ({ error }),
  );
  const first = await Promise.race([signal, started]);
  if (typeof first === 'object') {
    await unwind(runtime, startUp);
    throw first.error;
  }
  if (first !== 'started') {
    log.info('shutdown received during startup');
    log.info('shutdown signal received', { reason: first });
    return abortStartUp(runtime, startUp, first);
  }
  runtime.cleanUp?.seal();
  gate.open();
  log.info('service ready');
  const reason = await signal;
  const context = new ShutdownContext(reason, runtime.graceMs, runtime.clock);
  gate.close();
  log.info('shutdown signal received', { reason });
  const outcome = await stopWithin(runtime, context);
  context.close();
  if (outcome === 'deadline-exceeded') log.err(DEADLINE_RECORD);
  finish(runtime, outcome, reason, context.elapsed());
};
