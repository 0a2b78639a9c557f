import type { Finding, Terms } from '../model/clause.ts';
import type { History } from '../model/history.ts';
import type { Interval, Measurement, Nanoseconds } from '../model/time.ts';
import type { Probe, Sample } from './evidence/probe-samples.ts';
import { probeOf, sentNotBefore } from './evidence/probe-samples.ts';
import { firstOf, toMs, toNs, triggerOf } from './evidence/queries.ts';
import { describeMeasurement, longestStallMs, ms } from './evidence/stop-duration.ts';
import type { Windows } from './evidence/windows.ts';
import { sinceSignal, windowsOf } from './evidence/windows.ts';
import { failByTime, found, untriggered } from './finding.ts';
import { compared, isFinal } from './stop-check.ts';

/** What the clauses about the window have in common: a signal that was accepted, and a probe that was under way. */
export interface Stage {
  readonly history: History;
  readonly terms: Terms;
  readonly accepted: Interval;
  readonly probe: Probe;
  readonly windows: Windows;
  /** Whether a controller was played. Without one there is no deregistration, and the window may be empty. */
  readonly controlled: boolean;
  readonly details: { readonly accepted: readonly string[]; readonly evidence: readonly number[] };
}

export const DECLARE_REGISTRY = 'registry: { urlEnv: CONTROLLER_URL }   # the variable that names its controller';

/**
 * The stage, or the finding where there is none: no signal, no probe, or (unless `by` is connects) a probe whose answers
 * tell nothing, because 503 came before the signal too.
 */
export function stageOf(
  history: History,
  terms: Terms,
  accepted: readonly string[],
  by: 'answers' | 'connects' = 'answers',
): { readonly stage: Stage; readonly finding?: undefined } | { readonly stage?: undefined; readonly finding: Finding } {
  const probe = probeOf(history);
  const failed = firstOf(history, 'probe.failed');
  if (!probe && failed) {
    const tried = failed.tried.length === 0 ? '' : ` (tried ${failed.tried.join('; ')})`;
    const declare = 'port: 8080   # the one that answers HTTP';
    const seen = `nothing could be probed: ${failed.message}${tried}`;
    return { finding: found.notExercised(seen, { accepted, evidence: [failed.seq], declare }) };
  }
  const trigger = triggerOf(history);
  const windows = windowsOf(history);
  if (!trigger || !windows.accepted) return { finding: untriggered(history, accepted) };
  const details = { accepted, evidence: [trigger.seq] };
  if (!probe) return { finding: found.inconclusive('the admission probe was never under way', details) };
  if (windows.doubt !== undefined && by === 'answers') {
    const seen = `${windows.doubt}: a refusal cannot be told from a normal answer`;
    return { finding: found.inconclusive(seen, { ...details, evidence: [trigger.seq, probe.seq] }) };
  }
  const controlled = firstOf(history, 'controller.listening') !== undefined;
  return { stage: { history, terms, accepted: windows.accepted, probe, windows, controlled, details } };
}

/** What a stamp at `until` is worth against the signal, ms: the host clock's error and the longest stall in between. */
export function uncertaintyMs({ history, accepted }: Stage, until: Nanoseconds): number {
  return history.header.uncertainty.hostMs + longestStallMs(history, { begin: accepted.begin, end: until });
}

/** How long after the signal something at `at` came at least, ms; negative where it may have been before. */
export function afterSignalMs(stage: Stage, at: Nanoseconds): number {
  return toMs(at - stage.accepted.end) - uncertaintyMs(stage, at);
}

/** For so long after the signal new work may be let in, ms: what is declared, and the tolerance. */
export function servedForMs(terms: Terms): number {
  return terms.serveAfterMs + terms.toleranceMs;
}

/** Whether something begun at `at` certainly came when the gate had to be closed: later than new work may be let in. */
export function isCertainlyAfter(stage: Stage, at: Nanoseconds | undefined): at is Nanoseconds {
  return at !== undefined && afterSignalMs(stage, at) > servedForMs(stage.terms);
}

