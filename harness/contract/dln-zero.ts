import type { Clause, Finding, Terms } from '../model/clause.ts';
import type { History } from '../model/history.ts';
import { cutsOf } from './evidence/cut.ts';
import { endingOf, firstInterference, firstOf, triggerOf } from './evidence/queries.ts';
import { piecesOf, unheld } from './evidence/work.ts';
import { busyStop, hardDeadlineMs, notItself } from './expired-stop.ts';
import { found, untriggered } from './finding.ts';
import { graceOfCell } from './grace-cell.ts';
import { agreesWithLog } from './logged-outcome.ts';
import { timed } from './stop-check.ts';

/** DLN-4: a grace of 0 means what the preset says: no drain at all, or no start at all. */
export const dln4: Clause = {
  id: 'DLN-4',
  title: 'a grace of 0 does what the preset says',
  requirement:
    'grace 0 as the preset says: lf: no drain, floor only, work cut is exit 1, without load the exit agrees with the logged outcome; cp: refused at start-up',
  levels: { 'light-fabric': 'M', 'openab-cp': 'M', baseline: '-' },
  needs: ['grace env'],
  appliesTo: (cell) => (graceOfCell(cell) ?? 0) === 0,
  check: (history, terms) => {
    if (terms.zeroGrace === null) {
      const seen = 'what a grace of 0 means is not declared';
      return found.notExercised(seen, { accepted: [], evidence: [], declare: 'zeroGrace: warn   # or refuse' });
    }
    if (terms.graceMs !== 0) {
      const seen = `the terms in force say a grace of ${terms.graceMs} ms, not 0`;
      return found.inconclusive(seen, { accepted: [], evidence: [] });
    }
    if (terms.zeroGrace === 'refuse') return refused(history);
    const busy = piecesOf(history).length > 0 || unheld(history).length > 0;
    return busy ? cutAtOnce(history, terms) : endsAtOnce(history, terms);
  },
  explain: {
    measured:
      'The grace is set to 0 through the declared variable: with work held and with none the stop must be over within the floor; where zero is refused, the container must end by itself before it is ready, with a nonzero status.',
    breaks:
      'A 0 that means "no limit" or falls back to the default; a drain that runs at least once; a refusal that exits 0.',
    remedy: 'Skip the drain for 0 and go straight to clean-up within the floor, or reject the setting when it is read.',
  },
};

/** `refuse`: the container ends by itself, before it is ready, with a status that says so. */
function refused(history: History): Finding {
  const accepted = ['start-up is refused: the container ends by itself before it is ready, with a nonzero status'];
  const ready = firstOf(history, 'ready');
  if (ready) return found.fail('it became ready with a grace of 0', { accepted, evidence: [ready.seq] });
  const failed = firstOf(history, 'ready.failed');
  const base = { accepted, evidence: failed ? [failed.seq] : [] };
  if (!failed) return found.inconclusive('nobody saw whether it became ready', base);
  if (failed.reason === 'timeout') {
    return found.inconclusive(`it neither became ready nor ended: ${failed.message}`, base);
  }
  const ending = endingOf(history);
  const details = { accepted, evidence: [...base.evidence, ...ending.evidence] };
  if (ending.how !== 'itself') {
    const why = ending.how === 'outer-timeout' ? 'the harness sent SIGKILL' : ending.why;
    return found.inconclusive(`whether start-up was refused cannot be told: ${why}`, details);
  }
  const touched = firstInterference(history);
  if (touched !== undefined && touched < failed.t) {
    return found.inconclusive('something was sent to it before it was ready', details);
  }
  const seen = `ended before it was ready, exit ${ending.exitCode}`;
  return ending.exitCode === 0 ? found.fail(`${seen}: a refusal is nonzero`, details) : found.pass(seen, details);
}

/** `warn`, with work in flight: cut with the end of the process, within the floor, as an expired grace. */
function cutAtOnce(history: History, terms: Terms): Finding {
  const status = terms.expiredStatus === null ? 'any status but 137' : `exit ${terms.expiredStatus}`;
  const accepted = [`no drain: work in flight is cut and ${within(terms)}, ${status}`];
  const busy = busyStop(history, accepted);
  if (busy.finding) return busy.finding;
  const ending = endingOf(history);
  const base = { accepted, evidence: [...busy.base.evidence, ...ending.evidence] };
  if (ending.how !== 'itself') return notItself(ending, 'with a grace of 0', base, hardDeadlineMs(terms));
  const inTime = timed(history, hardDeadlineMs(terms), `exit ${ending.exitCode} with work in flight`, base);
  if (inTime.outcome === 'fail') return inTime;
  if (cutsOf(history, terms, busy.trigger).length === 0) {
    return found.inconclusive('the trigger never happened: all work was answered, none was there to cut', base);
  }
  if (terms.expiredStatus !== null && ending.exitCode !== terms.expiredStatus) {
    return found.fail(`exit ${ending.exitCode} although work was cut, not ${terms.expiredStatus}`, base);
  }
  return inTime;
}

/** `warn`, with nothing in flight: over within the floor, and the status is that of the logged outcome. */
function endsAtOnce(history: History, terms: Terms): Finding {
  const accepted = [`${within(terms)}, with the status of the outcome that it logs`];
  const trigger = triggerOf(history);
  if (!trigger) return untriggered(history, accepted);
  const ending = endingOf(history);
  const base = { accepted, evidence: [trigger.seq, ...ending.evidence] };
  if (ending.how !== 'itself')
    return notItself(ending, 'with a grace of 0 and nothing in flight', base, hardDeadlineMs(terms));
  const inTime = timed(history, hardDeadlineMs(terms), `exit ${ending.exitCode} with nothing in flight`, base);
  if (inTime.outcome === 'fail') return inTime;
  const agrees = agreesWithLog(history, terms, { exitCode: ending.exitCode, since: trigger.interval.begin }, base);
  if (agrees.outcome !== 'pass') return agrees;
  const evidence = [...new Set([...inTime.evidence, ...agrees.evidence])];
  return { ...inTime, seen: `${inTime.seen}; ${agrees.seen}`, evidence };
}

function within(terms: Terms): string {
  return `the process ends by itself in less than ${hardDeadlineMs(terms)} ms (floor + tolerance)`;
}
