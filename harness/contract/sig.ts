import type { Clause, Finding, Terms } from '../model/clause.ts';
import type { CellValues } from '../model/plan.ts';
import type { History } from '../model/history.ts';
import type { Nanoseconds } from '../model/time.ts';
import { anotherGap, lastLine, leftOut, linesMatching, logGap, quoted } from './evidence/log-lines.ts';
import type { Trigger } from './evidence/queries.ts';
import { deliveredSignals, endingOf, lastOf, ofKind, triggerOf, signalNumber } from './evidence/queries.ts';
import { found, undeclaredPattern, untriggered } from './finding.ts';
import { saysTooMany } from './signals-said.ts';
import { checkStop } from './stop-check.ts';

const stops = {
  measured:
    'From the engine accepting the signal to the end of PID 1, by the host clock and by the engine clock; exit status by inspect.',
  breaks:
    'No handler in PID 1 (137 after the outer timeout); a shell in front; waiting out a fixed sleep; an exit status other than the declared one.',
  remedy:
    'Handle the signal in PID 1, stop accepting, finish what is in flight and exit 0; declare another good status with its reason in the profile (`accept`).',
};
const fast = {
  ...stops,
  breaks: 'A drain that waits although nothing is in flight, slow clean-up hooks, a final sleep.',
};

const hasSignal = (cell: CellValues, signal: string): boolean => cell['signal'] === signal;
const boundedBy = (history: History, terms: Terms): Finding => checkStop(history, terms, terms.stopBoundMs);
const goalOf = (history: History, terms: Terms): Finding => checkStop(history, terms, terms.stopGoalMs);

const SIG_1 = 'SIGTERM (bl: the stop signal) with nothing in flight: ends as the preset says, not by SIGKILL, no OOM';

/** SIG-1: the preset's own signal. */
export const sig1: Clause = {
  id: 'SIG-1',
  title: 'ends on SIGTERM (baseline: the stop signal)',
  requirement: SIG_1,
  levels: { 'light-fabric': 'M', 'openab-cp': 'M', baseline: 'M' },
  needs: [],
  appliesTo: (cell, terms) => hasSignal(cell, terms.primarySignal),
  check: boundedBy,
  explain: stops,
};

/** SIG-1-fast: the sub-second goal. light-fabric has it in SIG-1 itself. */
export const sig1Fast: Clause = {
  id: 'SIG-1-fast',
  title: 'ends on SIGTERM in under a second',
  requirement: `${SIG_1}; in under 1000 ms`,
  levels: { 'light-fabric': '-', 'openab-cp': 'S', baseline: 'S' },
  needs: [],
  appliesTo: (cell, terms) => hasSignal(cell, terms.primarySignal),
  check: goalOf,
  explain: fast,
};

/** SIG-2: the same for SIGINT. */
export const sig2: Clause = {
  id: 'SIG-2',
  title: 'ends on SIGINT',
  requirement: 'the same as SIG-1 for SIGINT',
  levels: { 'light-fabric': 'M', 'openab-cp': 'M', baseline: 'r' },
  needs: [],
  appliesTo: (cell) => hasSignal(cell, 'INT'),
  check: boundedBy,
  explain: stops,
};

/** SIG-2-fast: the sub-second goal for SIGINT. */
export const sig2Fast: Clause = {
  id: 'SIG-2-fast',
  title: 'ends on SIGINT in under a second',
  requirement: 'the same as SIG-1 for SIGINT; in under 1000 ms',
  levels: { 'light-fabric': '-', 'openab-cp': 'S', baseline: 'r' },
  needs: [],
  appliesTo: (cell) => hasSignal(cell, 'INT'),
  check: goalOf,
  explain: fast,
};

/** SIG-3: the same for SIGHUP. */
export const sig3: Clause = {
  id: 'SIG-3',
  title: 'ends on SIGHUP',
  requirement: 'the same as SIG-1 for SIGHUP',
  levels: { 'light-fabric': '-', 'openab-cp': 'M', baseline: '-' },
  needs: [],
  appliesTo: (cell) => hasSignal(cell, 'HUP'),
  check: boundedBy,
  explain: stops,
};

/** SIG-3-fast: the sub-second goal for SIGHUP. */
export const sig3Fast: Clause = {
  id: 'SIG-3-fast',
  title: 'ends on SIGHUP in under a second',
  requirement: 'the same as SIG-1 for SIGHUP; in under 1000 ms',
  levels: { 'light-fabric': '-', 'openab-cp': 'S', baseline: '-' },
  needs: [],
  appliesTo: (cell) => hasSignal(cell, 'HUP'),
  check: goalOf,
  explain: fast,
};

/** How a reason may be written for each signal; the first is the contract's. */
const REASONS: Readonly<Record<string, readonly string[]>> = {
  TERM: ['Terminate', 'TERM', 'SIGTERM'],
  INT: ['Interrupt', 'INT', 'SIGINT'],
  HUP: ['Hangup', 'HUP', 'SIGHUP'],
};

