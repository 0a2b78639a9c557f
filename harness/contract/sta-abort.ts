import type { Clause, Finding, Terms } from '../model/clause.ts';
import type { History } from '../model/history.ts';
import { endingOf, ofKind, signalNumber, toMs } from './evidence/queries.ts';
import { abortLimitMs, hearing, pendingAt, stopLimitMs, waitingInWords } from './evidence/start-abort.ts';
import type { StartUpSignal } from './evidence/start-up.ts';
import { startUpSignal } from './evidence/start-up.ts';
import { compareToLimit, describeMeasurement, ms, stopDuration } from './evidence/stop-duration.ts';
import { failByTime, found, isAccepted, killedTooSoon, untriggered } from './finding.ts';
import { agreesWithLog } from './logged-outcome.ts';
import { onlyAlone, unlessStarved } from './only-alone.ts';
import { lostInWords, sentInWords } from './sta-start-up.ts';
import { timed } from './stop-check.ts';

type Details = Pick<Finding, 'accepted' | 'evidence' | 'limitMs' | 'swept'>;

/** A signal into a start-up, in what the clause has to say about it. */
interface Abort {
  readonly history: History;
  readonly terms: Terms;
  readonly signal: StartUpSignal;
  /** The start was proven to wait for a peer that does not answer. */
  readonly held: boolean;
  /** `SIGTERM 61..131 ms after the start of PID 1, while it waited for the config server`. */
  readonly sent: string;
  readonly details: Details;
}

/** STA-2: a signal that comes while the service starts ends the start, and does not wait for it. */
export const sta2: Clause = {
  id: 'STA-2',
  title: 'a signal cancels start-up',
  requirement:
    'a signal after handler installation and before readiness cancels start-up: exit 0 within the floor, also while bootstrap, bind or registration is pending or its peer silent',
  levels: { 'light-fabric': 'M', 'openab-cp': '-', baseline: 'r' },
  needs: [],
  // every row of a scenario is a peer or an offset of its own
  appliesTo: () => true,
  check: (history, terms) => {
    const limitMs = abortLimitMs(terms);
    const status = terms.floorMs > 0 ? 'exit 0' : 'an accepted status';
    const accepted = [`ends by itself in less than ${limitMs} ms with ${status}, without ever being ready`];
    const signal = startUpSignal(history, terms);
    if (!signal) return untriggered(history, accepted);
    const pending = pendingAt(history, signal.trigger.interval.begin);
    const sent = `${sentInWords(signal)}${pending.length > 0 ? `, ${waitingInWords(pending)}` : ''}`;
    const evidence = [...signal.evidence, ...pending.map(({ seq }) => seq)];
    // where the outcome changes along a sweep is for STA-9 to look at
    const swept = { ...signal.offset, shows: 'sent' };
    const details = { accepted, evidence, limitMs, swept };
    return judged({ history, terms, signal, held: pending.length > 0, sent, details });
  },
  explain: {
    measured:
      'The signal is sent before the service is ready: at offsets from its start, and while a config server or controller that the harness plays does not answer. It must end by itself, within the floor, without becoming ready. What is lost before there are handlers is told by STA-9.',
    breaks:
      'The signal is noted and looked at only when start-up is complete; a connect, a download or a migration that cannot be cancelled; a cancelled download that is taken for a failed one.',
    remedy: 'Race every step of start-up against the signal, and unwind what was begun.',
  },
};

function judged(abort: Abort): Finding {
  const { history, signal, sent, details } = abort;
  const { fate, trigger } = signal;
  if (signal.readyBefore) return found.notExercised(`${sent} did not come before readiness`, details);
  if (fate.how === 'lost') return found.notExercised(lostInWords(signal, fate.because), details);
  if (abort.held && endingOf(history).how === 'outer-timeout') return noEffect(abort);
  if (fate.how === 'not known') return found.inconclusive(`${sent}: ${fate.why}`, details);
  const ended = `${sent}: exit ${fate.exitCode}`;
  const { ready } = signal;
  if (ready === undefined) return aborted(abort, fate.exitCode, ended);
  const { interval } = trigger;
  const [atLeast, atLatest] = [(ready.begin ?? ready.t) - interval.end, ready.t - interval.begin].map(toMs);
  const { limitMs = 0 } = details;
  if (atLeast === undefined || atLeast < limitMs) {
    return found.notExercised(
      `${ended}, and it became ready in the same instant (${ms(atLatest ?? 0)} after it)`,
      details,
    );
  }
  const seen = `${ended}, but it came up first: ready at least ${ms(atLeast)} after the signal`;
  return onlyAlone(history, failByTime(history, seen, details));
}

