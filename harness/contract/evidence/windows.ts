import type { History } from '../../model/history.ts';
import type { Observation } from '../../model/observation.ts';
import type { Interval, Nanoseconds } from '../../model/time.ts';
import type { Probe, Sample } from './probe-samples.ts';
import { decidedBy, isConnected, isServed, isTurnedAway, probeOf, sentNotBefore } from './probe-samples.ts';
import { processEnd } from './process-end.ts';
import { intervalOf, ofKind, toMs, toNs, triggerOf } from './queries.ts';
import { STOP_DISPATCH_MS } from './stop-duration.ts';

/** Something that happened somewhere inside an interval (architecture rule 3), and the observations that say so. */
export interface Sighting {
  readonly interval: Interval;
  readonly evidence: readonly number[];
}

/** Architecture rule 10: how often each of the four outcomes came, on samples begun after the signal's call. */
export interface OutcomeCounts {
  readonly answered: number;
  readonly refused: number;
  readonly reset: number;
  readonly hung: number;
  /** Of the resets: kept connections that ended after our first byte, the race of every keep-alive client. */
  readonly races: number;
}

/** What became of new work between signal and exit. What was not seen is missing. */
export interface Windows {
  /** The service received the signal somewhere in here. */
  readonly accepted?: Interval;
  /** The last new request that was answered normally: from its sending to its first byte. */
  readonly lastServed?: Sighting;
  readonly first503?: Sighting;
  readonly last503?: Sighting;
  /** The first connect that was refused after the signal. */
  readonly firstRefused?: Sighting;
  /** Between the sending of the last request that was served before any 503, and the first byte of that 503. */
  readonly gateClosed?: Sighting;
  /** Between the begin of the last connect that succeeded, and the end of the first one refused after it. */
  readonly listenerClosed?: Sighting;
  /** The goodbye was in the controller's hands at the end of this. */
  readonly goodbyeReceived?: Sighting;
  /** The controller answered `deregistered`: from the call to the moment the kernel had it. */
  readonly acknowledged?: Sighting;
  readonly ended?: Sighting;
  readonly outcomes: { readonly new: OutcomeCounts; readonly kept: OutcomeCounts };
  /** Kept connections that the service closed before anything was sent on them. */
  readonly withdrawn: number;
  /** Why a 503 proves nothing in this history, and there is no `gateClosed`: it came before the signal too. */
  readonly doubt?: string;
}

const known = new WeakMap<History, Windows>();

/** The windows of a history, from the probe's samples and the played controller. Pure, and computed once. */
export function windowsOf(history: History): Windows {
  const before = known.get(history);
  if (before) return before;
  const windows = compute(history);
  known.set(history, windows);
  return windows;
}

function compute(history: History): Windows {
  const accepted = acceptedIn(history);
  const probe = probeOf(history);
  const since = (s: Sample): boolean => accepted !== undefined && (s.begin ?? s.t) >= accepted.begin;
  const all = probe?.samples ?? [];
  const end = processEnd(history);
  return {
    ...(accepted && { accepted, ...registryTimes(history, accepted) }),
    ...(probe && gateTimes(probe, accepted)),
    ...(accepted && listenerTimes(all, accepted)),
    ...(end && { ended: { interval: end.interval, evidence: end.evidence } }),
    outcomes: {
      new: counts(all.filter((s) => s.via === 'new' && since(s))),
      kept: counts(all.filter((s) => s.via === 'kept' && since(s))),
    },
    withdrawn: probe?.ended?.withdrawn ?? 0,
  };
}

/** The engine's own stop is known by its call only; the signal follows within STOP_DISPATCH_MS. */
function acceptedIn(history: History): Interval | undefined {
  const trigger = triggerOf(history);
  if (!trigger) return undefined;
  const { begin, end } = trigger.interval;
  return { begin, end: trigger.by === 'stop' ? end + toNs(STOP_DISPATCH_MS) : end };
}

/** Only the probe's own request counts here: what is normal for it is known, a readiness may be a control route. */
function gateTimes(probe: Probe, accepted: Interval | undefined): Partial<Windows> {
  const admission = probe.samples.filter((s) => s.purpose === 'admission');
  const refusals = admission.filter(isTurnedAway).toSorted((a, b) => decidedBy(a) - decidedBy(b));
  const served = admission.filter((s) => isServed(probe, s)).toSorted((a, b) => sent(a) - sent(b));
  const after = refusals.filter((s) => accepted !== undefined && decidedBy(s) >= accepted.begin);
  const [first, last, lastServed] = [after[0], after.at(-1), served.at(-1)];
  const doubt =
    probe.normal === 503 || (accepted && refusals.length > after.length)
      ? 'requests were answered 503 before the signal already'
      : undefined;
  return {
    ...(lastServed && { lastServed: sightingOf(lastServed) }),
    ...(first && { first503: sightingOf(first) }),
    ...(last && { last503: sightingOf(last) }),
    ...(doubt !== undefined && { doubt }),
    ...(first && accepted && doubt === undefined && { gateClosed: gateClosed(served, first, accepted) }),
  };
}

