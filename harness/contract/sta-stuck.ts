import type { Clause, Finding, Terms } from '../model/clause.ts';
import type { History } from '../model/history.ts';
import { lastLine, linesMatching, logGap } from './evidence/log-lines.ts';
import { processEnd } from './evidence/process-end.ts';
import type { Ending, Trigger } from './evidence/queries.ts';
import { deliveredSignals, endingOf, ofKind, toMs, triggerOf } from './evidence/queries.ts';
import { abortLimitMs, hearing, pendingAt, waitingInWords } from './evidence/start-abort.ts';
import { compareToLimit, ms, stopDuration } from './evidence/stop-duration.ts';
import type { Base } from './expired-stop.ts';
import { notItself } from './expired-stop.ts';
import { found, undeclaredPattern, untriggered } from './finding.ts';
import { unlessStarved } from './only-alone.ts';
import { timed } from './stop-check.ts';

/** A signal into a start-up that cannot be unwound, by a declared fault. */
interface Stuck {
  readonly trigger: Trigger;
  readonly ending: Ending;
  /** `SIGTERM while it waited for the config server`. */
  readonly sent: string;
  readonly base: Base & { readonly limitMs: number };
}

/** STA-3: what cannot be unwound is left behind when the floor is over, and that is said. */
export const sta3: Clause = {
  id: 'STA-3',
  title: 'what cannot unwind does not hold the abort',
  requirement:
    "a resource that cannot unwind (declared fault) ends with exit 1 at the floor, said on stderr, not after the resource's own timeout; where the partial registration's own goodbye uses up the floor: 0 or 1, agreeing with the log, by the floor",
  levels: { 'light-fabric': 'M', 'openab-cp': '-', baseline: '-' },
  needs: ['fault', 'bootstrap'],
  check: (history, terms) => {
    const limitMs = abortLimitMs(terms);
    const status = terms.expiredStatus ?? 1;
    const accepted = [`exit ${status} in less than ${limitMs} ms (floor + tolerance), said on stderr`];
    const stuck = stuckStart(history, { accepted, limitMs });
    if ('outcome' in stuck) return stuck;
    const { ending, base } = stuck;
    if (ending.how !== 'itself') return notItself(ending, 'with a start-up that cannot unwind', base, limitMs);
    const seen = `${stuck.sent}: exit ${ending.exitCode}`;
    if (ending.exitCode === 0 && isEarly(history, terms)) {
      const why = 'before the floor was over: the declared fault did not show';
      return found.inconclusive(`the trigger never happened: ${seen}, ${why}`, base);
    }
    const inTime = unlessStarved(history, stuck.trigger, timed(history, limitMs, seen, base));
    if (inTime.outcome === 'fail') return inTime;
    if (ending.exitCode !== status) return found.fail(`${seen}, not ${status}, although it could not unwind`, base);
    return said(history, terms, stuck, inTime);
  },
  explain: {
    measured:
      'The declared fault holds something that the start-up has begun and that nothing ends; the signal comes while the played config server is silent. The end of PID 1, its status, and stderr by pattern.',
    breaks:
      "Awaiting each resource's own time-out in turn; joining a thread that is blocked in a connect; exit 0 although something was left behind.",
    remedy:
      'Give the abort one deadline, the floor; when it is over say so on stderr and exit 1, whatever still hangs.',
  },
};

