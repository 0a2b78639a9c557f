import type { Preset } from '../../model/clause.ts';

/** An image of which nothing is declared: its own stop signal ends it by itself within 10 s, exit 0. */
export const baseline: Preset = {
  name: 'baseline',
  title: 'any image',
  terms: {
    // the image's stop signal, known once the image is (resolveTerms)
    gracefulSignals: [],
    primarySignal: 'stop-signal',
    graceMs: null,
    floorMs: 0,
    stopBoundMs: 10_000,
    stopGoalMs: 1000,
    acceptedStatuses: [{ status: 0, reason: 'a stop exits 0' }],
    expiredStatus: null,
    expiredSaidOnStderr: false,
    toleranceMs: 50,
    listenerCloseMs: 100,
    zeroGrace: null,
    afterWorkMs: 1000,
    afterWorkGoalMs: 250,
    serveAfterMs: 0,
    secondTerm: 'never-slower',
    secondInt: 'never-slower',
    livenessInDrain: 'any',
    closeCodes: [1000, 1001, 1012],
    closeReason: null,
    allowanceMs: 1000,
    patterns: {},
  },
  required: ['IMG-1', 'IMG-5', 'IMG-6', 'SIG-1'],
  requiredOfHttp: [],
};
