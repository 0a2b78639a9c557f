import type { Finding, Terms } from '../model/clause.ts';
import type { History } from '../model/history.ts';
import type { ObservationOf } from '../model/observation.ts';
import type { Nanoseconds } from '../model/time.ts';
import { processEnd } from './evidence/process-end.ts';
import { lastLine, linesMatching, logGap, quoted } from './evidence/log-lines.ts';
import { deliveredSignals, ofKind, triggerOf } from './evidence/queries.ts';
import { found } from './finding.ts';
import type { DoubleStop } from './second-signal.ts';

/** Signals closer than this may be handled as one or in another order, ms: that both are said is not asked for. */
const TOLD_APART_MS = 10;

/** Lines that say that a signal was received, by the declared patterns; one that both match says one signal. */
function linesOfReceipt(history: History, { patterns }: Terms, since: Nanoseconds): readonly ObservationOf<'log'>[] {
  const declared = [patterns.signalReceived, patterns.secondSignal].filter((pattern) => pattern !== undefined);
  const lines = declared.flatMap((pattern) => linesMatching(history, pattern, since).map(({ line }) => line));
  return [...new Map(lines.map((line) => [line.seq, line])).values()].toSorted((a, b) => a.t - b.t || a.seq - b.seq);
}

/**
 * What is wrong where the service says that it received more signals than it can have: every one that was delivered, the
 * engine's own stop, and one that failed but may have arrived. It may say fewer: equal ones merge in the kernel, and what
 * comes after the second may be said once for all. Undefined where it does not, or where no pattern is declared.
 */
export function saysTooMany(
  history: History,
  terms: Terms,
): { readonly seen: string; readonly evidence: readonly number[] } | undefined {
  const trigger = triggerOf(history);
  if (!trigger) return undefined;
  const lines = linesOfReceipt(history, terms, trigger.interval.begin);
  const delivered = deliveredSignals(history).length;
  const perhaps = ofKind(history, 'signal.failed').filter((o) => o.purpose === 'script' && !o.ended).length;
  const most = delivered + perhaps + (trigger.by === 'stop' || ofKind(history, 'stop.called').length > 0 ? 1 : 0);
  if (lines.length <= most) return undefined;
  const sent = most === 1 ? `one SIG${trigger.signal} was sent` : `${most} signals were sent`;
  const seen = `${sent}, and the log says ${lines.length}: ${lines.map(({ text }) => quoted(text)).join(', ')}`;
  return { seen, evidence: [trigger.seq, ...lines.map(({ seq }) => seq)] };
}

/**
 * The finding where a second signal of another kind, which no kernel merges with the first, was never said although the
 * service lived on with it; or where more was said than was sent. Undefined where the log says what it should, and where
 * that is not asked for: no pattern `secondSignal`, equal signals, signals that may have come together.
 */
export function secondUnsaid({ history, terms, first, second, apart, what, base }: DoubleStop): Finding | undefined {
  const many = saysTooMany(history, terms);
  if (many) return found.fail(`${what}: ${many.seen}`, withEvidence(base, many.evidence));
  const pattern = terms.patterns.secondSignal;
  const end = processEnd(history);
  const livedOn = end !== undefined && end.interval.begin > second.interval.end;
  if (pattern === undefined || first.signal === second.signal || apart.lowMs < TOLD_APART_MS || !livedOn)
    return undefined;
  if (linesMatching(history, pattern, first.interval.begin).length > 0) return undefined;
  const seen = `${what}: no line says that a second signal was received`;
  const gap = logGap(history, first.interval.begin);
  return gap === undefined
    ? found.fail(`${seen}; ${lastLine(history)}`, base)
    : found.inconclusive(`${seen}, but ${gap}`, base);
}

function withEvidence<T extends { readonly evidence: readonly number[] }>(base: T, more: readonly number[]): T {
  return { ...base, evidence: [...new Set([...base.evidence, ...more])] };
}