/** SIG-4: the log says once, and rightly, what signal it was. */
export const sig4: Clause = {
  id: 'SIG-4',
  title: 'the log records the signal and its reason once',
  requirement:
    'the log records receipt of the signal by its reason (Terminate, Interrupt), exactly once; with a second, different signal the accepted reason stays the first',
  levels: { 'light-fabric': 'M', 'openab-cp': 'S', baseline: '-' },
  needs: [],
  check: (history, terms) => {
    const trigger = triggerOf(history);
    const reasons = REASONS[trigger?.signal ?? ''] ?? (trigger ? [trigger.signal, `SIG${trigger.signal}`] : []);
    const accepted = [`exactly one line of receipt, with reason ${reasons[0] ?? 'of the signal'}`];
    const pattern = terms.patterns.signalReceived;
    if (pattern === undefined) {
      return undeclaredPattern('signalReceived', 'signal received.*reason=(?<reason>Terminate|Interrupt)', accepted);
    }
    if (!trigger) return untriggered(history, accepted);
    const lines = linesMatching(history, pattern, trigger.interval.begin);
    const evidence = [trigger.seq, ...lines.map((match) => match.line.seq)];
    const base = { accepted, evidence };
    const [first, ...more] = lines;
    if (!first) return unlogged(history, trigger, base);
    if (more.length > 0)
      return found.fail(
        `${lines.length} lines of receipt: ${lines.map((match) => quoted(match.line.text)).join(', ')}`,
        base,
      );
    const many = saysTooMany(history, terms);
    if (many) return found.fail(many.seen, { accepted, evidence: many.evidence });
    const reason = first.groups['reason'];
    if (reason === undefined) {
      return found.inconclusive('the pattern `signalReceived` gives no group `reason`: add (?<reason>…)', base);
    }
    const second = deliveredSignals(history)[1];
    const after = second ? `; the second signal was SIG${second.signal}` : '';
    const right = reasons.some((name) => name.toLowerCase() === reason.toLowerCase());
    if (!right && second && mayHaveComeTogether(trigger, second, first.line.t, reason)) {
      const seen = `reason ${reason}, logged when SIG${second.signal} had been sent too: the service may have got both at once`;
      return found.inconclusive(seen, { ...base, timing: true });
    }
    if (!right) return found.fail(`reason ${reason} was logged for SIG${trigger.signal}${after}`, base);
    const gap = anotherGap(history, trigger.interval.begin);
    if (gap !== undefined) return found.inconclusive(`one receipt with reason ${reason}, but ${gap}`, base);
    if (history.header.cell.values['second'] !== undefined && !second) {
      const why = unsentSecond(history);
      return found.inconclusive(`one receipt, reason ${reason}, but ${why}`, base);
    }
    return found.pass(`one receipt, reason ${reason}${after}`, base);
  },
  explain: {
    measured:
      'Log lines after the signal that match the pattern `signalReceived`; its group `reason` is compared. With those that match `secondSignal` they are never more than the signals that were sent; fewer they may be, since equal signals merge.',
    breaks: 'No log line in the handler; handlers registered twice; a second signal that overwrites the reason.',
    remedy: 'Log one line with the reason on the first signal, and keep that reason for the whole stop.',
  },
};

/**
 * Two signals that wait together are handled in the order of their numbers, not of their sending: INT before TERM. So a
 * first receipt that names the second signal, and came when that had been sent, says that the service was late, no more.
 */
function mayHaveComeTogether(first: Trigger, second: Trigger, loggedAt: Nanoseconds, reason: string): boolean {
  const overtakes = (signalNumber(second.signal) ?? 0) < (signalNumber(first.signal) ?? 0);
  const names = REASONS[second.signal] ?? [second.signal];
  return (
    overtakes && loggedAt >= second.interval.begin && names.some((name) => name.toLowerCase() === reason.toLowerCase())
  );
}

function unlogged(
  history: History,
  trigger: Trigger,
  base: { readonly accepted: readonly string[]; readonly evidence: readonly number[] },
): Finding {
  const since = trigger.interval.begin;
  const gap = logGap(history, since);
  const ending = endingOf(history);
  const complete = lastOf(history, 'log.complete');
  const evidence = [...base.evidence, ...ending.evidence, ...(complete ? [complete.seq] : [])];
  // the stream was attached for the whole of a stop that the outer timeout ended: the line would have come, but for a slow way
  const wouldHaveCome =
    ending.how === 'outer-timeout' && !complete?.attachedOpen && leftOut(history, since) === undefined;
  if (gap === undefined || wouldHaveCome) {
    return found.fail(`no line records the receipt of the signal; ${lastLine(history)}`, { ...base, evidence });
  }
  return found.inconclusive(`no attached line records the receipt, but ${gap}`, { ...base, evidence });
}

/** Why a second signal that the cell plans never reached the service. */
function unsentSecond(history: History): string {
  const refused = ofKind(history, 'signal.failed').find((o) => o.purpose === 'script' && !o.ended);
  if (refused) return `SIG${refused.signal} could not be delivered (${refused.message})`;
  return 'the second signal was never sent: the service had ended';
}
