import type { Clause, Finding, Terms } from '../model/clause.ts';
import type { History } from '../model/history.ts';
import type { Cut } from './evidence/cut.ts';
import { cutLimitMs, cutsOf } from './evidence/cut.ts';
import { endingOf } from './evidence/queries.ts';
import { describeMeasurement, ms } from './evidence/stop-duration.ts';
import type { Base } from './expired-stop.ts';
import { busyStop, hardDeadlineMs, notItself, withoutGrace } from './expired-stop.ts';
import { failByTime, found } from './finding.ts';
import { isNormalGrace } from './grace-cell.ts';
import { compared, timed } from './stop-check.ts';

/** DLN-1: both sides of the graceful deadline, and the hard one. The status is DLN-2's business. */
export const dln1: Clause = {
  id: 'DLN-1',
  title: 'work past the grace is cut at the deadline',
  requirement:
    'work past the grace is cut at the graceful deadline, not before, and the process ends by the hard deadline',
  levels: { 'light-fabric': 'M', 'openab-cp': 'M', baseline: '-' },
  needs: ['http', 'direct', 'held work'],
  appliesTo: isNormalGrace,
  check: (history, terms) => cutAtDeadline(history, terms),
  explain: {
    measured:
      'Requests that never complete are held across the signal; when their connections are lost (or answered with a server error), and when PID 1 ends, from the engine accepting the signal.',
    breaks:
      'Exiting at once with requests in flight; a drain without a deadline; a deadline that starts with the last request, or is rounded to seconds; several timeouts in a row.',
    remedy:
      'Take one deadline at the signal; let work run until it, then cut everything that is left and exit within the floor.',
  },
};

/**
 * Work in flight is cut at the graceful deadline of the terms (not before, and no later than the tolerance), and the
 * process ends by the hard one: DLN-1, and CFG-3 for other graces.
 */
export function cutAtDeadline(history: History, terms: Terms): Finding {
  const accepted = acceptedCut(terms);
  const unset = withoutGrace(terms, accepted);
  if (unset) return unset;
  const busy = busyStop(history, accepted);
  if (busy.finding) return busy.finding;
  const cuts = cutsOf(history, terms, busy.trigger);
  const before = cuts.find((cut) => cut.where === 'before');
  const ending = endingOf(history);
  const base: Base = { accepted, evidence: [...busy.base.evidence, ...ending.evidence] };
  if (before) return cutBefore(history, before, terms, base);
  if (ending.how !== 'itself') return notItself(ending, 'with work in flight at it', base, hardDeadlineMs(terms));
  const [first] = cuts;
  if (!first) {
    const seen = 'the trigger never happened: all work was answered, none was left to cut';
    return found.inconclusive(seen, base);
  }
  const late = cuts.map((cut) => judgeCut(history, terms, cut, base));
  const cutInWords = `work was cut ${describeMeasurement(first.measured)} (${first.how})`;
  const end = timed(history, hardDeadlineMs(terms), `${cutInWords}, exit ${ending.exitCode}`, base);
  const all = [...late, end];
  return (
    all.find((finding) => finding.outcome === 'fail') ??
    all.find((finding) => finding.outcome !== 'pass' && finding.timing !== true) ??
    all.find((finding) => finding.outcome !== 'pass') ??
    end
  );
}

function cutBefore(history: History, cut: Cut, terms: Terms, base: Base): Finding {
  const graceMs = terms.graceMs ?? 0;
  const seen = `work was cut (${cut.how}) ${ms(graceMs - cut.measured.valueMs)} before the grace of ${graceMs} ms ran out, ${describeMeasurement(cut.measured)} after the signal`;
  return failByTime(history, seen, { ...base, measured: cut.measured, limitMs: graceMs });
}

/** One cut that is not certainly too early. */
function judgeCut(history: History, terms: Terms, cut: Cut, base: Base): Finding {
  const { measured, how, where } = cut;
  const seen = `work was cut (${how}) ${describeMeasurement(measured)} after the signal`;
  if (where !== 'early') return compared(history, measured, cutLimitMs(terms), seen, base);
  const limitMs = terms.graceMs ?? 0;
  const why = `${seen}: too near to the grace of ${limitMs} ms to tell whether it was before`;
  return found.inconclusive(why, { ...base, measured, limitMs, timing: true });
}

function acceptedCut(terms: Terms): readonly string[] {
  if (terms.graceMs === null) return ['work is cut at the graceful deadline'];
  const { graceMs } = terms;
  return [
    `work in flight is cut between ${graceMs} and ${cutLimitMs(terms)} ms after the signal, and the process ends in less than ${hardDeadlineMs(terms)} ms (grace + floor + tolerance)`,
  ];
}
