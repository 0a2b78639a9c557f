import type { Clause } from '../model/clause.ts';
import { cutsOf, outlasting } from './evidence/cut.ts';
import { linesMatching, logGap, quoted } from './evidence/log-lines.ts';
import { endingOf } from './evidence/queries.ts';
import { ms } from './evidence/stop-duration.ts';
import { busyStop, withoutGrace } from './expired-stop.ts';
import { found, undeclaredPattern } from './finding.ts';
import { hasSomeGrace } from './grace-cell.ts';

const accepted = ['no line of outcome says graceful after the grace ran out with work in flight'];

/**
 * DLN-3: only a stop whose grace ran out with work in flight is an expired one. Where everything was answered before,
 * there is nothing to say; where work was lost before, the trigger never happened.
 */
export const dln3: Clause = {
  id: 'DLN-3',
  title: 'an expired stop is never called graceful',
  requirement: 'the log never calls an expired stop graceful',
  levels: { 'light-fabric': 'M', 'openab-cp': 'S', baseline: '-' },
  needs: ['http', 'direct', 'held work'],
  appliesTo: hasSomeGrace,
  check: (history, terms) => {
    const pattern = terms.patterns.outcome;
    if (pattern === undefined) {
      return undeclaredPattern('outcome', 'outcome=(?<outcome>graceful|deadline-exceeded|failed)', accepted);
    }
    const unset = withoutGrace(terms, accepted);
    if (unset) return unset;
    const busy = busyStop(history, accepted);
    if (busy.finding) return busy.finding;
    const { trigger, base } = busy;
    const ending = endingOf(history);
    const expired = outlasting(history, terms, trigger).length > 0;
    if (!expired && ending.how !== 'outer-timeout') {
      const early = cutsOf(history, terms, trigger)[0];
      if (!early && ending.how === 'unknown') return found.inconclusive(ending.why, base);
      if (!early) return found.notExercised('all work was answered before the grace ran out', base);
      const seen = `the trigger never happened: the work was lost (${early.how}) ${ms(early.measured.valueMs)} after the signal, not past the grace of ${terms.graceMs} ms`;
      // an end on the very deadline may be on its other side the next time
      return found.inconclusive(seen, early.where === 'early' ? { ...base, timing: true } : base);
    }
    const lines = linesMatching(history, pattern, trigger.interval.begin);
    const evidence = [...base.evidence, ...ending.evidence, ...lines.map((match) => match.line.seq)];
    const details = { accepted, evidence };
    const graceful = lines.find((match) => match.groups['outcome']?.toLowerCase() === 'graceful');
    if (graceful) {
      const seen = `the grace ran out with work in flight, and the log says ${quoted(graceful.line.text)}`;
      return found.fail(seen, details);
    }
    if (lines.some((match) => match.groups['outcome'] === undefined)) {
      return found.inconclusive('the pattern `outcome` gives no group `outcome`: add (?<outcome>…)', details);
    }
    const said = lines.length === 0 ? 'no outcome was logged' : `outcome ${outcomes(lines)} was logged`;
    if (ending.how === 'unknown') return found.inconclusive(`${said}, but ${ending.why}`, details);
    const gap = logGap(history, trigger.interval.begin);
    if (gap !== undefined) return found.inconclusive(`${said}, but ${gap}`, details);
    return found.pass(`the grace ran out with work in flight, and ${said}`, details);
  },
  explain: {
    measured:
      'Log lines after the signal that match the pattern `outcome`, where admitted work was still in flight at the graceful deadline.',
    breaks:
      'An outcome that is graceful unless clean-up failed; a drain that reports success when its timeout fires; a fixed last line.',
    remedy: 'Make the outcome of the drain a value (completed or expired) and log that value.',
  },
};

function outcomes(lines: readonly { readonly groups: Readonly<Record<string, string | undefined>> }[]): string {
  return [...new Set(lines.map((match) => match.groups['outcome']))].join(', ');
}
