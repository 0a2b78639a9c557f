import { z } from 'zod';
import { presetNames } from './preset-names.ts';
import { duration, list, text, yesOrNo } from './schema-parts.ts';

/* What `lf-qualify.yaml` says of how the image is judged: preset, grace, terms, statuses, required and waived clauses. */

const clauseId = z
  .string({ error: 'expected a clause id like SIG-1' })
  .regex(/^[A-Z]{3}-\d+[a-z]?(-[a-z]+)?$/, { error: 'expected a clause id like SIG-1' });
const clauseOrFamily = z
  .string({ error: 'expected a clause id like SIG-1 or a family like SIG' })
  .regex(/^[A-Z]{3}(-\d+[a-z]?(-[a-z]+)?)?$/, { error: 'expected a clause id like SIG-1 or a family like SIG' });

const status = z
  .int({ error: 'expected an exit status from 0 to 255' })
  .min(0, { error: 'expected an exit status from 0 to 255' })
  .max(255, { error: 'expected an exit status from 0 to 255' })
  // engines.md: 137 is how both engines report a SIGKILL; accepting it would make every kill graceful.
  .refine((value) => value !== 137, {
    error: 'expected a status other than 137, which says killed by SIGKILL and is never a good end',
  })
  .meta({
    anyOf: [
      { type: 'integer', maximum: 136 },
      { type: 'integer', minimum: 138 },
    ],
  });

const isoDate = z
  .string({ error: 'expected a date like 2026-12-31' })
  .refine(
    (value) => {
      const date = new Date(`${value}T00:00:00Z`);
      return /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
    },
    { error: 'expected a date like 2026-12-31' },
  )
  .meta({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' });

// KILL and STOP cannot be handled, so that nothing can be graceful about them.
export const handledSignals = ['TERM', 'INT', 'HUP', 'QUIT', 'USR1', 'USR2', 'WINCH'] as const;
const signalWanted = 'expected a signal that can be handled: TERM, INT, HUP, QUIT, USR1, USR2 or WINCH';
const signal = z.enum(handledSignals, { error: signalWanted });

const policyWanted = 'expected never-slower, must-not-shorten, must-shorten, collapses or at-once';
const secondSignal = z.enum(['never-slower', 'must-not-shorten', 'must-shorten', 'collapses', 'at-once'], {
  error: policyWanted,
});

const zeroGrace = z.enum(['warn', 'refuse'], { error: 'expected warn or refuse' });

const accepted = z.strictObject(
  {
    status: status.describe('exit status, never 137'),
    reason: text.describe('why it is good, shown in the report'),
    after: list(signal, 'TERM')
      .min(1)
      .optional()
      .describe('the signals after which it counts (default: the one that 128 + n is the death by, else any)'),
  },
  { error: 'expected { status, reason }' },
);

const waiver = z.strictObject(
  {
    clause: clauseId.describe('the clause that is waived'),
    reason: text.describe('why, shown in the report'),
    expires: isoDate.describe('last day on which it counts, like "2026-12-31"; the day after, the clause fails'),
  },
  { error: 'expected { clause, reason, expires }' },
);

const closeCodeWanted = 'expected a code that may stand in a Close frame: 1000 to 1003, 1007 to 1014 or 3000 to 4999';
/** 1004, 1005, 1006 and 1015 say something about a connection and never stand in a frame (RFC 6455, 7.4). */
const closeCode = z
  .int({ error: closeCodeWanted })
  .min(1000, { error: closeCodeWanted })
  .max(4999, { error: closeCodeWanted })
  .refine((code) => code <= 1003 || (code >= 1007 && code <= 1014) || code >= 3000, { error: closeCodeWanted });

/** Terms that may also stand at the top level, where they have always stood. */
const liftedShape = {
  zeroGrace: zeroGrace
    .optional()
    .describe('what a graceful period of 0 means: no drain with a warning, or refused at start-up (DLN-4)'),
  outerTimeout: duration(1).optional().describe('how long a stop may take before the harness sends SIGKILL'),
  tolerance: duration(0).optional().describe('what is allowed for the teardown of a process'),
  allowance: duration(0).optional().describe('what a deployment adds for scheduling'),
};

export const liftedTerms = Object.keys(liftedShape) as (keyof typeof liftedShape)[];

const terms = z.strictObject(
  {
    stopBound: duration(1).optional().describe('a stop with nothing in flight takes less than this'),
    stopGoal: duration(1).optional().describe('the goal for that, of the -fast clauses'),
    floor: duration(0).optional().describe('what comes after the graceful period before the hard deadline'),
    listenerClose: duration(0)
      .optional()
      .describe('new connections are refused within this after deregistration (ADM-4)'),
    afterWork: duration(1).optional().describe('the process ends within this after the last piece of work (DRN-9)'),
    afterWorkGoal: duration(1).optional().describe('the goal for that (DRN-9-fast)'),
    idleWatch: duration(1).optional().describe('how long an undisturbed service is watched (STA-8)'),
    expiredStatus: z
      .union([status, z.literal('any')], { error: 'expected an exit status from 0 to 255, or any' })
      .optional()
      .describe('exit status where the graceful period ran out; any: it is not judged (DLN-2)'),
    expiredSaidOnStderr: yesOrNo.optional().describe('whether stderr must say that the deadline expired (DLN-2)'),
    gracefulSignals: list(signal, 'signals')
      .min(1, { error: 'expected at least one signal' })
      .optional()
      .describe('signals that must end the service gracefully'),
    primarySignal: signal.optional().describe('the signal that SIG-1 is judged by'),
    serveAfter: duration(0)
      .optional()
      .describe('how long after the signal new work may still be served; then the listener must close (ADM-4, ADM-5)'),
    secondTerm: secondSignal.optional().describe('what a second SIGTERM does to a stop that is under way (SIG-5)'),
    secondInt: secondSignal.optional().describe('what a second SIGINT does to a stop that is under way (SIG-5)'),
    livenessInDrain: z
      .enum(['any', 'serving'], { error: 'expected any or serving' })
      .optional()
      .describe('whether a declared liveness route must go on answering while the service drains'),
    closeCodes: list(closeCode, 'close codes like 1001')
      .min(1, { error: 'expected at least one close code' })
      .optional()
      .describe('codes of a Close frame that are good at a stop (WSS-2, WSS-3)'),
    closeReason: text
      .optional()
      .describe('the reason that a Close frame must carry; any: one that is not empty (WSS-2, WSS-3)'),
    ...liftedShape,
  },
  { error: 'expected a mapping of terms' },
);

export const judgementShape = {
  preset: z
    .enum(presetNames, { error: `expected one of ${presetNames.join(', ')}` })
    .optional()
    .describe('the contract to judge by'),
  grace: duration(0).optional().describe('configured graceful period: 2s, 1500ms'),
  ...liftedShape,
  terms: terms.optional().describe('numbers and policies in place of those of the preset'),
  accept: list(accepted, '{ status, reason }')
    .optional()
    .describe('further exit statuses that count as a good end of a stop with nothing in flight'),
  require: list(clauseOrFamily, 'clause ids')
    .optional()
    .describe('clauses, or families like SIG, that must be exercised'),
  stopSignal: signal
    .optional()
    .describe('the stop signal that the container is given in place of the one of the image'),
  waive: list(waiver, '{ clause, reason, expires }')
    .optional()
    .describe('clauses that are reported as waived for a while, never as passed'),
};