/** It went on waiting: a failure where it could hear the signal, else a loss in its deaf window, which is STA-9's. */
function noEffect({ history, signal, sent, details }: Abort): Finding {
  const ending = endingOf(history);
  const survivedMs = ending.how === 'outer-timeout' ? ending.survivedMs : 0;
  const seen = `${sent} had no effect: still running ${ms(survivedMs)} later`;
  const can = hearing(history, signal.trigger);
  if (can === 'no') return found.notExercised(`${seen}; PID 1 had no handler for it yet (STA-9)`, details);
  if (can === 'unknown') {
    return found.inconclusive(`${seen}; whether PID 1 had a handler of its own for it is not known`, details);
  }
  const { limitMs = 0 } = details;
  if (survivedMs < limitMs) return killedTooSoon(survivedMs, limitMs, details);
  return found.fail(`${seen}, although it has a handler for it; the harness sent SIGKILL`, details);
}

function aborted(abort: Abort, exitCode: number, ended: string): Finding {
  const { history, terms, signal, held, details } = abort;
  const { limitMs = 0 } = details;
  // 128 + n is what a runtime does about a signal that nobody has asked for: the handlers were not there yet
  const bySignal = exitCode === 128 + (signalNumber(signal.trigger.signal) ?? 0);
  if (bySignal && !isAccepted(exitCode, terms) && hearing(history, signal.trigger) !== 'yes') {
    return found.notExercised(`${ended}, the signal's own action: before its handlers`, details);
  }
  const good = terms.floorMs > 0 ? exitCode === 0 : isAccepted(exitCode, terms);
  const goodbye = good ? undefined : unansweredGoodbye(abort);
  if (!good && (goodbye === undefined || exitCode !== terms.expiredStatus)) {
    return found.fail(`${ended}: not an accepted status`, details);
  }
  const inTime = unlessStarved(history, signal.trigger, timed(history, limitMs, ended, details));
  if (goodbye === undefined) return held ? inTime : unlessStopped(abort, ended, inTime);
  if (inTime.outcome !== 'pass') return inTime;
  const said = `${inTime.seen}; its goodbye was never answered`;
  const base = { accepted: details.accepted, evidence: [...inTime.evidence, goodbye] };
  const agrees = agreesWithLog(history, terms, { exitCode, since: signal.trigger.interval.begin }, base);
  return { ...agrees, seen: `${said}; ${agrees.seen}` };
}

/** A goodbye of a partial registration that used up the floor: then 0 or 1, agreeing with the log (STA-3). */
function unansweredGoodbye({ history, signal }: Abort): number | undefined {
  const since = signal.trigger.interval.begin;
  const sent = ofKind(history, 'controller.received').find((o) => o.method === 'service/deregister' && o.t >= since);
  const answered = ofKind(history, 'controller.answered').some((o) => o.method === 'service/deregister');
  return answered ? undefined : sent?.seq;
}

/**
 * Where nothing held the start, it may have been ready for a moment that no look at it met: then this was a stop, and had
 * the time of one. Only what is beyond that too is decided.
 */
function unlessStopped({ history, terms, details }: Abort, ended: string, inTime: Finding): Finding {
  if (inTime.outcome === 'pass') return inTime;
  const { measurement } = stopDuration(history);
  if (measurement === undefined || compareToLimit(measurement, stopLimitMs(terms)) === 'beyond') return inTime;
  const took = `${ended} after ${describeMeasurement(measurement)}`;
  return found.notExercised(`${took}: whether it was ready by then is not known, as nothing held the start`, details);
}