/** Whether something begun at `at` certainly came after the signal and its tolerance, whether it may still be served or not. */
export function isAfterSignal(stage: Stage, at: Nanoseconds | undefined): at is Nanoseconds {
  return at !== undefined && afterSignalMs(stage, at) > stage.terms.toleranceMs;
}

/** Whether the whole request was written when the first 503 was here already. Both stamps err on the safe side. */
export function isProvenAfter(stage: Stage, at: Nanoseconds | undefined): at is Nanoseconds {
  const gate = stage.windows.gateClosed;
  return at !== undefined && gate !== undefined && at >= gate.interval.end;
}

/** Samples that were certainly sent too late to be let in, but not provably after a 503: they rest on time alone. */
export function lateOf(stage: Stage, samples: readonly Sample[]): readonly Sample[] {
  return samples.filter((s) => isCertainlyAfter(stage, sentNotBefore(s)) && !isProvenAfter(stage, sentNotBefore(s)));
}

/**
 * A finding that rests on lateness alone, certainly `lowMs` where `limitMs` was allowed. In the shared lane it is a
 * failure only when it is late by far more than the allowance; else it is to be measured again, alone.
 */
export function late(
  history: History,
  seen: string,
  { lowMs, limitMs }: { readonly lowMs: number; readonly limitMs: number },
  details: Omit<Finding, 'outcome' | 'seen'>,
): Finding {
  if (isFinal(history, lowMs, limitMs)) return failByTime(history, seen, details);
  return found.inconclusive(`${seen}, measured beside others`, { ...details, timing: true });
}

/** What got no answer for long: a service that its neighbours starve answers as late, so only alone is it a failure. */
export function hangs(history: History, seen: string, details: Omit<Finding, 'outcome' | 'seen'>): Finding {
  if (history.header.cell.lane === 'alone') return failByTime(history, seen, details);
  return found.inconclusive(`${seen}, measured beside others`, { ...details, timing: true });
}

/** Late samples as a finding: `seen` begins it, the latest of them says how late. */
export function lateSamples(stage: Stage, samples: readonly Sample[], seen: string): Finding {
  const latest = samples.reduce((max, s) => Math.max(max, sentNotBefore(s) ?? max), Number.NEGATIVE_INFINITY);
  const lowMs = afterSignalMs(stage, latest);
  const limitMs = servedForMs(stage.terms);
  const words = `${seen}, the last at least ${ms(lowMs)} after the signal (${limitMs} ms allowed)`;
  return late(stage.history, words, { lowMs, limitMs }, { ...withSamples(stage, samples), limitMs });
}

/** From a moment inside `from` to one inside `to`, with `errorMs` on either side. The estimate runs between the ends. */
export function lengthOf(from: Interval, to: Interval, errorMs: number, by: Measurement['by'] = 'host'): Measurement {
  const least = (value: number): number => Math.max(0, value);
  return {
    by,
    valueMs: least(toMs(to.end - from.end)),
    lowMs: least(toMs(to.begin - from.end) - errorMs),
    highMs: least(toMs(to.end - from.begin) + errorMs),
  };
}

/** A length against its limit, by the same rules as every duration. */
export function bounded(
  history: History,
  seen: string,
  { measured, limitMs }: { readonly measured: Measurement; readonly limitMs: number },
  base: { readonly accepted: readonly string[]; readonly evidence: readonly number[] },
): Finding {
  return compared(history, measured, limitMs, `${seen} ${describeMeasurement(measured)}`, base);
}

/** The evidence of a finding with samples: the first and the last few, since there may be hundreds. */
export function withSamples(stage: Stage, samples: readonly Sample[]): Stage['details'] {
  const few = samples.length <= 8 ? samples : [...samples.slice(0, 4), ...samples.slice(-4)];
  const { accepted, evidence } = stage.details;
  return { accepted, evidence: [...evidence, stage.probe.seq, ...few.map((s) => s.seq)] };
}

