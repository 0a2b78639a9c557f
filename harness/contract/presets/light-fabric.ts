import type { Preset } from '../../model/clause.ts';

/** Services of light-fabric: drain within the grace, 250 ms floor, exit 1 when the grace expired. */
export const lightFabric: Preset = {
  name: 'light-fabric',
  title: 'light-fabric services',
  terms: {
    gracefulSignals: ['TERM', 'INT'],
    primarySignal: 'TERM',
    graceMs: 2000,
    floorMs: 250,
    stopBoundMs: 1000,
    stopGoalMs: 1000,
    acceptedStatuses: [{ status: 0, reason: 'a graceful stop exits 0' }],
    expiredStatus: 1,
    expiredSaidOnStderr: true,
    toleranceMs: 50,
    listenerCloseMs: 100,
    zeroGrace: 'warn',
    afterWorkMs: 1000,
    afterWorkGoalMs: 250,
    serveAfterMs: 0,
    secondTerm: 'collapses',
    secondInt: 'collapses',
    livenessInDrain: 'any',
    closeCodes: [1001, 1012],
    closeReason: null,
    allowanceMs: 1000,
    patterns: {
      // tracing writes fields as text (`reason=Terminate`), quoted, or as JSON (`"reason":"Terminate"`);
      // `second shutdown signal received; cancelling graceful drain` is not the receipt of the accepted signal
      signalReceived: '(?<!second )shutdown signal received.*reason"?\\s*[=:]\\s*"?(?<reason>Terminate|Interrupt)',
      outcome: 'shutdown completed.*outcome"?\\s*[=:]\\s*"?(?<outcome>graceful|deadline-exceeded|failed)',
      deadlineExceeded: 'graceful shutdown deadline exceeded',
      secondSignal: 'second shutdown signal received',
      startUpExpired: 'startup abort deadline exceeded',
      lastLine: 'shutdown completed.*outcome"?\\s*[=:]\\s*"?(?:graceful|deadline-exceeded|failed)',
    },
  },
  required: ['IMG', 'SIG', 'DLN'],
  requiredOfHttp: ['ADM', 'DRN'],
};
