import type { Draft, ObservationOf, ProcessFact } from '../../model/observation.ts';
import type { StartUpPeer } from '../../model/start-up-observation.ts';
import type { Entry } from './history-builder.ts';
import { at, processFact, SIGNAL_AT } from './history-builder.ts';

/** PID 1 with a handler for SIGTERM and SIGINT, and without any. */
export const hears: ProcessFact = processFact(1, 0, ['/server'], { caught: '4002' });
export const deaf: ProcessFact = processFact(1, 0, ['/server']);

/** The engine's start returned so many ms before the usual signal. */
export function startedBefore(beforeMs = 600): readonly Draft[] {
  const t = at(SIGNAL_AT - 2 - beforeMs);
  return [
    { kind: 'container.created', t: t - at(60), id: 'c', name: 'n' },
    { kind: 'engine.call', begin: t - at(60), t, call: 'create and start' },
    { kind: 'container.started', t, pid: 100, vantage: 'direct' },
  ];
}

/** What PID 1 was so long after the signal. */
export function seenAs(process: ProcessFact, afterMs = -3): Draft {
  const moment = afterMs < 0 ? 'before-signal' : 'during-stop';
  return { kind: 'processes', t: at(SIGNAL_AT + afterMs), moment, list: [process] };
}

/** The service asked a played peer, which does not answer, so long before the signal. */
export function pending(peer: StartUpPeer = 'bootstrap', beforeMs = 50): Draft {
  return { kind: 'start.pending', begin: at(100), t: at(SIGNAL_AT - beforeMs), peer };
}

/** What was held was answered. */
export function released(peer: StartUpPeer = 'registration', beforeMs = 4): Draft {
  const t = at(SIGNAL_AT - beforeMs);
  return { kind: 'start.released', begin: t - at(0.2), t, peer };
}

/** A request on a new connection begun so long after the signal; answered within a millisecond. */
export function early(afterMs: number, what: number | 'refused' | 'reset' | 'hung' = 'refused'): Draft {
  const begin = at(SIGNAL_AT + afterMs);
  const sample = { kind: 'early.sample', begin, t: begin + at(1), request: 'GET /' } as const;
  if (typeof what !== 'number') return { ...sample, outcome: what };
  return { ...sample, outcome: 'answered', status: what, answeredAt: begin + at(0.9) };
}

/** A start that a silent peer holds and whose PID 1 hears, 600 ms after its start. */
export function heldStart(peer: StartUpPeer = 'bootstrap'): readonly Entry[] {
  return [...startedBefore(), early(-100), pending(peer), seenAs(hears)];
}

/** A session of the played controller so long after the signal. */
export function session(state: 'opened' | 'closed', afterMs: number, number = 1): Draft {
  return { kind: 'controller.session', t: at(SIGNAL_AT + afterMs), session: number, state };
}

/** A message of the service to the played controller so long after the signal. */
export function told(method: string, afterMs: number, number = 1, text?: string): Draft {
  return {
    kind: 'controller.received',
    t: at(SIGNAL_AT + afterMs),
    session: number,
    method,
    ...(text !== undefined && { text }),
  };
}

/** So many bytes of the first file were sent before the signal. */
export function sent(bytes: number, whole = false): Draft {
  const path = '/config-server/configs';
  return { kind: 'bootstrap.answered', t: at(SIGNAL_AT - 60), request: 1, path, status: 200, bytes, whole };
}

/** The declared cache after the end. */
export function cache(files: ObservationOf<'cache.after-exit'>['files'], error?: string): Draft {
  return {
    kind: 'cache.after-exit',
    t: at(SIGNAL_AT + 900),
    path: '/app/config-cache',
    files,
    ...(error !== undefined && { error }),
  };
}
