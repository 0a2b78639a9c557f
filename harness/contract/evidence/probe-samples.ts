import type { History } from '../../model/history.ts';
import type { ObservationOf, Over } from '../../model/observation.ts';
import type { Nanoseconds } from '../../model/time.ts';
import { firstOf, lastOf, ofKind } from './queries.ts';

export type Sample = ObservationOf<'probe.sample'>;

/** The admission probe of a history: what it asked, what is normal, and every sample, in order of their ends. */
export interface Probe {
  readonly seq: number;
  readonly everyMs: number;
  readonly request: string;
  readonly normal: number;
  readonly over: Over;
  readonly samples: readonly Sample[];
  /** Requests to declared control routes, as far as the history tells. */
  readonly controls: ReadonlySet<string>;
  /** Requests to declared liveness routes. */
  readonly liveness: ReadonlySet<string>;
  /** Whether control routes are declared: only then are there near misses of them. */
  readonly inventory: boolean;
  readonly ended?: ObservationOf<'probe.ended'>;
}

/** The probe that was under way; undefined where none was. */
export function probeOf(history: History): Probe | undefined {
  const started = firstOf(history, 'probe.started');
  if (!started) return undefined;
  const samples = ofKind(history, 'probe.sample');
  const ended = lastOf(history, 'probe.ended');
  const asked = (purpose: Sample['purpose']): readonly string[] =>
    samples.filter((s) => s.purpose === purpose).map((s) => s.request);
  const inventory = asked('control').length > 0 || asked('near-miss').some((request) => request !== UNDECLARED);
  // a readiness route that is declared is asked once, as readiness: with near misses and no other, it is the one
  const controls = new Set(inventory && asked('control').length === 0 ? asked('readiness') : asked('control'));
  const liveness = new Set(asked('liveness'));
  const { seq, everyMs, request, normal, over } = started;
  return { seq, everyMs, request, normal, over, samples, controls, liveness, inventory, ...(ended && { ended }) };
}

/** A near miss also where nothing is declared: the route that every service is tempted to let through (ADM-7). */
const UNDECLARED = 'GET /health';

/**
 * The service had the whole request no earlier than this: the stamp was taken before it was written. Undefined where
 * only the end is known, which bounds nothing from below.
 */
export function sentNotBefore(sample: Sample): Nanoseconds | undefined {
  return sample.sentBegin ?? sample.connectedAt ?? sample.begin;
}

/** The service had decided about the request no later than this: the stamp was taken after its first byte came. */
export function decidedBy(sample: Sample): Nanoseconds {
  return sample.answeredAt ?? sample.t;
}

/**
 * An application request is any but one to a declared control or liveness route. A readiness route may be one of those: it is an
 * application route for certain where none is declared, or where it was asked as a near miss too.
 */
export function isApplication(probe: Probe, sample: Sample): boolean {
  if (sample.purpose === 'admission') return true;
  if (sample.purpose === 'control' || probe.liveness.has(sample.request)) return false;
  if (sample.purpose === 'near-miss') return true;
  if (!probe.inventory) return true;
  return probe.samples.some((s) => s.purpose === 'near-miss' && s.request === sample.request);
}

/** Served as before the signal: any 2xx, and what the probe's own request got then, also where that is a 404. */
export function isServed(probe: Probe, sample: Sample): boolean {
  const { outcome, status } = sample;
  if (outcome !== 'answered' || status === undefined) return false;
  return (status >= 200 && status < 300) || (sample.request === probe.request && status === probe.normal);
}

/** Turned away by the gate: 503 is how every preset refuses over HTTP. */
export function isTurnedAway(sample: Sample): boolean {
  return sample.outcome === 'answered' && sample.status === 503;
}

/** Whether a new connection was established: PID 1's listener was open at some time after its begin. */
export function isConnected(sample: Sample): boolean {
  return sample.via === 'new' && (sample.connectedAt !== undefined || sample.outcome === 'answered');
}
