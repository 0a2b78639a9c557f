import type { Clause, Finding } from '../model/clause.ts';
import type { History } from '../model/history.ts';
import type { ObservationOf } from '../model/observation.ts';
import type { Nanoseconds } from '../model/time.ts';
import { isAlive, programOf } from './evidence/process-tree.ts';
import { endingOf, firstOf, lastOf, ofKind, toMs, toNs, triggerOf } from './evidence/queries.ts';
import { ms } from './evidence/stop-duration.ts';
import { found, isAccepted, untriggered } from './finding.ts';
import { isGracefulCell } from './graceful-cell.ts';

/**
 * The kernel kills what is left of a PID namespace while PID 1 is on its way out, so those ends are recorded shortly
 * before PID 1's own (engines.md section 12: about 6 ms). A SIGKILL within this is the kernel's.
 */
const ZAP_BEFORE_MS = 30;
/**
 * A zap of many processes, or on a busy machine, may take this long: a SIGKILL up to it may be the kernel's or a
 * supervisor's, one before it is a supervisor's.
 */
const SLOW_ZAP_MS = 250;
/** Nothing forks or execs once the zap has begun; this much later at most is the order of two stamps uncertain. */
const AFTER_ZAP_MS = 1;
/** The same for a log line, which is stamped when it arrives. */
const LOG_AFTER_ZAP_MS = 10;
/** A process seen alive this close to the end may have left by itself in between. */
const SAMPLE_BLIND_MS = 20;
/** A sample older than this says nothing about the end: much can start or leave since. */
const SAMPLE_OLD_MS = 50;

/** What only lets a script wait: its end is no loss. */
const WAITS = 'sleep';

const accepted = ['every process of the service has ended by itself before PID 1'];

/**
 * IMG-6: exact with the kernel's process events; else by the last process sample. A recent sample that shows only PID 1
 * passes; one that shows others proves nothing in the time it did not see, and is inconclusive.
 */
export const img6: Clause = {
  id: 'IMG-6',
  title: 'nothing is cut off when PID 1 ends',
  requirement:
    'when PID 1 ends after a graceful outcome, nothing of the service is still running: no worker, child or hook is cut off by the end of its namespace (after an expired deadline: r)',
  levels: { 'light-fabric': 'M', 'openab-cp': 'M', baseline: 'M' },
  needs: [],
  appliesTo: isGracefulCell,
  check: (history, terms) => {
    const trigger = triggerOf(history);
    if (!trigger) return untriggered(history, accepted);
    const ending = endingOf(history);
    const evidence = [trigger.seq, ...ending.evidence];
    if (ending.how === 'unknown') return found.inconclusive(ending.why, { accepted, evidence });
    if (ending.how !== 'itself' || !isAccepted(ending.exitCode, terms)) {
      const why = ending.how === 'itself' ? `exit ${ending.exitCode}` : 'PID 1 did not end by itself';
      return found.notExercised(`the outcome was not graceful (${why})`, {
        accepted,
        evidence,
      });
    }
    return byKernel(history, evidence) ?? bySample(history, evidence);
  },
  explain: {
    measured:
      "The kernel's record of every process end (local engine, root): a SIGKILL from the end of the namespace, unless the service still started or logged something after it; else the last process sample.",
    breaks:
      'PID 1 exits without waiting for its workers; a launcher or init that leaves with its first child; daemonised workers beside tail -f.',
    remedy: 'Forward the signal to all workers and wait for each of them before PID 1 exits.',
  },
};

