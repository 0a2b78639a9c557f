import { z } from 'zod';
import { parseDuration } from './duration.ts';
import { parseSize } from './size.ts';

/*
 * What several keys of `lf-qualify.yaml` are made of. Every message says what was expected; loading adds file, line, key
 * and what was found.
 */

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

const absoluteWanted = 'expected an absolute path in the container, like /etc/app.yaml';
/** A path in the container; `..` in it would lead elsewhere than it says. */
export const absolute = z
  .string({ error: absoluteWanted })
  .regex(/^\/(?!.*(?:^|\/)\.\.?(?:\/|$))(?!.*\/\/).*[^/]$/, { error: absoluteWanted });

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

/** Text or a number, as ms; `least` 1 where 0 has no meaning. */
export function duration(least: 0 | 1) {
  const wanted = 'expected a duration (whole milliseconds, or with a unit: 1500ms, 2s, 1m)';
  return measured(/^\s*\d+(\.\d+)?\s*(ms|s|m)?\s*$/, parseDuration, wanted, least, 'expected a duration longer than 0');
}

/** Text or a number, as bytes, at least `least` of them, which `leastWords` says in words. */
export function size(least: number, leastWords: string) {
  const wanted = 'expected a size (whole bytes, or with a unit: 256MiB, 1GiB, 64MB)';
  return measured(/^\s*\d+(\.\d+)?\s*(B|kB|KB|MB|GB|KiB|MiB|GiB)?\s*$/, parseSize, wanted, least, leastWords);
}

/** `form` is for editors; what counts is what `read` takes. */
function measured(
  form: RegExp,
  read: (value: string | number, option: string) => number,
  wanted: string,
  least: number,
  tooLittle: string,
) {
  return z
    .union([z.string().meta({ pattern: form.source }), z.number().meta({ minimum: 0 })], { error: wanted })
    .transform((value, context) => {
      try {
        const amount = read(value, 'value');
        if (amount >= least) return amount;
        context.addIssue({ code: 'custom', message: tooLittle });
      } catch {
        context.addIssue({ code: 'custom', message: wanted });
      }
      return z.NEVER;
    });
}

/** The source of a regular expression, with a named group where something is to be read out of the line. */
export function pattern(group?: string) {
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
