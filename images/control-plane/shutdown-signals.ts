import { constants } from 'node:os';

/** The signals that begin the drain, each with the reason that is logged. */
const REASONS = { SIGTERM: 'Terminate', SIGINT: 'Interrupt', SIGHUP: 'Hangup' } as const;

export type ShutdownSignal = keyof typeof REASONS;
export type ShutdownReason = (typeof REASONS)[ShutdownSignal];

const signals = Object.keys(REASONS) as readonly ShutdownSignal[];

/** `process`, or what plays it in a test. */
export interface SignalSource {
  on(signal: ShutdownSignal, handler: () => void): unknown;
}

/** Status of a process that a signal ended at once. */
export const forcedStatus = (signal: ShutdownSignal): number => 128 + constants.signals[signal];

/**
 * Listens from now on, once per signal: the first one resolves the reason of the stop, each later one of any kind calls
 * `onSecond`. Nothing that comes before anybody waits is lost.
 */
export const watchSignals = (
  source: SignalSource,
  onSecond: (signal: ShutdownSignal) => void,
): Promise<ShutdownReason> =>
  new Promise((resolve) => {
    let stopping = false;
    for (const signal of signals) {
      source.on(signal, () => {
        if (stopping) return onSecond(signal);
        stopping = true;
        resolve(REASONS[signal]);
      });
    }
  });
