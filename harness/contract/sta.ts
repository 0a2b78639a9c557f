import type { Clause } from '../model/clause.ts';
import type { History } from '../model/history.ts';
import type { ObservationOf } from '../model/observation.ts';
import { endingOf, firstInterference, firstOf, lastOf, ofKind, toMs, triggerOf } from './evidence/queries.ts';
import { ms } from './evidence/stop-duration.ts';
import { failByTime, found, untriggered } from './finding.ts';
import { timed } from './stop-check.ts';

/** STA-1: a signal at the first ready answer takes effect; its status is SIG-1's business. */
export const sta1: Clause = {
  id: 'STA-1',
  title: 'handlers are installed before readiness',
  requirement: 'handlers are installed before readiness is published',
  levels: { 'light-fabric': 'M', 'openab-cp': 'M', baseline: 'S' },
  needs: [],
  check: (history, terms) => {
    const limitMs = Math.max(terms.stopBoundMs, (terms.graceMs ?? 0) + terms.floorMs) + terms.toleranceMs;
    const accepted = [`ends by itself in less than ${limitMs} ms after a signal at the first ready answer`];
    if (history.header.ready.kind === 'settled') {
      const declare = 'ready: { log: "…" }';
      return found.notExercised('readiness is only assumed', { accepted, evidence: [], declare });
    }
    const trigger = triggerOf(history);
    if (!trigger) return untriggered(history, accepted);
    const ready = firstOf(history, 'ready');
    const ending = endingOf(history);
    const base = { accepted, evidence: [...(ready ? [ready.seq] : []), trigger.seq, ...ending.evidence], limitMs };
    if (!ready) return found.inconclusive('the trigger never happened: readiness was not seen before the signal', base);
    const after = ms(toMs(trigger.interval.begin - ready.t));
    if (ending.how === 'outer-timeout') {
      return found.fail(`SIG${trigger.signal} ${after} after readiness was lost: the harness sent SIGKILL`, base);
    }
    if (ending.how === 'killed') return found.fail(ending.why, base);
    if (ending.how === 'unknown') return found.inconclusive(ending.why, base);
    return timed(history, limitMs, `SIG${trigger.signal} ${after} after readiness: exit ${ending.exitCode}`, base);
  },
  explain: {
    measured: 'The signal is sent right after the first ready answer; the service must end by itself.',
    breaks:
      'Listening first and installing handlers after it: a signal in between is lost, as PID 1 has no default action.',
    remedy: 'Install the handlers before the listener is bound or readiness is published.',
  },
};

/** How much of the watch may lie behind the last look, ms at most: looks are spaced. */
const LAST_LOOK_MS = 500;

/** STA-8: left alone, the service goes on serving. */
export const sta8: Clause = {
  id: 'STA-8',
  title: 'the grace bounds the shutdown, not the life',
  requirement:
    'the grace bounds the shutdown, not the life: with no signal the service still serves after grace + floor + 1 s',
  levels: { 'light-fabric': 'M', 'openab-cp': 'M', baseline: 'S' },
  needs: [],
  check: (history, terms) => {
    const accepted = [`still serves ${terms.idleWatchMs} ms after readiness without a signal`];
    const ready = firstOf(history, 'ready');
    if (!ready) return untriggered(history, accepted);
    const until = firstInterference(history) ?? Number.POSITIVE_INFINITY;
    const looks = ofKind(history, 'serving').filter((o) => o.t <= until);
    const end = endBefore(history, until);
    const base = { accepted, evidence: [ready.seq, ...looks.slice(-1).map((o) => o.seq)] };
    if (end) {
      const state = lastOf(history, 'exit.state');
      const status = state?.exitCode === undefined ? '' : `, exit ${state.exitCode}`;
      const evidence = [...base.evidence, end.seq, ...(state ? [state.seq] : [])];
      return found.fail(`ended ${ms(toMs(end.t - ready.t))} after readiness without any signal${status}`, {
        ...base,
        evidence,
      });
    }
    const failed = looks.at(-1);
    if (failed?.ok === false) {
      const seen = `did not serve ${ms(toMs(failed.t - ready.t))} after readiness: ${failed.detail}`;
      return failByTime(history, seen, { ...base, evidence: [ready.seq, failed.seq] });
    }
    const last = looks.at(-1);
    if (!last) return found.inconclusive('nobody looked whether the service serves', base);
    const watchedMs = toMs(last.t - ready.t);
    if (watchedMs < terms.idleWatchMs - Math.min(LAST_LOOK_MS, widestGapMs(ready, looks))) {
      return found.inconclusive(`watched for ${ms(watchedMs)} only, ${terms.idleWatchMs} ms are needed`, base);
    }
    const served = looks.filter((o) => o.ok).length;
    return found.pass(
      `still serves ${ms(watchedMs)} after readiness; ${served} of ${looks.length} looks were served`,
      base,
    );
  },
  explain: {
    measured:
      'The service is left alone for grace + floor + 1 s (without a grace: the stop bound + 1 s) after readiness and looked at again and again.',
    breaks: 'A deadline timer started with the process instead of with the signal; a watchdog that nobody feeds.',
    remedy: 'Start the deadline when the signal is received.',
  },
};

function endBefore(history: History, until: number): ObservationOf<'exit.seen' | 'exit.state'> | undefined {
  const seen = firstOf(history, 'exit.seen');
  if (seen) return seen.t <= until ? seen : undefined;
  // without a sighting of the end, an engine that shows it over although nothing was sent says the same
  const state = lastOf(history, 'exit.state');
  return state && !state.running && until === Number.POSITIVE_INFINITY ? state : undefined;
}

function widestGapMs(ready: ObservationOf<'ready'>, looks: readonly ObservationOf<'serving'>[]): number {
  const times = [ready.t, ...looks.map((o) => o.t)];
  return times.reduce((widest, t, i) => Math.max(widest, toMs(t - (times[i - 1] ?? t))), 0);
}
