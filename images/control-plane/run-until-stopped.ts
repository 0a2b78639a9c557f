import type { ControlPlane } from './control-plane.ts';
import type { Settings } from './settings.ts';
import type { ShutdownReason } from './shutdown-signals.ts';

export interface Service {
  readonly settings: Settings;
  readonly plane: Pick<ControlPlane, 'listen' | 'leave' | 'drained' | 'cut'>;
  /** The first signal, whenever it came. */
  readonly stop: Promise<ShutdownReason>;
  log(line: string): void;
  /** Ends the process. */
  exit(status: number): void;
}

/** What comes after the drain has one more second for it, less what the exit itself takes. */
const AFTER_DRAIN_MS = 950;

/** Resolves so long from now. */
const after = async (ms: number): Promise<void> => {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
};

/** The whole life: listener, readiness, the first signal, one drain budget for everything, clean-up, exit 0. */
export const runUntilStopped = async ({ settings, plane, stop, log, exit }: Service): Promise<void> => {
  const port = await plane.listen(settings.port);
  log(`control plane ready port=${port} shutdown_drain_secs=${settings.drainMs / 1000}`);
  const reason = await stop;
  // both deadlines are latched here, at the signal: nobody starts a budget of its own (CPL-6)
  const budget = after(settings.drainMs).then(() => 'deadline-exceeded' as const);
  const listener = after(settings.drainMs + AFTER_DRAIN_MS);
  log(`shutdown signal received reason=${reason}`);
  plane.leave();
  const outcome = await Promise.race([plane.drained().then(() => 'graceful' as const), budget]);
  plane.cut();
  await Promise.race([after(settings.sweeperStopMs), listener]);
  // a drain that ran out is no crash: it exits 0 as well
  log(`control plane stopped reason=${reason} outcome=${outcome}`);
  exit(0);
};
