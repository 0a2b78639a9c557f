import type {
  BootstrapBehaviour,
  ControllerBehaviour,
  Load,
  SignalExpression,
  Step,
  TimeExpression,
  Way,
} from './scenario.ts';

const way = (chosen?: Way): { readonly way?: Way } => (chosen === undefined ? {} : { way: chosen });

/** Wait until the service has answered its readiness check `answers` times from the probes' vantage point (TEST-11: twice). */
export const ready = (answers = 2): Step => ({ step: 'ready', answers });

/** Wait until the service has registered with the played controller; a service that does not is not exercised. */
export const registered = (within: TimeExpression = '10s'): Step => ({ step: 'registered', within });

/** Start the scenario's load and prove that the service holds it, before the script goes on. */
export const load = (): Step => ({ step: 'load' });

/**
 * Probe from here until the end: a new connection every so often, and a request on one of `kept` connections that were
 * opened and answered beforehand. Every 5 ms where the window is judged, every 50 ms elsewhere.
 */
export const probe = (every: TimeExpression = '50ms', kept = 4, over?: Way): Step => ({
  step: 'probe',
  every,
  kept,
  ...way(over),
});

/** Let this much time pass with the load held. Ends early when the service ends. */
export const hold = (duration: TimeExpression): Step => ({ step: 'hold', for: duration });

/** One signal to PID 1 through the engine's kill API: `TERM`, `primary` (the preset's own) or `$signal` (the matrix). */
export const signal = (name: SignalExpression): Step => ({ step: 'signal', signal: name });

/** One signal to PID 1 by the host's own kill: below what an engine needs from one to the next. Else not exercised. */
export const signalFromHost = (name: SignalExpression): Step => ({ step: 'signal', signal: name, by: 'host' });

/** The same signal up to `count` times, one awaited before the next, for as many as the engine delivers in that time. */
export const storm = (name: SignalExpression, count: number, within: TimeExpression): Step => ({
  step: 'storm',
  signal: name,
  count,
  within,
});

/** The engine's own stop with its `default` timeout or with one that is `given`; or `$timeout` from the matrix. */
export const stop = (timeout: string): Step => ({ step: 'stop', timeout });

/** Wait until the probe has seen new work turned away, at most so long: it may be served on for a declared time. */
export const gateClosed = (within: TimeExpression = 'serveAfter + 1s'): Step => ({ step: 'gate-closed', within });

/** Ask readiness, the declared liveness and control routes and near misses of these, once each. */
export const ask = (): Step => ({ step: 'ask' });

/** Complete the harness's part of all work that is held: bodies and half-sent headers. */
export const finish = (): Step => ({ step: 'finish' });

/** Look at a service that should keep serving, every so often, for this long. */
export const watch = (duration: TimeExpression, every: TimeExpression): Step => ({
  step: 'watch',
  for: duration,
  every,
});

/** Wait for the end of PID 1. Past `within` the harness sends SIGKILL itself, and records that it did. */
export const exited = (within: TimeExpression = 'outerTimeout'): Step => ({ step: 'exited', within });

/** Put a value into a known server, to be read back after `restart`. Of others nothing is known to be kept. */
export const writeState = (): Step => ({ step: 'write-state' });

/**
 * Start the same container again, on what its first life left: the last step, after `exited`. It is seen to become ready,
 * asked once, and removed by force. It is not started again after an end that was no good one.
 */
export const restart = (): Step => ({ step: 'restart' });

/** Let so much time of the start-up pass, counted from the engine's start, at most until it is ready. */
export const starting = (duration: TimeExpression): Step => ({ step: 'starting', for: duration });

/** After a signal into the start-up: the end, or readiness and so much more; at most `within` where it may have been heard. */
export const settle = (duration: TimeExpression, within: TimeExpression = 'hardDeadline'): Step => ({
  step: 'settle',
  for: duration,
  within,
});

/** Wait until the service has asked a played peer that holds its answer; one that never asks is not exercised. */
export const pending = (peer: Extract<Step, { step: 'pending' }>['peer'], within: TimeExpression = '10s'): Step => ({
  step: 'pending',
  peer,
  within,
});