/**
 * Nothing was asked in the window. Without a controller the service may close everything at once: not exercised, with
 * what to declare. With one the window should have been there: inconclusive.
 */
export function emptyWindow(stage: Stage, what: string): Finding {
  const { windows, accepted, controlled, details } = stage;
  const { outcomes, withdrawn, ended, firstRefused } = windows;
  const facts = [
    withdrawn > 0 ? `${withdrawn} kept connections were closed before anything was sent on them` : undefined,
    firstRefused && `connects were refused from ${sinceSignal(firstRefused.interval, accepted)} on`,
    outcomes.kept.races > 0 ? `${outcomes.kept.races} keep-alive races` : undefined,
    ended && `the process ended ${sinceSignal(ended.interval, accepted)}`,
    blindness(stage),
  ].filter((fact) => fact !== undefined);
  const seen = `${what}${facts.length > 0 ? `: ${facts.join(', ')}` : ''}`;
  const evidence = [...details.evidence, ...(firstRefused?.evidence ?? []), ...(ended?.evidence ?? [])];
  if (controlled || blindness(stage) !== undefined) return found.inconclusive(seen, { ...details, evidence });
  const why = `the window is empty without a deregistration; ${seen}`;
  return found.notExercised(why, { ...details, evidence, declare: DECLARE_REGISTRY });
}

/** The longest gap between the last sample and the end that leaves nothing unseen. */
const BLIND_MS = 250;

/** Why absence of samples says nothing: the probe stopped well before the service did. After a refusal it may. */
export function blindness(stage: Stage): string | undefined {
  const last = stage.probe.samples.at(-1);
  const end = stage.windows.ended?.interval.begin;
  const broke = firstOf(stage.history, 'probe.failed');
  if (broke) return `the probe broke off: ${broke.message}`;
  const pauseMs = longestPauseMs(stage);
  if (pauseMs > BLIND_MS + uncertaintyMs(stage, last?.t ?? stage.accepted.end)) {
    return `the probe saw nothing for ${ms(pauseMs)}`;
  }
  if (end === undefined || last?.outcome === 'refused') return undefined;
  const gapMs = toMs(end - Math.max(last?.t ?? stage.accepted.begin, stage.accepted.begin));
  if (gapMs <= BLIND_MS + uncertaintyMs(stage, end)) return undefined;
  return `the probe saw nothing in the last ${ms(gapMs)} of the service`;
}

/** So many connects that nobody answers are no lost packets. */
const LOST_PACKETS = 5;

/**
 * Of connects that hung those that never stood, where a lost packet may be the reason: beside others, and when they are
 * few. A SYN is sent again only after a second, the time after which a sample hangs.
 */
export function maybeLostPackets({ history }: Stage, hung: readonly Sample[]): readonly Sample[] {
  const never = hung.filter((s) => s.via === 'new' && s.connectedAt === undefined);
  return history.header.cell.lane === 'shared' && never.length < LOST_PACKETS ? never : [];
}

/** The longest time between two samples after the signal, ms, none of them under way; until a connect was refused. */
function longestPauseMs({ probe, accepted, windows }: Stage): number {
  const until = windows.firstRefused?.interval.end ?? Number.POSITIVE_INFINITY;
  let [longest, seen] = [0, accepted.end];
  for (const sample of probe.samples.toSorted((a, b) => (a.begin ?? a.t) - (b.begin ?? b.t))) {
    const begin = sample.begin ?? sample.t;
    if (begin > until) break;
    longest = Math.max(longest, begin - seen);
    seen = Math.max(seen, sample.t);
  }
  return toMs(longest);
}

/** Until when unanswered work speaks against the service: once it may close its listener, a reset is a race. */
export function windowEnd({ windows, history }: Stage): Nanoseconds {
  const end = windows.ended?.interval.begin ?? Number.POSITIVE_INFINITY;
  const margin = toNs(history.header.uncertainty.hostMs);
  return Math.min(windows.acknowledged?.interval.begin ?? Number.POSITIVE_INFINITY, end - margin);
}