/** STA-10: the floor runs from the first signal. */
export const sta10: Clause = {
  id: 'STA-10',
  title: 'a second signal does not prolong the abort',
  requirement: 'a second signal in a start-up abort never extends the floor',
  levels: { 'light-fabric': 'M', 'openab-cp': '-', baseline: '-' },
  needs: ['fault', 'bootstrap'],
  // a row for each kind of second signal
  appliesTo: () => true,
  check: (history, terms) => {
    const limitMs = abortLimitMs(terms);
    const accepted = [`ends by itself in less than ${limitMs} ms from the first signal (floor + tolerance)`];
    const stuck = stuckStart(history, { accepted, limitMs });
    if ('outcome' in stuck) return stuck;
    const second = deliveredSignals(history)[1];
    if (!second) return withoutSecond(history, terms, stuck);
    const { trigger, ending } = stuck;
    const apart = toMs(second.interval.end - trigger.interval.end);
    const base = { ...stuck.base, evidence: [...stuck.base.evidence, second.seq] };
    const what = `SIG${second.signal} ${ms(apart)} after ${stuck.sent}`;
    const ended = processEnd(history);
    // an end in the middle of the call is by the second signal, or else the floor was over: then it came too late
    const inCall = ended !== undefined && second.interval.end >= ended.interval.begin;
    if (ending.how === 'itself' && inCall && !isEarly(history, terms)) {
      const seen = `${what}: exit ${ending.exitCode}, and whether the second came before that is not known`;
      return found.inconclusive(seen, { ...base, timing: true });
    }
    if (ending.how !== 'itself') return notItself(ending, `and SIG${second.signal}`, base, limitMs);
    const counted = `${what}: exit ${ending.exitCode}, counted from the first,`;
    return unlessStarved(history, trigger, timed(history, limitMs, counted, base));
  },
  explain: {
    measured:
      'While the declared fault keeps the abort of a start-up from its end, a second signal comes; the end of PID 1 from the first one on.',
    breaks: 'A handler that starts the abort anew, and its floor with it; a second signal that begins a drain.',
    remedy: 'Take the deadline of the abort once, at the first signal; a second one may only shorten it.',
  },
};

/** The first signal while the start was proven pending, or the finding that says why there was none. */
function stuckStart(
  history: History,
  about: { readonly accepted: readonly string[]; readonly limitMs: number },
): Stuck | Finding {
  const trigger = triggerOf(history);
  if (!trigger) return untriggered(history, about.accepted);
  const pending = pendingAt(history, trigger.interval.begin);
  const ending = endingOf(history);
  const evidence = [...pending.map(({ seq }) => seq), trigger.seq, ...ending.evidence];
  const base = { ...about, evidence };
  const sent = `SIG${trigger.signal} ${waitingInWords(pending)}`;
  if (pending.length === 0) {
    return found.inconclusive('the trigger never happened: nothing held the start-up at the signal', base);
  }
  if (ending.how === 'outer-timeout') {
    const can = hearing(history, trigger);
    const seen = `${sent} had no effect: PID 1`;
    if (can === 'no') return found.notExercised(`${seen} had no handler for it yet (STA-9)`, base);
    if (can === 'unknown') return found.inconclusive(`${seen} may have had no handler of its own for it`, base);
  }
  return { trigger, ending, sent, base };
}

/** It was over for certain before the floor was. */
function isEarly(history: History, { floorMs }: Terms): boolean {
  const { measurement } = stopDuration(history);
  return measurement !== undefined && compareToLimit(measurement, floorMs) === 'within';
}

function said(history: History, terms: Terms, { trigger }: Stuck, inTime: Finding): Finding {
  const pattern = terms.patterns.startUpExpired;
  if (pattern === undefined)
    return undeclaredPattern('startUpExpired', 'startup abort deadline exceeded', inTime.accepted);
  const since = trigger.interval.begin;
  const match = linesMatching(history, pattern, since).find(({ line }) => line.stream === 'stderr');
  if (match) {
    return { ...inTime, seen: `${inTime.seen}, said on stderr`, evidence: [...inTime.evidence, match.line.seq] };
  }
  const { timing: _, ...rest } = inTime;
  const gap = logGap(history, since, 'stderr');
  if (gap !== undefined) {
    return { ...rest, outcome: 'inconclusive', seen: `${inTime.seen}; stderr was not seen to say so, but ${gap}` };
  }
  const seen = `${inTime.seen}, but stderr never says that the abort took too long; ${lastLine(history)}`;
  return { ...rest, outcome: 'fail', seen };
}

function withoutSecond(history: History, terms: Terms, { ending, base, sent }: Stuck): Finding {
  const refused = ofKind(history, 'signal.failed').find((o) => o.purpose === 'script' && !o.ended);
  if (refused) {
    const seen = `the trigger never happened: SIG${refused.signal} could not be delivered (${refused.message})`;
    return found.inconclusive(seen, { ...base, evidence: [...base.evidence, refused.seq] });
  }
  if (ending.how !== 'itself') return notItself(ending, 'with a start-up that cannot unwind', base, base.limitMs);
  const seen = `${sent}: exit ${ending.exitCode} before a second signal came`;
  if (isEarly(history, terms)) return found.notExercised(`${seen}: the declared fault did not hold the abort`, base);
  return found.inconclusive(`${seen}: it was sent too late`, { ...base, timing: true });
}