/** Answer what a played peer holds: what comes next comes in the same instant. */
export const release = (peer: Extract<Step, { step: 'release' }>['peer']): Step => ({ step: 'release', peer });

/** From here on, before readiness too, ask an application route on new connections, until the script ends. */
export const earlyProbe = (every: TimeExpression = '20ms'): Step => ({ step: 'early-probe', every });

/** Look at the declared cache after the end of the container. */
export const lookInside = (): Step => ({ step: 'look-inside' });

/** Ask for an upgrade to a WebSocket on a new connection. */
export const upgrade = (): Step => ({ step: 'upgrade' });

type Of<S extends Load['shape']> = Extract<Load, { shape: S }>;

/** Requests whose body is sent slowly, so that they stay in flight without the service's help. */
export const slowBodies = (count: number, over?: Way): Of<'slow-body'> => ({ shape: 'slow-body', count, ...way(over) });

/** Requests to a declared slow endpoint, which answers after so long. */
export const slowAnswers = (count: number, duration: TimeExpression, over?: Way): Of<'slow-answer'> => ({
  shape: 'slow-answer',
  count,
  for: duration,
  ...way(over),
});

/** Slow bodies on connections that were used and kept alive before. */
export const warmSlowBodies = (count: number, over?: Way): Of<'warm-slow-body'> => ({
  shape: 'warm-slow-body',
  count,
  ...way(over),
});

/** Uploads that go on across the signal. */
export const uploads = (count: number, over?: Way): Of<'upload'> => ({ shape: 'upload', count, ...way(over) });

/** Streaming answers that are being read; without `duration` they have no end of their own. */
export const streams = (
  kind: Of<'stream'>['kind'],
  count: number,
  duration?: TimeExpression,
  over?: Way,
): Of<'stream'> => ({
  shape: 'stream',
  kind,
  count,
  ...(duration === undefined ? {} : { for: duration }),
  ...way(over),
});

/** Connections that were answered once and are kept alive, with nothing in flight. */
export const idleKeepAlive = (count: number, over?: Way): Of<'idle-keep-alive'> => ({
  shape: 'idle-keep-alive',
  count,
  ...way(over),
});

/** Connections whose headers are half sent before the signal. */
export const halfHeaders = (count: number, over?: Way): Of<'half-headers'> => ({
  shape: 'half-headers',
  count,
  ...way(over),
});

/** One connection that does not go on. */
export const stalled = (kind: Of<'stalled'>['kind'], over?: Way): Of<'stalled'> => ({
  shape: 'stalled',
  kind,
  ...way(over),
});

/** HTTP/2 sessions: with streams in flight, idle, and ignoring GOAWAY. */
export const http2Sessions = (count: number): Of<'http2-sessions'> => ({ shape: 'http2-sessions', streams: count });

/** WebSockets of one kind. */
export const webSockets = (kind: Of<'web-sockets'>['kind'], count: number, over?: Way): Of<'web-sockets'> => ({
  shape: 'web-sockets',
  kind,
  count,
  ...way(over),
});

/** A config server of this behaviour, or of the one that a column of the matrix names. */
export const configServer = (kind: BootstrapBehaviour['kind'] | `$${string}`): BootstrapBehaviour =>
  ({ kind }) as BootstrapBehaviour;

/** A controller that never gets as far as a goodbye, of this behaviour, or of the one that a column of the matrix names. */
export const controllerThat = (
  kind: 'holds-registration' | 'holds-handshake' | 'refuses-registration' | `$${string}`,
): ControllerBehaviour => ({ kind }) as ControllerBehaviour;

/** A controller that acknowledges the goodbye after so long. */
export const acknowledges = (after: TimeExpression): ControllerBehaviour => ({ kind: 'acknowledges', after });

/** A controller that takes the registration and never answers the goodbye. */
export const silent = (): ControllerBehaviour => ({ kind: 'silent' });
