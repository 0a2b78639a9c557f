import { z } from 'zod';
import { duration, path, pattern, port, yesOrNo } from './schema-parts.ts';

/* How it is seen that a container is ready: the service's, and that of a dependency. */

const httpCheck = z.strictObject({
  port: port.optional().describe('port to ask; the port of the service where it is left out'),
  path: path.describe('path to ask with GET; any complete answer below 400 counts'),
  tls: yesOrNo.optional().describe('ask over TLS'),
});

export const ready = z
  .strictObject(
    {
      http: z
        .union([path, httpCheck], { error: 'expected a path like /health, or { port: 8080, path: /health }' })
        .optional()
        .describe('a path, asked at the port of the service; or { port, path, tls }'),
      tcp: port.optional().describe('a port that takes a connection'),
      greeting: port.optional().describe('a port that takes a connection and speaks first'),
      log: pattern().optional().describe('a regular expression that a line of the output matches'),
      health: z
        .literal(true, { error: 'expected true' })
        .optional()
        .describe("the image's own HEALTHCHECK, which it must have"),
    },
    { error: 'expected one of http, tcp, greeting, log or health' },
  )
  .refine((checks) => Object.values(checks).filter((value) => value !== undefined).length === 1, {
    error: 'expected exactly one of http, tcp, greeting, log or health',
  })
  .meta({ minProperties: 1, maxProperties: 1 });

export const startTimeout = duration(1);
