import type { JudgementBasis, LogPatterns, Origin, Preset, Terms } from '../model/clause.ts';
import { UsageError } from '../model/errors.ts';
import { signalName } from './evidence/queries.ts';
import { presetByName } from './presets/index.ts';

/** Terms from one place other than the preset. Patterns and accepted statuses add to what is there; the rest replaces. */
export interface TermOverride {
  readonly origin: Exclude<Origin, 'preset'>;
  readonly terms: Partial<Terms>;
}

/** The outer timeout is never below this, ms. */
const LEAST_OUTER_TIMEOUT_MS = 10_000;
/** STA-8 watches this long past the hard deadline, without a grace past the stop bound, ms. */
const WATCH_PAST_DEADLINE_MS = 1000;

type Origins = Readonly<Partial<Record<keyof Terms, Origin>>>;

/**
 * The terms in force and where each comes from: the preset, then the overrides in the order given (image label,
 * profile, command line). `stopSignal` is the image's effective one in any spelling; it is the primary signal of
 * baseline. Unless given, the outer timeout is the larger of 10 s and hard bound + allowance, where the hard bound is
 * the larger of stop bound and grace + floor; the idle watch is grace + floor + 1 s, without a grace stop bound + 1 s: an
 * end inside what a stop may take must also be looked for unprovoked. Derived terms carry the origin of what they were
 * derived from. A service that may serve on after the signal stops so much later: unless given, the goal of a stop grows by
 * `serveAfterMs`, and the bound is no less than that goal. Throws UsageError for an accepted status 137, for an outer timeout
 * below the hard bound (and the tolerance), and for a `serveAfterMs` that a given bound or goal or the grace leaves no time for.
 */
export function resolveTerms(
  preset: Preset,
  options: { readonly stopSignal: string; readonly overrides: readonly TermOverride[] },
): { readonly terms: Terms; readonly origins: Origins } {
  const given: { -readonly [K in keyof Terms]?: Terms[K] } = {};
  const origins: Partial<Record<keyof Terms, Origin>> = {};
  for (const { origin, terms } of options.overrides) {
    for (const key of Object.keys(terms) as (keyof Terms)[]) if (terms[key] !== undefined) origins[key] = origin;
    Object.assign(given, withoutUndefined(terms), {
      acceptedStatuses: [...(given.acceptedStatuses ?? []), ...(terms.acceptedStatuses ?? [])],
      patterns: { ...given.patterns, ...withoutUndefined(terms.patterns ?? {}) },
    });
  }
  const base = preset.terms;
  const primarySignal =
    given.primarySignal ?? (base.primarySignal === 'stop-signal' ? signalName(options.stopSignal) : base.primarySignal);
  const graceMs = given.graceMs === undefined ? base.graceMs : given.graceMs;
  const floorMs = given.floorMs ?? base.floorMs;
  const hardMs = (graceMs ?? 0) + floorMs;
  const serveAfterMs = given.serveAfterMs ?? base.serveAfterMs;
  const stopGoalMs = given.stopGoalMs ?? base.stopGoalMs + serveAfterMs;
  const usualBoundMs = base.stopBoundMs === 'hard deadline' ? hardMs : base.stopBoundMs;
  const stopBoundMs = given.stopBoundMs ?? (serveAfterMs > 0 ? Math.max(usualBoundMs, stopGoalMs) : usualBoundMs);
  leavesTimeFor(serveAfterMs, { stopBound: given.stopBoundMs, stopGoal: given.stopGoalMs, grace: graceMs });
  const allowanceMs = given.allowanceMs ?? base.allowanceMs;
  const toleranceMs = given.toleranceMs ?? base.toleranceMs;
  // up to the tolerance past the hard deadline an end still counts: a SIGKILL in between would make it one of ours
  const hardBoundMs = Math.max(stopBoundMs, hardMs + toleranceMs);
  const idleWatchMs = (graceMs === null ? stopBoundMs : hardMs) + WATCH_PAST_DEADLINE_MS;
  const outerTimeoutMs =
    given.outerTimeoutMs ?? Math.max(LEAST_OUTER_TIMEOUT_MS, hardBoundMs, Math.max(stopBoundMs, hardMs) + allowanceMs);
  if (outerTimeoutMs < hardBoundMs) {
    const option = origins.outerTimeoutMs === 'command line' ? '--timeout' : 'outerTimeout';
    throw new UsageError(
      `${option} ${outerTimeoutMs} ms: a stop may take until the hard bound of ${hardBoundMs} ms (the larger of stop bound and grace + floor + tolerance) and would be killed before; give at least ${hardBoundMs}ms, or shorten the grace`,
    );
  }
  const terms: Terms = {
    gracefulSignals:
      given.gracefulSignals ?? (base.gracefulSignals.length > 0 ? base.gracefulSignals : [primarySignal]),
    primarySignal,
    graceMs,
    floorMs,
    stopBoundMs,
    stopGoalMs,
    acceptedStatuses: acceptedStatuses(base.acceptedStatuses, given.acceptedStatuses ?? []),
    expiredStatus: given.expiredStatus === undefined ? base.expiredStatus : given.expiredStatus,
    expiredSaidOnStderr: given.expiredSaidOnStderr ?? base.expiredSaidOnStderr,
    toleranceMs,
    listenerCloseMs: given.listenerCloseMs ?? base.listenerCloseMs,
    zeroGrace: given.zeroGrace === undefined ? base.zeroGrace : given.zeroGrace,
    afterWorkMs: given.afterWorkMs ?? base.afterWorkMs,
    afterWorkGoalMs: given.afterWorkGoalMs ?? base.afterWorkGoalMs,
    serveAfterMs,
    secondTerm: given.secondTerm ?? base.secondTerm,
    secondInt: given.secondInt ?? base.secondInt,
    livenessInDrain: given.livenessInDrain ?? base.livenessInDrain,
    closeCodes: given.closeCodes ?? base.closeCodes,
    closeReason: given.closeReason === undefined ? base.closeReason : given.closeReason,
    allowanceMs,
    outerTimeoutMs,
    idleWatchMs: given.idleWatchMs ?? idleWatchMs,
    patterns: { ...base.patterns, ...given.patterns } satisfies LogPatterns,
  };
  return { terms, origins: withDerived(terms, origins, base.stopBoundMs === 'hard deadline') };
}

