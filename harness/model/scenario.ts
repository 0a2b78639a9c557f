import type { Capability } from './clause.ts';

/** A length of time over the terms in force: `200ms`, `1s`, `grace + floor + 1s`, `outerTimeout`, `hardDeadline + 5s`. */
export type TimeExpression = string;

/** A signal name without SIG, `primary` for the preset's own, or `$signal` for the matrix value of that name. */
export type SignalExpression = string;

/** One step of a script. A step says when; inject/, load/ and observe/ do the work. */
export type Step =
  /** Wait until the service answered its readiness `answers` times (default 2). */
  | { readonly step: 'ready'; readonly answers: number }
  /** Start the scenario's load and wait until it is proven held. */
  | { readonly step: 'load' }
  | { readonly step: 'hold'; readonly for: TimeExpression }
  | { readonly step: 'signal'; readonly signal: SignalExpression }
  /** The engine's own stop: its default timeout, or one that is given. */
  | { readonly step: 'stop'; readonly timeout: string }
  /** Look at the service every `every` for this long; it should keep serving. */
  | { readonly step: 'watch'; readonly for: TimeExpression; readonly every: TimeExpression }
  /** Wait for the end of PID 1; past `within` the harness sends SIGKILL and records that it did. */
  | { readonly step: 'exited'; readonly within: TimeExpression };

/** What keeps the target busy, by shape and its settings. One shape a file under load/. */
export interface Load {
  readonly shape: 'slow-request';
  readonly count: number;
}

/** A scenario is data: no `if`, no sleep, no `expect` (architecture.md). */
export interface Scenario {
  readonly id: string;
  readonly title: string;
  readonly needs?: readonly Capability[];
  /** Arguments of the helper, which is run instead of the image: such a scenario judges the instrument (rule 8). */
  readonly helper?: readonly string[];
  readonly matrix?: Readonly<Record<string, readonly (string | number)[]>>;
  readonly load?: Load;
  readonly script: readonly Step[];
  readonly clauses: readonly string[];
}
