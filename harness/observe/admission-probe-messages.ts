import type { MessagePort } from 'node:worker_threads';
import type { ObservationOf } from '../model/observation.ts';
import type { Access } from '../wire/connection.ts';
import type { AskedRequest } from './control-routes.ts';

/**
 * What the probe's thread and its starter say to each other. All times are nanoseconds of CLOCK_MONOTONIC since
 * `ProbeJob.base`: a number holds them exactly, which it does not for the clock itself on a host that is up for long.
 */
export interface ProbeJob {
  readonly access: Omit<Access, 'dial'>;
  /** Whose life allows connecting: PID 1 of the target as this host counts, or as the relay of its sidecar watches it. */
  readonly through: { readonly pid: number } | { readonly relay: MessagePort };
  readonly request: { readonly method: string; readonly path: string };
  readonly everyMs: number;
  readonly kept: number;
  readonly base: bigint;
}

export type ToThread =
  | { readonly type: 'ask'; readonly id: number; readonly requests: readonly AskedRequest[] }
  /** PID 1 has been seen dead by somebody else. */
  | { readonly type: 'ended' }
  | { readonly type: 'stop' };

export type Sample = Omit<ObservationOf<'probe.sample'>, 'seq' | 'kind' | 'begin'> & { readonly begin: number };

export type Totals = Omit<ObservationOf<'probe.ended'>, 'seq' | 'kind' | 'begin' | 't' | 'reason'>;

export type FromThread =
  | { readonly type: 'started'; readonly at: number; readonly kept: number; readonly normal: number }
  | { readonly type: 'failed'; readonly at: number; readonly message: string; readonly tried: readonly string[] }
  | { readonly type: 'samples'; readonly list: readonly Sample[] }
  /** Every outcome of that question is known, and was sent before this. */
  | { readonly type: 'asked'; readonly id: number }
  /** Something of this host, not of the target, stood in the way of a sample. */
  | { readonly type: 'fault'; readonly message: string }
  /** The last message. `at` is when probing ended; outcomes may have come a little later. */
  | { readonly type: 'over'; readonly at: number; readonly totals: Totals; readonly lost?: true };
