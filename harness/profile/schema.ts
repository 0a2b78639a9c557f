import { z } from 'zod';
import { parseDuration } from './duration.ts';
import { presetNames } from './preset-names.ts';
import { endpoints, faults, graceEnv, graceEnvKeys, registry, tls } from './schema-service.ts';
import { list, path, port, text, variables, yesOrNo } from './schema-parts.ts';

/*
 * The file `lf-qualify.yaml`. Every message here says what was expected; loading adds file, line, key and what was found.
 */

function duration(least: 0 | 1) {
  const wanted = 'expected a duration (whole milliseconds, or with a unit: 1500ms, 2s, 1m)';
  return z.union([z.string(), z.number()], { error: wanted }).transform((value, context) => {
    try {
      const ms = parseDuration(value, 'duration');
      if (ms >= least) return ms;
      context.addIssue({ code: 'custom', message: 'expected a duration longer than 0' });
    } catch {
      context.addIssue({ code: 'custom', message: wanted });
    }
    return z.NEVER;
  });
}

function pattern(group?: string) {
  const named = group === undefined ? '' : ` with the named group (?<${group}>…)`;
  const wanted = `expected a regular expression${named}`;
  return z.string({ error: wanted }).superRefine((source, context) => {
    try {
      new RegExp(source);
    } catch (error) {
      const why = error instanceof Error ? error.message.replace(/^.*\/: /, '') : String(error);
      context.addIssue({ code: 'custom', message: `${wanted} (${why.toLowerCase()})` });
      return;
    }
    if (group !== undefined && !source.includes(`(?<${group}>`)) context.addIssue({ code: 'custom', message: wanted });
  });
}

const clauseId = z
  .string({ error: 'expected a clause id like SIG-1' })
  .regex(/^[A-Z]{3}-\d+[a-z]?(-fast)?$/, { error: 'expected a clause id like SIG-1' });
const clauseOrFamily = z
  .string({ error: 'expected a clause id like SIG-1 or a family like SIG' })
  .regex(/^[A-Z]{3}(-\d+[a-z]?(-fast)?)?$/, { error: 'expected a clause id like SIG-1 or a family like SIG' });

const status = z
  .int({ error: 'expected an exit status from 0 to 255' })
  .min(0, { error: 'expected an exit status from 0 to 255' })
  .max(255, { error: 'expected an exit status from 0 to 255' })
  // engines.md: 137 is how both engines report a SIGKILL; accepting it would make every kill graceful.
  .refine((value) => value !== 137, {
    error: 'expected a status other than 137, which says killed by SIGKILL and is never a good end',
  });

const isoDate = z.string({ error: 'expected a date like 2026-12-31' }).refine(
  (value) => {
    const date = new Date(`${value}T00:00:00Z`);
    return /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
  },
  { error: 'expected a date like 2026-12-31' },
);

const readyKinds = z
  .strictObject(
    {
      http: z
        .union([path, z.strictObject({ port: port.optional(), path, tls: yesOrNo.optional() })], {
          error: 'expected a path like /health, or { port: 8080, path: /health }',
        })
        .optional(),
      tcp: port.optional(),
      log: pattern().optional(),
    },
    { error: 'expected one of http, tcp or log' },
  )
  .refine(({ http, tcp, log }) => [http, tcp, log].filter((value) => value !== undefined).length === 1, {
    error: 'expected exactly one of http, tcp or log',
  });

const accepted = z.strictObject({ status, reason: text }, { error: 'expected { status, reason }' });
const logs = z.strictObject(
  {
    signalReceived: pattern('reason').optional(),
    outcome: pattern('outcome').optional(),
    deadlineExceeded: pattern().optional(),
    lastLine: pattern().optional(),
  },
  { error: 'expected a mapping of log patterns' },
);
const waiver = z.strictObject(
  { clause: clauseId, reason: text, expires: isoDate },
  { error: 'expected { clause, reason, expires }' },
);

export const profileSchema = z.strictObject(
  {
    version: z.literal(1, { error: 'expected 1, the only version of this format' }),
    image: text.optional(),
    preset: z.enum(presetNames, { error: `expected one of ${presetNames.join(', ')}` }).optional(),
    engines: list(z.enum(['docker', 'podman'], { error: 'expected docker or podman' }), 'engines')
      .min(1, { error: 'expected at least one engine' })
      .optional(),
    command: list(z.string({ error: 'expected text' }), 'words').optional(),
    env: variables.optional(),
    secrets: list(text, 'names of env keys or texts').optional(),
    port: port.optional(),
    ready: readyKinds.optional(),
    startTimeout: duration(1).optional(),
    grace: duration(0).optional(),
    graceEnv: graceEnv.optional(),
    zeroGrace: z.enum(['warn', 'refuse'], { error: 'expected warn or refuse' }).optional(),
    outerTimeout: duration(1).optional(),
    tolerance: duration(0).optional(),
    allowance: duration(0).optional(),
    accept: list(accepted, '{ status, reason }').optional(),
    tls: tls.optional(),
    endpoints: endpoints.optional(),
    registry: registry.optional(),
    faults: faults.optional(),
    logs: logs.optional(),
    require: list(clauseOrFamily, 'clause ids').optional(),
    waive: list(waiver, '{ clause, reason, expires }').optional(),
  },
  { error: 'expected a mapping that begins with version: 1' },
);

export type ProfileFile = z.infer<typeof profileSchema>;

/** The keys that a mapping may have, by its path without list positions: what an unknown key is compared with. */
export const knownKeys: Readonly<Record<string, readonly string[]>> = {
  '': Object.keys(profileSchema.shape),
  ready: Object.keys(readyKinds.shape),
  'ready.http': ['port', 'path', 'tls'],
  graceEnv: graceEnvKeys,
  accept: Object.keys(accepted.shape),
  tls: Object.keys(tls.shape),
  endpoints: Object.keys(endpoints.shape),
  registry: Object.keys(registry.shape),
  faults: Object.keys(faults.shape),
  logs: Object.keys(logs.shape),
  waive: Object.keys(waiver.shape),
};
