import { z } from 'zod';

/* What several keys of `lf-qualify.yaml` are made of. Every message says what was expected. */

export const text = z.string({ error: 'expected text' }).min(1, { error: 'expected text that is not empty' });
export const port = z
  .int({ error: 'expected a port number' })
  .min(1, { error: 'expected a port from 1 to 65535' })
  .max(65_535, {
    error: 'expected a port from 1 to 65535',
  });
export const path = z
  .string({ error: 'expected a path like /health' })
  .regex(/^\/\S*$/, { error: 'expected a path like /health' });
export const yesOrNo = z.boolean({ error: 'expected true or false' });

const variableWanted = 'expected the name of an environment variable';
/** The name of an environment variable. */
export const variable = z
  .string({ error: variableWanted })
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: variableWanted });

/** Environment variables with their values; the values never stand in a message. */
export const variables = z.record(z.string(), z.string({ error: 'expected text' }), {
  error: 'expected a mapping of NAME: value',
});

export function list<T extends z.ZodType>(item: T, what: string) {
  return z.array(item, { error: `expected a list of ${what}` });
}
