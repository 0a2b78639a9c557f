import type { Finding } from '../../model/clause.ts';
import type { Draft, Headers, ObservationOf, Over } from '../../model/observation.ts';
import type { Entry, Setting } from './history-builder.ts';
import { at, SIGNAL_AT } from './history-builder.ts';

type SampleDraft = Omit<ObservationOf<'probe.sample'>, 'seq'>;

/** What a sample may say that differs from an answered request to the probe's own route; undefined takes it away. */
export type More = { readonly [K in Exclude<keyof SampleDraft, 'kind' | 'via'>]?: SampleDraft[K] | undefined };

/** What the probe asks in literal histories. */
export const ASKED = 'GET /orders';
/** The whole refusal of light-fabric. */
export const REFUSAL: Headers = { connection: 'close', 'retry-after': '0' };

/** The probe under way before the signal, with 48 kept connections. */
export function probeStarted(more: { normal?: number; over?: Over; request?: string } = {}): Draft {
  const { normal = 200, over = 'http', request = ASKED } = more;
  return { kind: 'probe.started', t: at(700), everyMs: 5, kept: 48, request, normal, over };
}

/** The end of the probe with the target; `withdrawn` kept connections were closed while idle. */
export function probeEnded(afterMs: number, withdrawn = 0): Draft {
  const counts = { samples: 100, withdrawn, unused: 0, void: 0, longestGapMs: 6 };
  return { kind: 'probe.ended', t: at(SIGNAL_AT + afterMs), reason: 'the target ended', ...counts };
}

/** One sample begun `afterMs` after the usual signal: sent 0.4 ms later, its first byte 1 ms after the begin. */
export function sample(via: 'new' | 'kept', afterMs: number, more: More = {}): Draft {
  const begin = SIGNAL_AT + afterMs;
  const outcome = more.outcome ?? 'answered';
  const connected = via === 'new' && outcome !== 'refused' ? { connectedAt: at(begin + 0.3) } : {};
  const sent = outcome === 'refused' ? {} : { sentBegin: at(begin + 0.4), sentAt: at(begin + 0.5) };
  const answer = outcome === 'answered' ? { status: 200, headers: {}, answeredAt: at(begin + 1) } : {};
  return {
    kind: 'probe.sample',
    via,
    begin: at(begin),
    t: at(begin + (outcome === 'hung' ? 1000 : 1.2)),
    connection: Math.round(begin),
    purpose: 'admission',
    request: ASKED,
    outcome,
    ...connected,
    ...sent,
    ...answer,
    ...more,
  } as SampleDraft;
}

/** Samples every 5 ms from one time after the signal to another. */
export function samples(via: 'new' | 'kept', fromMs: number, toMs: number, more: More = {}): readonly Draft[] {
  const count = Math.max(0, Math.floor((toMs - fromMs) / 5));
  return Array.from({ length: count }, (_, i) => sample(via, fromMs + 5 * i, more));
}

/** Requests served on new and kept connections. */
export function served(fromMs: number, toMs: number, more: More = {}): readonly Draft[] {
  return [...samples('new', fromMs, toMs, more), ...samples('kept', fromMs + 2, toMs + 2, more)];
}

/** Requests turned away by the gate on new and kept connections. */
export function turnedAway(fromMs: number, toMs: number, headers: Headers = REFUSAL): readonly Draft[] {
  return served(fromMs, toMs, { status: 503, headers });
}

/** Connects that are refused. */
export function refusedConnects(fromMs: number, toMs: number): readonly Draft[] {
  return samples('new', fromMs, toMs, { outcome: 'refused' });
}

/** A played controller with which the service has registered. */
export function controller(behaviour = 'acknowledges after 400 ms'): readonly Draft[] {
  return [
    { kind: 'controller.listening', t: at(10), url: 'http://10.0.0.1:9000', behaviour },
    { kind: 'controller.session', t: at(300), session: 1, state: 'opened' },
    { kind: 'controller.received', t: at(301), session: 1, method: 'service/register', id: 'register-1' },
    {
      kind: 'controller.answered',
      begin: at(301),
      t: at(302),
      session: 1,
      method: 'service/register',
      outcome: 'registered',
    },
  ];
}

const DEREGISTER = { session: 1, method: 'service/deregister', id: 'goodbye-1' } as const;

/** The goodbye is with the controller. */
export function goodbye(afterMs: number): Draft {
  return { kind: 'controller.received', t: at(SIGNAL_AT + afterMs), ...DEREGISTER, reason: 'terminate' };
}

/** The controller's answer to the goodbye is with the kernel. */
export function acknowledged(afterMs: number): Draft {
  const t = at(SIGNAL_AT + afterMs);
  return { kind: 'controller.answered', begin: t - at(0.2), t, ...DEREGISTER, outcome: 'deregistered' };
}

/** A stall of the harness that ends `afterMs` after the signal. */
export function stall(afterMs: number, lateMs: number): Draft {
  const t = at(SIGNAL_AT + afterMs);
  return { kind: 'stall', begin: t - at(lateMs), t, lateMs };
}

/**
 * One row of a clause's table: the promise, the outcome, the history, what must be said, what else is in force. `timing`
 * is an inconclusive finding that is to be measured again; any other inconclusive one must not be.
 */
export type WindowRow = readonly [
  promise: string,
  outcome: Finding['outcome'] | 'timing',
  entries: readonly Entry[],
  seen: RegExp,
  setting?: Setting,
];

/** Measured alone: nothing else ran, so that being late is decided. */
export const ALONE: Setting = { cell: { lane: 'alone' } };
