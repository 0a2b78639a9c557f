import type { Preset } from '../../model/clause.ts';

/** The openab control plane: a drain of 5 s, one more second for the listener, exit 0 also when the drain ran out. */
export const openabCp: Preset = {
  name: 'openab-cp',
  title: 'openab control plane',
  terms: {
    gracefulSignals: ['TERM', 'INT', 'HUP'],
    primarySignal: 'TERM',
    graceMs: 5000,
    floorMs: 1000,
    stopBoundMs: 'hard deadline',
    stopGoalMs: 1000,
    acceptedStatuses: [{ status: 0, reason: 'a stop exits 0' }],
    expiredStatus: 0,
    expiredSaidOnStderr: false,
    toleranceMs: 50,
    listenerCloseMs: 100,
    zeroGrace: 'refuse',
    afterWorkMs: 1000,
    afterWorkGoalMs: 250,
    serveAfterMs: 0,
    secondTerm: 'at-once',
    secondInt: 'at-once',
    livenessInDrain: 'any',
    closeCodes: [1012],
    closeReason: 'control plane shutting down',
    allowanceMs: 1000,
    patterns: {},
  },
  required: ['IMG', 'SIG', 'WSS', 'DLN'],
  requiredOfHttp: ['ADM', 'DRN'],
};