function gateClosed(served: readonly Sample[], first: Sample, accepted: Interval): Sighting {
  const end = decidedBy(first);
  // one that was sent when the 503 was here already was let in by a gate that had been closed: ADM-5 speaks about it
  const last = served.findLast((s) => sent(s) < end);
  const begin = Math.max(accepted.begin, last ? sent(last) : accepted.begin);
  return { interval: { begin: Math.min(begin, end), end }, evidence: [...(last ? [last.seq] : []), first.seq] };
}

function listenerTimes(samples: readonly Sample[], accepted: Interval): Partial<Windows> {
  const up = samples
    .filter((s) => isConnected(s) && s.begin !== undefined)
    .toSorted((a, b) => (a.begin ?? 0) - (b.begin ?? 0))
    .at(-1);
  const refused = samples.filter((s) => s.via === 'new' && s.outcome === 'refused' && s.t >= accepted.begin);
  const lastUp = Math.max(accepted.begin, up?.begin ?? accepted.begin);
  const first = refused[0];
  const closing = refused.find((s) => s.t >= lastUp);
  return {
    ...(first && { firstRefused: sighting(first) }),
    ...(closing && {
      listenerClosed: {
        interval: { begin: lastUp, end: closing.t },
        evidence: [...(up ? [up.seq] : []), closing.seq],
      },
    }),
  };
}

function registryTimes(history: History, accepted: Interval): Partial<Windows> {
  const goodbye = (o: { readonly method: string; readonly t: Nanoseconds }): boolean =>
    /(^|\/)deregister$/.test(o.method) && o.t >= accepted.begin;
  const received = ofKind(history, 'controller.received').find(goodbye);
  const answered = ofKind(history, 'controller.answered').find((o) => goodbye(o) && o.outcome === 'deregistered');
  return {
    ...(received && { goodbyeReceived: sighting(received) }),
    ...(answered && { acknowledged: sighting(answered) }),
  };
}

function sent(sample: Sample): Nanoseconds {
  return sentNotBefore(sample) ?? Number.NEGATIVE_INFINITY;
}

function sighting(observation: Observation): Sighting {
  return { interval: intervalOf(observation), evidence: [observation.seq] };
}

/** A request and its answer: from its sending, as far as that is known, to the first byte. */
function sightingOf(sample: Sample): Sighting {
  const end = decidedBy(sample);
  return { interval: { begin: sentNotBefore(sample) ?? end, end }, evidence: [sample.seq] };
}

function counts(samples: readonly Sample[]): OutcomeCounts {
  const of = (outcome: Sample['outcome']): number => samples.filter((s) => s.outcome === outcome).length;
  const races = samples.filter((s) => s.race === true).length;
  return { answered: of('answered'), refused: of('refused'), reset: of('reset'), hung: of('hung'), races };
}

const NAMES = [
  ['lastServed', 'last normal answer'],
  ['gateClosed', 'gate closed'],
  ['first503', 'first 503'],
  ['last503', 'last 503'],
  ['goodbyeReceived', 'goodbye received'],
  ['acknowledged', 'deregistration acknowledged'],
  ['firstRefused', 'first refusal'],
  ['listenerClosed', 'listener closed'],
  ['ended', 'process ended'],
] as const;

/** The windows in words, a line each, in ms from the signal: for findings and reports. */
export function describeWindows(windows: Windows): readonly string[] {
  const { accepted, outcomes, withdrawn, doubt } = windows;
  if (!accepted) return ['no signal: there are no windows'];
  const lines = NAMES.map(([key, name]) => {
    const interval = windows[key]?.interval;
    return `${name}: ${interval ? sinceSignal(interval, accepted) : 'not seen'}`;
  });
  const tally = (via: string, c: OutcomeCounts): string => {
    const races = c.races > 0 ? ` (${c.races} keep-alive races)` : '';
    return `${via}: ${c.answered} answered, ${c.refused} refused, ${c.reset} reset${races}, ${c.hung} hung`;
  };
  return [
    ...lines,
    tally('new connections', outcomes.new),
    `${tally('kept connections', outcomes.kept)}, ${withdrawn} closed by the service while idle`,
    ...(doubt === undefined ? [] : [doubt]),
  ];
}

/**
 * `1.2 to 6 ms after the signal`; before it the numbers are negative. What came while the engine was still answering to
 * the signal is counted from its call: else the end that a signal caused would be said to come before it.
 */
export function sinceSignal(interval: Interval, accepted: Interval): string {
  if (interval.begin >= accepted.begin && interval.begin < accepted.end) {
    return `0 to ${Math.round(toMs(interval.end - accepted.begin) * 10) / 10} ms after the signal`;
  }
  const [begin, end] = [interval.begin, interval.end].map((t) => Math.round(toMs(t - accepted.end) * 10) / 10);
  return `${begin === end ? end : `${begin} to ${end}`} ms after the signal`;
}