/** Undefined where the kernel's record does not reach from the signal to the end, unless it shows a cut all the same. */
function byKernel(history: History, before: readonly number[]): Finding | undefined {
  const events = ofKind(history, 'process.events');
  const attached = events.find((o) => o.state === 'attached');
  const started = firstOf(history, 'container.started');
  if (!attached || !started) return undefined;
  const exits = ofKind(history, 'process.exit');
  const own = exits.find((o) => o.pid === started.pid);
  const end = own?.t ?? firstOf(history, 'exit.seen')?.begin;
  if (end === undefined) return undefined;
  const since = triggerOf(history)?.interval.begin ?? 0;
  const killed = exits.filter(
    (o) => o.pid !== started.pid && o.signal === 9 && o.comm !== WAITS && !killedBySupervisor(history, o, end),
  );
  const cut = killed.filter((o) => o.t >= end - toNs(ZAP_BEFORE_MS));
  const doubtful = killed.filter((o) => o.t >= Math.max(since, end - toNs(SLOW_ZAP_MS)));
  const details = (list: typeof exits) => ({
    accepted,
    evidence: [...before, ...list.map((o) => o.seq), ...(own ? [own.seq] : [])],
  });
  if (cut.length > 0) return found.fail(`cut off by the end of PID 1: ${named(cut, end)}`, details(cut));
  if (doubtful.length > 0) {
    const seen = `ended by SIGKILL, by a supervisor or by the end of PID 1: ${named(doubtful, end)}`;
    return found.inconclusive(seen, { ...details(doubtful), timing: true });
  }
  const whole = own && attached.t <= since && events.every((o) => o.state === 'attached');
  if (!whole) return undefined;
  const others = exits.filter((o) => o.pid !== started.pid && o.t >= since);
  const seen =
    others.length === 0 ? 'no other process ended with PID 1' : `${others.length} other process(es) ended before`;
  return found.pass(`${seen}, none of them cut off (kernel process events)`, {
    accepted,
    evidence: [...before, attached.seq, own.seq],
  });
}

/** Whether the service was still at work between a SIGKILL and its end: once the kernel zaps, nothing of it runs. */
function killedBySupervisor(history: History, killed: ObservationOf<'process.exit'>, end: Nanoseconds): boolean {
  const after = (ms: number) => (o: { readonly t: Nanoseconds }) => o.t > killed.t + toNs(ms) && o.t < end;
  const started = [...ofKind(history, 'process.fork'), ...ofKind(history, 'process.exec')];
  return started.some(after(AFTER_ZAP_MS)) || ofKind(history, 'log').some(after(LOG_AFTER_ZAP_MS));
}

function named(exits: readonly ObservationOf<'process.exit'>[], end: Nanoseconds): string {
  return exits.map((o) => `${o.comm} (pid ${o.pid}, ${relative(o.t - end)})`).join(', ');
}

function bySample(history: History, before: readonly number[]): Finding {
  const lost = ofKind(history, 'process.events').find((o) => o.state !== 'attached');
  const why = lost?.reason ? ` (no kernel process events: ${lost.reason})` : '';
  const end = lastOf(history, 'exit.seen')?.t;
  const sample = ofKind(history, 'processes').findLast((o) => o.moment === 'during-stop' && hasPid1(o));
  if (!sample || end === undefined) {
    return found.inconclusive(`the processes were not seen during the stop${why}`, { accepted, evidence: before });
  }
  const evidence = [...before, sample.seq];
  // what it shows was so at some moment since it was begun
  const ageMs = toMs(Math.max(0, end - (sample.begin ?? sample.t)));
  if (ageMs > SAMPLE_OLD_MS) {
    const seen = `the last sample was taken ${ms(ageMs)} before the end: too old to tell${why}`;
    return found.inconclusive(seen, { accepted, evidence, timing: true });
  }
  const others = sample.list.filter(
    (process) => process.nsPid !== 1 && isAlive(process) && programOf(process) !== WAITS,
  );
  if (others.length === 0) {
    return found.pass(`only PID 1 was left in the last sample, ${ms(ageMs)} before the end${why}`, {
      accepted,
      evidence,
    });
  }
  const names = others.map((process) => `${programOf(process)} (pid ${process.pid})`).join(', ');
  const reach = ageMs < SAMPLE_BLIND_MS ? `less than ${SAMPLE_BLIND_MS} ms` : ms(ageMs);
  return found.inconclusive(`still alive ${reach} before the end: ${names}; they may have left since${why}`, {
    accepted,
    evidence,
  });
}

function hasPid1(sample: ObservationOf<'processes'>): boolean {
  return sample.list.some((process) => process.nsPid === 1 && isAlive(process));
}

function relative(ns: number): string {
  return ns < 0 ? `${ms(toMs(-ns))} before it` : `${ms(toMs(ns))} after it`;
}
