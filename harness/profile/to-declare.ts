import { presetByName } from '../contract/presets/index.ts';
import type { PresetName, Terms } from '../model/clause.ts';

/** A line that a profile may have, and what it is good for. */
export interface ToDeclare {
  /** Top-level key. */
  readonly key: string;
  /** Key within that, where it is one of several. */
  readonly inner?: string;
  /** As YAML, in one line. */
  readonly value: string;
  /** What it makes possible: the clauses that are exercised with it. */
  readonly enables: string;
}

/** Nothing of this can be found by looking: only who makes the service knows it. */
export const TO_DECLARE: readonly ToDeclare[] = [
  {
    key: 'grace',
    value: '10s',
    enables: 'how long work in flight may take to finish after the signal (DRN-1, DLN-1, DLN-2)',
  },
  {
    key: 'graceEnv',
    value: 'GRACE_MS',
    enables: 'the variable that sets the grace in ms; { name: GRACE, unit: s } where it counts seconds (DLN-4, CFG-3)',
  },
  {
    key: 'ready',
    value: '{ log: started }',
    enables:
      'how it is seen that it is ready: a line of its log; or { http: { port: 8080, path: /ready } }, { tcp: 5432 }',
  },
  {
    key: 'endpoints',
    inner: 'slow',
    value: "['GET /slow?ms={ms}']",
    enables: 'a route that holds a request as long as it is asked to (DRN-1, DRN-9)',
  },
  { key: 'endpoints', inner: 'upload', value: "['POST /files']", enables: 'a route that takes a body (DRN-3)' },
  { key: 'endpoints', inner: 'stream', value: "['GET /stream']", enables: 'a route that answers in pieces (DRN-4)' },
  { key: 'endpoints', inner: 'sse', value: "['GET /events']", enables: 'a route that sends events (DRN-4)' },
  {
    key: 'endpoints',
    inner: 'control',
    value: "['GET /metrics']",
    enables: 'exact routes that still answer while it drains (ADM-7)',
  },
  {
    key: 'endpoints',
    inner: 'liveness',
    value: "['GET /livez']",
    enables: 'exact routes that tell that it lives, see livenessInDrain',
  },
  {
    key: 'endpoints',
    inner: 'websocket',
    value: '[{ path: /ws, ask: { send: ping, answer: pong } }]',
    enables:
      'routes that take a WebSocket, with what is spoken on them, also register, flood, refused (WSS-1 to WSS-6); a path alone will do',
  },
  {
    key: 'accept',
    value: "[{ status: 143, reason: 'it ends by the signal once all is done' }]",
    enables:
      'another exit status than 0 that is a good end of a stop, with the reason that reports show (SIG-1, SIG-2)',
  },
  { key: 'stopSignal', value: 'QUIT', enables: 'a stop signal in place of the one of the image (SIG-1, IMG-3)' },
  {
    key: 'registry',
    value: '{ urlEnv: CONTROLLER_URL }',
    enables: 'the variable that makes it register with a controller, which is then played (ADM-3, ADM-4, DLN-5)',
  },
  {
    key: 'bootstrap',
    value: '{ urlEnv: CONFIG_SERVER_URL, cache: /app/config-cache }',
    enables:
      'the variable that makes it start from a config server, which is then played, and where it keeps what it got (STA-2, STA-5)',
  },
  {
    key: 'faults',
    value: "{ slowCleanUp: { CLEAN_UP_MS: '3000' } }",
    enables:
      'what makes its clean-up slow, or never end (stuckCleanUp, stuckThread: DLN-5, DLN-6), or its start-up (stuckStartUp: STA-3), or fail (badConfiguration: STA-11)',
  },
  {
    key: 'logs',
    inner: 'signalReceived',
    value: "'received (?<reason>SIG[A-Z]+)'",
    enables: 'the line that says which signal came (SIG-4)',
  },
  {
    key: 'logs',
    inner: 'outcome',
    value: "'shutdown (?<outcome>graceful|deadline-exceeded|failed)'",
    enables: 'the line that says how the stop ended (OBS-3, DLN-3)',
  },
  {
    key: 'logs',
    inner: 'deadlineExceeded',
    value: "'deadline exceeded'",
    enables: 'the line that says that the grace ran out (DLN-2)',
  },
  {
    key: 'logs',
    inner: 'secondSignal',
    value: "'second signal'",
    enables: 'the line that says that a second signal came',
  },
  {
    key: 'logs',
    inner: 'startUpExpired',
    value: "'start-up abort deadline exceeded'",
    enables: 'the line that says that the abort of a start-up took too long (STA-3)',
  },
  { key: 'logs', inner: 'lastLine', value: "'bye'", enables: 'the last line of every graceful stop (OBS-4)' },
];

/** What people differ on, with what a preset says, as terms of a profile. */
export function policiesOf(preset: PresetName): readonly ToDeclare[] {
  const { terms } = presetByName(preset);
  const bound = typeof terms.stopBoundMs === 'number' ? `${terms.stopBoundMs}ms` : undefined;
  const term = (inner: string, value: string, enables: string): ToDeclare => ({ key: 'terms', inner, value, enables });
  const signals: Pick<Terms, 'secondTerm' | 'secondInt'> = terms;
  return [
    ...(bound === undefined ? [] : [term('stopBound', bound, 'a stop with nothing in flight takes less than this')]),
    term('stopGoal', `${terms.stopGoalMs}ms`, 'the goal for that, which only --strict enforces'),
    term('afterWork', `${terms.afterWorkMs}ms`, 'it ends within this after the last piece of work (DRN-9)'),
    term(
      'serveAfter',
      `${terms.serveAfterMs}ms`,
      'for so long after the signal new work may still be served; then the listener must close',
    ),
    term(
      'secondTerm',
      signals.secondTerm,
      'what a second SIGTERM does: never-slower, must-not-shorten, must-shorten, collapses or at-once (SIG-5)',
    ),
    term('secondInt', signals.secondInt, 'the same for a second SIGINT (SIG-5)'),
    term(
      'livenessInDrain',
      terms.livenessInDrain,
      'any, or serving: whether a liveness route must go on answering while it drains',
    ),
    term(
      'closeCodes',
      `[${terms.closeCodes.join(', ')}]`,
      'the codes of a Close frame that are good at a stop (WSS-2)',
    ),
    term(
      'closeReason',
      terms.closeReason === null ? 'any' : `'${terms.closeReason}'`,
      'the reason that a Close frame carries, or any that is not empty (WSS-2)',
    ),
  ];
}
