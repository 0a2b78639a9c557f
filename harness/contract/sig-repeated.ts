import type { Clause } from '../model/clause.ts';
import { linesMatching, quoted } from './evidence/log-lines.ts';
import { deliveredSignals, endingOf, signalNumber } from './evidence/queries.ts';
import { isAdmitted, isAnswered } from './evidence/work.ts';
import type { Outlook } from './drn-fate.ts';
import { cutIsDue, lostInWords, outlookOf } from './drn-fate.ts';
import { isWithinGrace } from './drn-work.ts';
import { busyStop } from './expired-stop.ts';
import { found } from './finding.ts';

const WHAT = 'pieces of admitted work';

/**
 * SIG-8: every cell in which one signal is sent with work in flight is one repetition. Where no drain is promised (baseline)
 * work may be lost to a single signal by design, which DRN-1 judges: that is never blamed on a signal taken for two.
 */
export const sig8: Clause = {
  id: 'SIG-8',
  title: 'one signal is never taken for two',
  requirement: 'one signal is never taken for two: over repeated single signals admitted work always completes',
  levels: { 'light-fabric': 'M', 'openab-cp': 'M', baseline: 'M' },
  needs: ['http', 'direct'],
  appliesTo: isWithinGrace,
  check: (history, terms) => {
    const accepted = [`after one signal no ${WHAT} is cut before the grace runs out`];
    const busy = busyStop(history, accepted);
    if (busy.finding) return busy.finding;
    const { trigger, base } = busy;
    const count = deliveredSignals(history).length;
    if (count !== 1) return found.inconclusive(`the trigger never happened: ${count} signals were sent, not one`, base);
    const work = { history, terms, trigger };
    // a second one that was never sent: that more lines say the first is the business of SIG-4
    const second = terms.patterns.secondSignal;
    const said = second === undefined ? [] : linesMatching(history, second, trigger.interval.begin);
    if (said[0]) {
      const seen = `one SIG${trigger.signal}, and the log says a second one: ${quoted(said[0].line.text)}`;
      return found.fail(seen, { ...base, evidence: [...base.evidence, said[0].line.seq] });
    }
    const pieces = busy.work.filter(({ held }) => held.ends === 'finish' || held.ends === 'itself');
    const outlooks = pieces.filter(isAdmitted).map((piece) => outlookOf(work, piece));
    const complete = outlooks.filter(({ outcome }) => outcome === 'complete');
    const early = ({ piece }: Outlook): boolean => (piece.ended?.t ?? Number.POSITIVE_INFINITY) < cutIsDue(work);
    // what was answered, if only by a 503, was not cut: DRN-1 judges that
    const broken = outlooks.filter(({ piece }) => !isAnswered(piece));
    const cut = broken.filter((one) => one.outcome === 'lost' && early(one));
    const open = broken.filter(({ outcome, queued }) => outcome === 'uncertain' || queued);
    if (cut.length > 0) {
      const ending = endingOf(history);
      const end = ending.how === 'itself' ? `; exit ${ending.exitCode}${asOfTwo(ending.exitCode, trigger.signal)}` : '';
      const seen = `one SIG${trigger.signal}, and ${lostInWords(cut, outlooks.length, WHAT)}${end}`;
      if (terms.graceMs !== null) return found.fail(seen, base);
      return found.notExercised(`${seen}: one signal may do so where no drain is promised (DRN-1)`, base);
    }
    if (open.length > 0) {
      const seen = `one SIG${trigger.signal}, and ${lostInWords(open, outlooks.length, WHAT)}`;
      // accepted or not, it would be no failure: nothing is left open that measuring again could close
      if (terms.graceMs === null) {
        return found.notExercised(`${seen}: one signal may do so where no drain is promised (DRN-1)`, base);
      }
      return found.inconclusive(seen, { ...base, timing: true });
    }
    if (complete.length === 0) {
      const [first] = outlooks;
      const why = first ? `${first.piece.held.id}: ${first.why}` : 'none had an end of its own';
      const seen = `none of ${outlooks.length} ${WHAT} proves anything (${why})`;
      if (outlooks.some(({ late }) => late)) return found.inconclusive(seen, { ...base, timing: true });
      // how a service treats its work is its own affair where nothing is promised: measuring again would show the same
      return terms.graceMs === null ? found.notExercised(seen, base) : found.inconclusive(seen, base);
    }
    return found.pass(`one SIG${trigger.signal}: all ${complete.length} ${WHAT} completed`, base);
  },
  explain: {
    measured:
      'In every scenario with one signal and work that ends inside the grace: the fate of each piece. How many cells there are is how often it was repeated (`--repeat`).',
    breaks:
      'A handler registered twice; a supervisor or launcher that passes on a signal which the whole process group got; a flag for the second signal that the first one sets too.',
    remedy:
      'Register one handler, count what it gets, and pass a signal on to those only who did not get it themselves.',
  },
};

/** The status that a second signal of this kind may leave. */
function asOfTwo(exitCode: number, signal: string): string {
  const number = signalNumber(signal);
  return number !== undefined && exitCode === 128 + number ? `, which is that of SIG${signal} itself` : '';
}
