import type { Clause, Finding, Terms } from '../model/clause.ts';
import type { History } from '../model/history.ts';
import { outlasting } from './evidence/cut.ts';
import { endingOf, firstOf, ofKind, triggerOf } from './evidence/queries.ts';
import { busyStop, hardDeadlineMs, notItself, withoutGrace } from './expired-stop.ts';
import { found, untriggered } from './finding.ts';
import { agreesWithLog } from './logged-outcome.ts';
import { timed } from './stop-check.ts';

/** The method of a goodbye (contract.md, REG). */
const GOODBYE = 'service/deregister';

/**
 * DLN-5: what takes long one after the other still ends by one deadline. A failure needs no proof that everything was
 * slow; a pass needs the registration, the goodbye (where a controller is declared), and work in flight when the grace ran
 * out.
 */
export const dln5: Clause = {
  id: 'DLN-5',
  title: 'one deadline for everything',
  requirement:
    'one deadline for everything: slow deregistration + slow drain + slow clean-up together still end by the hard deadline',
  levels: { 'light-fabric': 'M', 'openab-cp': 'M', baseline: '-' },
  needs: ['http', 'direct', 'held work', 'fault'],
  check: (history, terms) => {
    const accepted = acceptedBound(terms);
    const unset = withoutGrace(terms, accepted);
    if (unset) return unset;
    const busy = busyStop(history, accepted);
    if (busy.finding) return busy.finding;
    const { trigger } = busy;
    const ending = endingOf(history);
    const registered = ofKind(history, 'controller.answered').find((o) => o.outcome === 'registered');
    const goodbye = ofKind(history, 'controller.received').find(
      (o) => o.method === GOODBYE && o.t >= trigger.interval.begin,
    );
    const played = [registered, goodbye].flatMap((o) => (o ? [o.seq] : []));
    const base = { accepted, evidence: [...busy.base.evidence, ...played, ...ending.evidence] };
    if (ending.how !== 'itself') return notItself(ending, 'with everything slow', base, hardDeadlineMs(terms));
    const inTime = timed(history, hardDeadlineMs(terms), `exit ${ending.exitCode} with everything slow`, base);
    if (inTime.outcome === 'fail') return inTime;
    const expired = outlasting(history, terms, trigger).length > 0;
    if (expired && terms.expiredStatus !== null && ending.exitCode !== terms.expiredStatus) {
      return found.fail(`exit ${ending.exitCode} although work was cut, not ${terms.expiredStatus}`, base);
    }
    const alone = firstOf(history, 'controller.listening') === undefined;
    if (alone && expired)
      return { ...inTime, seen: `${inTime.seen}; without a deregistration: no controller is declared` };
    if (!alone && !registered) return unproven('the service never registered with the played controller', inTime);
    if (!alone && !goodbye) return unproven('the goodbye never came', inTime);
    if (!expired) return unproven('no work was in flight any more when the grace ran out', inTime);
    return inTime;
  },
  explain: {
    measured:
      'The played controller acknowledges late, requests never complete, and the declared fault makes clean-up slow; the end of PID 1 from the engine accepting the signal.',
    breaks: 'Each phase with a timeout of its own, one after the other; clean-up that gets a fresh grace.',
    remedy: 'Compute one absolute deadline at the signal and give every phase what is left of it.',
  },
};

/** Ended in time, but what should have made it slow was not all there: nothing is proven, and measuring again is vain. */
function unproven(why: string, inTime: Finding): Finding {
  const { timing: _, ...rest } = inTime;
  return { ...rest, outcome: 'inconclusive', seen: `the trigger never happened: ${why} (${inTime.seen})` };
}

/** DLN-6: bounded whatever clean-up does. How it ends is the service's, as long as its log says the same. */
export const dln6: Clause = {
  id: 'DLN-6',
  title: 'stuck clean-up cannot defeat the deadline',
  requirement: 'a stuck clean-up hook or thread (declared fault) cannot defeat the hard deadline',
  levels: { 'light-fabric': 'M', 'openab-cp': '-', baseline: '-' },
  needs: ['fault'],
  // a row for each fault: without this the first one would speak for all
  appliesTo: (cell) => cell['fault'] !== undefined,
  check: (history, terms) => {
    const accepted = [`${acceptedBound(terms)[0]}, with the status of the outcome that it logs`];
    const unset = withoutGrace(terms, accepted);
    if (unset) return unset;
    const trigger = triggerOf(history);
    if (!trigger) return untriggered(history, accepted);
    return boundedStuck(history, terms, { accepted, since: trigger.interval.begin, seq: trigger.seq });
  },
  explain: {
    measured:
      'The declared fault makes a clean-up hook, or a thread, never return; the end of PID 1 from the engine accepting the signal.',
    breaks:
      'Awaiting hooks without a limit; joining threads at exit; a runtime that waits for blocking tasks when it is dropped.',
    remedy: 'Race clean-up against the deadline, and leave by exit rather than by joining what may never end.',
  },
};

function boundedStuck(
  history: History,
  terms: Terms,
  { accepted, since, seq }: { readonly accepted: readonly string[]; readonly since: number; readonly seq: number },
): Finding {
  const ending = endingOf(history);
  const base = { accepted, evidence: [seq, ...ending.evidence] };
  if (ending.how !== 'itself') return notItself(ending, 'with stuck clean-up', base, hardDeadlineMs(terms));
  const inTime = timed(history, hardDeadlineMs(terms), `exit ${ending.exitCode} with stuck clean-up`, base);
  if (inTime.outcome === 'fail' || terms.patterns.outcome === undefined) return inTime;
  const agrees = agreesWithLog(history, terms, { exitCode: ending.exitCode, since, maySayNothing: true }, base);
  if (agrees.outcome !== 'pass') return agrees;
  const evidence = [...new Set([...inTime.evidence, ...agrees.evidence])];
  return { ...inTime, seen: `${inTime.seen}; ${agrees.seen}`, evidence };
}

function acceptedBound(terms: Terms): readonly string[] {
  const limit = terms.graceMs === null ? '' : ` in less than ${hardDeadlineMs(terms)} ms (grace + floor + tolerance)`;
  return [`ends by itself${limit}, never by SIGKILL`];
}
