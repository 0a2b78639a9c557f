import type { Clause, Finding, Terms } from '../model/clause.ts';
import type { History } from '../model/history.ts';
import type { ObservationOf } from '../model/observation.ts';
import { lastLine, linesMatching, logGap } from './evidence/log-lines.ts';
import type { Trigger } from './evidence/queries.ts';
import { endingOf, firstOf, lastOf, ofKind, toMs, toNs, triggerOf } from './evidence/queries.ts';
import { processEnd } from './evidence/process-end.ts';
import { ms } from './evidence/stop-duration.ts';
import { declareFor } from './evidence/work.ts';
import type { Base } from './expired-stop.ts';
import { hardDeadlineMs, notItself, SLOW_ENDPOINT } from './expired-stop.ts';
import { failByTime, found, undeclaredPattern, untriggered } from './finding.ts';
import { hasSomeGrace } from './grace-cell.ts';
import { timed } from './stop-check.ts';

/**
 * DLN-2 needs work that is in flight when the grace runs out. Work that the service cut by ending early is a failure:
 * the promised end (cut at the deadline, with this status) never came, whatever status it left with. Work that was
 * answered, or lost while the process stayed on, means that the trigger never happened.
 */
export const dln2: Clause = {
  id: 'DLN-2',
  title: 'an expired grace ends with its own status',
  requirement:
    "work past the grace is cut at the graceful deadline, and that ends with the preset's status (lf: 1; cp: 0), never 137; lf: stderr says that the deadline expired",
  levels: { 'light-fabric': 'M', 'openab-cp': 'M', baseline: '-' },
  needs: ['http', 'direct'],
  appliesTo: hasSomeGrace,
  check: (history, terms) => {
    const accepted = acceptedEnds(terms);
    if (terms.graceMs === null) {
      const declare = 'grace: 2s';
      return found.notExercised('no grace is declared', { accepted, evidence: [], declare });
    }
    const held = ofKind(history, 'work.held');
    const failed = firstOf(history, 'work.failed');
    if (held.length === 0 && failed) {
      const seen = `no request could be held in flight: ${failed.message}`;
      return found.notExercised(seen, {
        accepted,
        evidence: [failed.seq],
        declare: declareFor(history, failed, SLOW_ENDPOINT),
      });
    }
    const trigger = triggerOf(history);
    if (!trigger) return untriggered(history, accepted);
    const before = held.filter((o) => o.t <= trigger.interval.end);
    if (before.length === 0) {
      return found.inconclusive('the trigger never happened: no work was in flight at the signal', {
        accepted,
        evidence: [trigger.seq],
      });
    }
    const work = before.map((o) => fateOf(history, o));
    const evidence = [trigger.seq, ...before.map((o) => o.seq), ...work.flatMap((w) => (w.ended ? [w.ended.seq] : []))];
    const early = lostEarly(history, terms, trigger, work, { accepted, evidence });
    return early ?? expired(history, terms, trigger, { accepted, evidence });
  },
  explain: {
    measured:
      'A request that is sent slowly is held in flight past the grace; the end must come by the hard deadline (grace + floor + tolerance); exit status by inspect, stderr by pattern.',
    breaks:
      'Waiting for the last request without a deadline (137 from outside); clean-up after the grace that takes longer than the floor; exit 0 although work was cut.',
    remedy:
      'One deadline from the signal on: when it is over cut the work, say so on stderr and exit with the declared status.',
  },
};

interface Work {
  readonly held: ObservationOf<'work.held'>;
  readonly ended?: ObservationOf<'work.ended'>;
}

function fateOf(history: History, held: ObservationOf<'work.held'>): Work {
  const ended = ofKind(history, 'work.ended').find((o) => o.id === held.id);
  return ended ? { held, ended } : { held };
}

/** The finding when nothing was in flight any more at the graceful deadline; undefined when something was. */
function lostEarly(
  history: History,
  terms: Terms,
  trigger: Trigger,
  work: readonly Work[],
  base: Base,
): Finding | undefined {
  // the service accepted between call and return: only from the earliest deadline on, less the tolerance, was it due
  const due = trigger.interval.begin + toNs((terms.graceMs ?? 0) - terms.toleranceMs);
  const exit = lastOf(history, 'exit.seen') ?? lastOf(history, 'exit.state');
  // where the two clocks contradict each other it is early only if it is by both
  const exitAt = processEnd(history)?.interval.end ?? exit?.t;
  const exitedEarly = exit !== undefined && exitAt !== undefined && exitAt < due;
  const inFlight = (w: Work): boolean => !w.ended || w.ended.fate === 'held' || w.ended.t >= due;
  if (!exitedEarly && work.some(inFlight)) return undefined;
  const lost = work.find((w) => w.ended?.fate !== 'answered');
  const at = toMs((lost?.ended?.t ?? exitAt ?? due) - trigger.interval.end);
  if (!lost) {
    const seen = 'the trigger never happened: all work was answered before the grace ran out';
    return found.inconclusive(seen, base);
  }
  if (!exitedEarly) {
    const seen = `the trigger never happened: the work was lost (${lost.ended?.fate}) ${ms(at)} after the signal, while the service went on`;
    return found.inconclusive(seen, base);
  }
  const ending = endingOf(history);
  const evidence = [...base.evidence, ...ending.evidence];
  if (ending.how === 'unknown') return found.inconclusive(ending.why, { ...base, evidence });
  const status = ending.how === 'itself' ? `exit ${ending.exitCode}` : 'SIGKILL';
  const seen = `work in flight was cut ${ms(Math.max(0, at))} after the signal by the end of the service (${status}), not at the grace of ${terms.graceMs} ms`;
  return failByTime(history, seen, { ...base, evidence });
}

function expired(history: History, terms: Terms, trigger: Trigger, base: Base): Finding {
  const ending = endingOf(history);
  const details = { ...base, evidence: [...base.evidence, ...ending.evidence] };
  if (ending.how !== 'itself') return notItself(ending, 'with work in flight', details, hardDeadlineMs(terms));
  const status = `exit ${ending.exitCode} with work in flight past the grace of ${terms.graceMs} ms`;
  if (terms.expiredStatus !== null && ending.exitCode !== terms.expiredStatus) return found.fail(status, details);
  const inTime = timed(history, hardDeadlineMs(terms), status, details);
  if (inTime.outcome === 'fail' || !terms.expiredSaidOnStderr) return inTime;
  const pattern = terms.patterns.deadlineExceeded;
  if (pattern === undefined) return undeclaredPattern('deadlineExceeded', 'deadline exceeded', base.accepted);
  const said = linesMatching(history, pattern, trigger.interval.begin).find((match) => match.line.stream === 'stderr');
  if (said) {
    return { ...inTime, seen: `${inTime.seen}, said on stderr`, evidence: [...inTime.evidence, said.line.seq] };
  }
  const gap = logGap(history, trigger.interval.begin, 'stderr');
  if (gap !== undefined) return found.inconclusive(`${status}; stderr was not seen to say so, but ${gap}`, details);
  return found.fail(`${status}, but stderr never says that the deadline expired; ${lastLine(history)}`, details);
}

function acceptedEnds(terms: Terms): readonly string[] {
  const status = terms.expiredStatus === null ? 'any status but 137' : `exit ${terms.expiredStatus}`;
  const said = terms.expiredSaidOnStderr ? ', and stderr says that the deadline expired' : '';
  const within =
    terms.graceMs === null
      ? ''
      : `, in less than ${hardDeadlineMs(terms)} ms from the signal (grace + floor + tolerance)`;
  return [`${status} after the grace ran out with work in flight${within}${said}`];
}