/**
 * The basis of a cell whose container gets another grace than the rest of the run: what is derived from the grace
 * follows it. The outer timeout only ever grows, so that a longer grace is not cut by it.
 */
export function withGrace(basis: JudgementBasis, graceMs: number): JudgementBasis {
  const { terms } = basis;
  const hardMs = graceMs + terms.floorMs;
  // a bound or a watch that is not what the grace makes it was set by a profile, and stays
  const wasHardMs = (terms.graceMs ?? 0) + terms.floorMs;
  const followsGrace =
    presetByName(basis.preset).terms.stopBoundMs === 'hard deadline' && terms.stopBoundMs === wasHardMs;
  const watchedMs = (terms.graceMs === null ? terms.stopBoundMs : wasHardMs) + WATCH_PAST_DEADLINE_MS;
  const watchFollowsGrace = terms.idleWatchMs === watchedMs;
  const stopBoundMs = followsGrace ? hardMs : terms.stopBoundMs;
  return {
    ...basis,
    terms: {
      ...terms,
      graceMs,
      stopBoundMs,
      idleWatchMs: watchFollowsGrace ? hardMs + WATCH_PAST_DEADLINE_MS : terms.idleWatchMs,
      outerTimeoutMs: Math.max(
        terms.outerTimeoutMs,
        hardMs + terms.toleranceMs,
        Math.max(stopBoundMs, hardMs) + terms.allowanceMs,
      ),
    },
  };
}

/** Who may serve on until the very end of what a stop may take can never be in time. */
function leavesTimeFor(serveAfterMs: number, limits: Readonly<Record<string, number | null | undefined>>): void {
  if (serveAfterMs === 0) return;
  for (const [key, limitMs] of Object.entries(limits)) {
    if (limitMs === undefined || limitMs === null || limitMs > serveAfterMs) continue;
    throw new UsageError(
      `serveAfter ${serveAfterMs} ms: new work may be served for so long after the signal, and ${key} ${limitMs} ms leaves no time to stop after it; give a longer ${key}, or a shorter serveAfter`,
    );
  }
}

function acceptedStatuses(
  base: Terms['acceptedStatuses'],
  added: Terms['acceptedStatuses'],
): Terms['acceptedStatuses'] {
  if (added.some((entry) => entry.status === 137)) {
    throw new UsageError('accepted status 137: a stop that ended in SIGKILL can never count as good; remove it');
  }
  const fresh = added.filter((entry) => !base.some((known) => known.status === entry.status));
  return [...base, ...new Map(fresh.map((entry) => [entry.status, entry])).values()];
}

function withDerived(terms: Terms, given: Origins, boundFollowsGrace: boolean): Origins {
  const grace = given.graceMs ?? given.floorMs ?? 'preset';
  const serving = terms.serveAfterMs > 0 ? given.serveAfterMs : undefined;
  const goal = given.stopGoalMs ?? serving ?? 'preset';
  const raised = serving !== undefined && terms.stopBoundMs === terms.stopGoalMs;
  const bound = given.stopBoundMs ?? (raised ? goal : boundFollowsGrace ? grace : 'preset');
  const outer = given.allowanceMs ?? given.stopBoundMs ?? grace;
  const watch = terms.graceMs === null ? bound : grace;
  const derived: Origins = { stopBoundMs: bound, stopGoalMs: goal, idleWatchMs: watch, outerTimeoutMs: outer };
  const keys = Object.keys(terms) as (keyof Terms)[];
  return Object.fromEntries(keys.map((key) => [key, given[key] ?? derived[key] ?? 'preset']));
}

function withoutUndefined<T extends object>(value: T): Partial<T> {
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as Partial<T>;
}
