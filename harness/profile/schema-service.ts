import { z } from 'zod';
import { list, port, text, variable, variables, yesOrNo } from './schema-parts.ts';

/* What `lf-qualify.yaml` says of the service behind the image: its routes, its TLS, its registry, its faults. */

const longGraceEnv = z.strictObject({
  name: variable,
  unit: z.enum(['ms', 's'], { error: 'expected ms or s' }).optional(),
});

/** How the grace is set from outside: a name alone counts in milliseconds. */
export const graceEnv = z.union([variable, longGraceEnv], {
  error: 'expected the name of an environment variable, or { name: NAME, unit: ms } where the unit is ms or s',
});

export const graceEnvKeys = Object.keys(longGraceEnv.shape);

/** `ca` is a PEM text or the path of a file with one; which of them it is shows when it is read. */
export const tls = z.strictObject(
  { port, ca: text.optional(), serverName: text.optional(), http2: yesOrNo.optional() },
  { error: 'expected { port, ca, serverName, http2 }, of which only port must be there' },
);

function routes(placeholder: boolean) {
  const wanted = placeholder
    ? 'expected METHOD /path, like POST /orders or GET /slow?ms={ms}'
    : 'expected METHOD /path, like POST /orders, without a placeholder';
  const form = placeholder ? /^[A-Z]+ \/(?:[^\s{}]|\{ms\})*$/ : /^[A-Z]+ \/[^\s{}]*$/;
  return list(z.string({ error: wanted }).regex(form, { error: wanted }), 'endpoints like POST /orders').optional();
}

export const endpoints = z.strictObject(
  { slow: routes(true), stream: routes(true), sse: routes(true), upload: routes(false), control: routes(false) },
  { error: 'expected a mapping with slow, stream, sse, upload or control' },
);

export const registry = z.strictObject(
  { urlEnv: variable, env: variables.optional() },
  { error: 'expected { urlEnv: NAME } and perhaps env' },
);

const fault = variables
  .refine((env) => Object.keys(env).length > 0, { error: 'expected at least one NAME: value' })
  .optional();

export const faults = z.strictObject(
  { slowCleanUp: fault, stuckCleanUp: fault, stuckThread: fault },
  { error: 'expected a mapping with slowCleanUp, stuckCleanUp or stuckThread' },
);
