import type { CleanUp } from './clean-up.ts';
import type { Log } from './log.ts';
import type { Registry } from './registry-session.ts';
import type { ShutdownContext } from './shutdown-context.ts';
import type { Transport } from './transport.ts';

export type ShutdownOutcome = 'graceful' | 'deadline-exceeded' | 'failed';

/** What takes part in a stop. */
export interface StopParts {
  readonly transport: Transport;
  /** Absent: the service is registered nowhere. */
  readonly registry?: Registry;
  /** Absent: nothing has to be released. */
  readonly cleanUp?: CleanUp;
  readonly log: Log;
}

const cancelled = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

const sayGoodbye = async ({ registry, log }: StopParts, context: ShutdownContext): Promise<void> => {
  if (!registry) return;
  const outcome = await registry.shutdown(context);
  log.info('portal-registry terminal shutdown completed', { outcome });
};

/**
 * Goodbye, then the transport, then clean-up, each with what is left of the one deadline. The gate must be closed. An
 * error in one does not keep the next from running.
 */
export const stopInOrder = async (parts: StopParts, context: ShutdownContext): Promise<ShutdownOutcome> => {
  const errors: unknown[] = [];
  const goodbye = sayGoodbye(parts, context).catch((error: unknown) => void errors.push(error));
  // past the deadline work is cut whether or not the controller has answered
  await Promise.race([goodbye, cancelled(context.cancellation)]);
  const work = await parts.transport.stop(context).catch((error: unknown) => void errors.push(error));
  errors.push(...((await parts.cleanUp?.run(context)) ?? []));
  await goodbye;
  for (const error of errors) parts.log.err(`light-runtime: shutdown failed: ${String(error)}`);
  if (work === 'cut' || context.expired) return 'deadline-exceeded';
  return errors.length > 0 ? 'failed' : 'graceful';
};
