import type { Draft, Fate, ObservationOf } from '../../model/observation.ts';
import { at, SIGNAL_AT } from './history-builder.ts';

type Held = ObservationOf<'work.held'>;
type Ended = ObservationOf<'work.ended'>;

/** Work that was proven held 200 ms before the usual signal. */
export function heldWork(more: Partial<Omit<Held, 'kind' | 't' | 'seq'>> & { readonly atMs?: number } = {}): Draft {
  const { atMs = 800, ...rest } = more;
  return {
    kind: 'work.held',
    t: at(atMs),
    id: 'w1',
    shape: 'slow-body',
    how: 'POST /',
    over: 'http',
    ends: 'finish',
    ...rest,
  };
}

/** How it ended, `afterMs` after the usual signal. */
export function workEnded(
  afterMs: number,
  fate: Fate,
  more: Partial<Omit<Ended, 'kind' | 't' | 'seq' | 'fate'>> = {},
): Draft {
  return { kind: 'work.ended', t: at(SIGNAL_AT + afterMs), id: 'w1', shape: 'slow-body', fate, ...more };
}

/** The harness completed its part, `afterMs` after the usual signal. */
export function workFinished(afterMs: number, id = 'w1'): Draft {
  return { kind: 'work.finished', t: at(SIGNAL_AT + afterMs), id, shape: 'slow-body' };
}

/** Nothing could be held. */
export function workFailed(message = '404'): Draft {
  return { kind: 'work.failed', t: at(800), id: 'w1', shape: 'slow-body', tried: ['POST /'], message };
}
