import { z } from 'zod';
import { list, path, pattern, size, text } from './schema-parts.ts';

/* What `lf-qualify.yaml` says of the routes that take a WebSocket (WSS): a path, or a path and what is spoken on it. */

const message = z.string({ error: 'expected text, the message that is sent' }).min(1, {
  error: 'expected a message that is not empty',
});
const send = message.describe('a text message');

const exchange = (what: string) =>
  z.strictObject(
    {
      send,
      answer: pattern()
        .optional()
        .describe('a regular expression that the answer matches; any message where it is left out'),
    },
    { error: `expected { send: text, answer: regular expression }, ${what}` },
  );

const headerName = z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, { error: 'expected the name of a header' });
const headers = z.record(headerName, z.string({ error: 'expected text' }), {
  error: 'expected a mapping of Header-Name: value',
});

const webSocket = z.strictObject(
  {
    path: path.describe('the path, with its query where it has one'),
    protocol: text
      .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, { error: 'expected the name of a subprotocol, without blanks' })
      .optional()
      .describe('the subprotocol that is asked for'),
    headers: headers.optional().describe('headers of the upgrade, like Authorization; the values are stored nowhere'),
    register: exchange('what registers the socket')
      .optional()
      .describe('what makes it a registered one, and the answer to that (WSS-2, WSS-3)'),
    ask: exchange('a message that is answered')
      .optional()
      .describe('a message that the service answers; a Ping where it is left out'),
    flood: z
      .strictObject(
        {
          send,
          bytes: size(1, 'expected a size of at least one byte').describe('so many bytes of messages come upon it'),
        },
        { error: 'expected { send: text, bytes: 4MiB }' },
      )
      .optional()
      .describe('a message upon which more comes than the sockets between hold (WSS-4, WSS-5)'),
    refused: z
      .strictObject({ send }, { error: 'expected { send: text }' })
      .optional()
      .describe('a message upon which the service closes this one connection (WSS-7)'),
  },
  { error: 'expected a path like /ws, or { path: /ws, protocol, headers, register, ask, flood, refused }' },
);

export const webSocketRoutes = list(
  z.union([path, webSocket], {
    error: 'expected a path like /ws, or { path: /ws, protocol, headers, register, ask, flood, refused }',
  }),
  'paths like /ws, or of { path: /ws, … }',
);

export type WrittenWebSocket = z.output<typeof webSocketRoutes>[number];
