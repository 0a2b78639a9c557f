import type { Load, SignalExpression, Step, TimeExpression } from './scenario.ts';

/** Wait until the service has answered its readiness check `answers` times from the probes' vantage point (TEST-11: twice). */
export const ready = (answers = 2): Step => ({ step: 'ready', answers });

/** Start the scenario's load and prove that the service holds it, before the script goes on. */
export const load = (): Step => ({ step: 'load' });

/** Let this much time pass with the load held. Ends early when the service ends. */
export const hold = (duration: TimeExpression): Step => ({ step: 'hold', for: duration });

/** One signal to PID 1 through the engine's kill API: `TERM`, `primary` (the preset's own) or `$signal` (the matrix). */
export const signal = (name: SignalExpression): Step => ({ step: 'signal', signal: name });

/** The engine's own stop with its `default` timeout or with one that is `given`; or `$timeout` from the matrix. */
export const stop = (timeout: string): Step => ({ step: 'stop', timeout });

/** Look at a service that should keep serving, every so often, for this long. */
export const watch = (duration: TimeExpression, every: TimeExpression): Step => ({
  step: 'watch',
  for: duration,
  every,
});

/** Wait for the end of PID 1. Past `within` the harness sends SIGKILL itself, and records that it did. */
export const exited = (within: TimeExpression = 'outerTimeout'): Step => ({ step: 'exited', within });

/** Requests whose body is sent slowly, so that they stay in flight without the service's help. */
export const slowRequests = (count: number): Load => ({ shape: 'slow-request', count });
