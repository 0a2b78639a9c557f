import { z } from 'zod';
import { serverNames } from './known-servers/index.ts';
import { absolute, list, pattern, port, text, variable, variables, yesOrNo } from './schema-parts.ts';
import { ready, startTimeout } from './schema-ready.ts';
import { webSocketRoutes } from './schema-websocket.ts';

/* What `lf-qualify.yaml` says of the service behind the image: its ways in, its routes, its registry, its faults, its log. */

const longGraceEnv = z.strictObject({
  name: variable.describe('name of the variable'),
  unit: z
    .enum(['ms', 's'], { error: 'expected ms or s' })
    .optional()
    .describe('what its number counts; ms where it is left out'),
});

/** `ca` is a PEM text or the path of a file with one; which of them it is shows when it is read. */
const tls = z.strictObject(
  {
    port: port.describe('the port that carries TLS'),
    ca: text
      .optional()
      .describe('PEM file beside the profile, or the PEM text; without one the certificate is not verified'),
    serverName: text.optional().describe('name that is asked for (SNI) and that the certificate must carry'),
    http2: yesOrNo.optional().describe('whether HTTP/2 is spoken; found out by ALPN where it is left out'),
  },
  { error: 'expected { port, ca, serverName, http2 }, of which only port must be there' },
);

function routes(placeholder: boolean) {
  const wanted = placeholder
    ? 'expected METHOD /path, like POST /orders or GET /slow?ms={ms}'
    : 'expected METHOD /path, like POST /orders, without a placeholder';
  const form = placeholder ? /^[A-Z]+ \/(?:[^\s{}]|\{ms\})*$/ : /^[A-Z]+ \/[^\s{}]*$/;
  return list(z.string({ error: wanted }).regex(form, { error: wanted }), 'endpoints like POST /orders').optional();
}

const endpoints = z.strictObject(
  {
    slow: routes(true).describe(
      'hold a request until the answer is due; {ms} stands for the milliseconds it shall take',
    ),
    stream: routes(true).describe('answer in pieces, for ever or for {ms}'),
    sse: routes(true).describe('server-sent events, for ever or for {ms}'),
    upload: routes(false).describe('take a body'),
    control: routes(false).describe('exact routes that still answer while the gate is closed (ADM-7)'),
    liveness: routes(false).describe('exact routes that tell whether the process lives (livenessInDrain)'),
    websocket: webSocketRoutes
      .optional()
      .describe('routes that take a WebSocket: paths, or { path, … } with what is spoken on them (WSS)'),
  },
  { error: 'expected a mapping with slow, stream, sse, upload, control, liveness or websocket' },
);

const registry = z.strictObject(
  {
    urlEnv: variable.describe('the variable that gets the URL of the controller that the harness plays'),
    env: variables.optional().describe('what else must be set so that the service registers'),
  },
  { error: 'expected { urlEnv: NAME } and perhaps env' },
);

const bootstrap = z.strictObject(
  {
    urlEnv: variable.describe('the variable that gets the URL of the config server that the harness plays'),
    env: variables.optional().describe('what else must be set so that the service starts from it'),
    cache: absolute
      .optional()
      .describe('the folder in the container in which it keeps what it got; looked at after the end (STA-5)'),
  },
  { error: 'expected { urlEnv: NAME } and perhaps env and cache' },
);

const fault = variables
  .refine((env) => Object.keys(env).length > 0, { error: 'expected at least one NAME: value' })
  .optional()
  .meta({ minProperties: 1 });

const faults = z.strictObject(
  {
    slowCleanUp: fault.describe('environment that makes clean-up slow'),
    stuckCleanUp: fault.describe('environment that makes clean-up never end'),
    stuckThread: fault.describe('environment that keeps a thread running for ever'),
    stuckStartUp: fault.describe('environment that makes something of the start-up impossible to unwind (STA-3)'),
    badConfiguration: fault.describe('environment with which the service cannot start (STA-11)'),
  },
  { error: 'expected a mapping with slowCleanUp, stuckCleanUp, stuckThread, stuckStartUp or badConfiguration' },
);

const logs = z.strictObject(
  {
    signalReceived: pattern('reason').optional().describe('receipt of a signal; the named group reason holds why'),
    outcome: pattern('outcome')
      .optional()
      .describe('final outcome; the named group outcome holds graceful, deadline-exceeded or failed'),
    deadlineExceeded: pattern().optional().describe('written to stderr when the grace ran out'),
    lastLine: pattern().optional().describe('the last line of every graceful stop'),
    secondSignal: pattern().optional().describe('receipt of a second signal'),
    startUpExpired: pattern()
      .optional()
      .describe('written to stderr when the abort of a start-up took too long (STA-3)'),
    recovery: pattern().optional().describe('a line of a start that has to make good an unclean stop (RST-2)'),
  },
  { error: 'expected a mapping of log patterns' },
);

export const serviceShape = {
  port: port.optional().describe('port that carries HTTP in the clear'),
  tcp: list(port, 'port numbers').optional().describe('ports that take connections and speak neither HTTP nor TLS'),
  server: text
    .meta({ enum: [...serverNames] })
    .optional()
    .describe('the known server that it is: what its signals mean, and how its state is read back'),
  tls: tls.optional().describe('port that carries TLS, and how its certificate is verified'),
  ready: ready
    .optional()
    .describe('how it is seen that the service is ready; exactly one of http, tcp, greeting, log, health'),
  startTimeout: startTimeout
    .optional()
    .describe('how long the service may take to become ready; 30s where it is left out'),
  // A name alone counts in milliseconds.
  graceEnv: z
    .union([variable, longGraceEnv], {
      error: 'expected the name of an environment variable, or { name: NAME, unit: ms } where the unit is ms or s',
    })
    .optional()
    .describe('the variable that sets the graceful period: NAME, or { name, unit }'),
  endpoints: endpoints.optional().describe('routes that scenarios may use, as METHOD /path'),
  registry: registry.optional().describe('how the service is told of the controller that it registers with'),
  bootstrap: bootstrap.optional().describe('how the service is told of the config server that it starts from'),
  faults: faults.optional().describe('environments that bring faults about (DLN-5, DLN-6, STA-3, STA-11)'),
  logs: logs.optional().describe('regular expressions for lines of the log, matched without colours'),
};
