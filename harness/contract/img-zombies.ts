import type { Clause, Finding } from '../model/clause.ts';
import type { History } from '../model/history.ts';
import type { ObservationOf, ProcessFact } from '../model/observation.ts';
import { nameOf, programOf, roleOf } from './evidence/process-tree.ts';
import { processEnd } from './evidence/process-end.ts';
import { ofKind, toMs, triggerOf } from './evidence/queries.ts';
import { ms, stopDuration } from './evidence/stop-duration.ts';
import { failByTime, found, untriggered } from './finding.ts';

/** A zombie that two samples this far apart show was not just about to be reaped. */
const REAPED_WITHIN_MS = 20;
/** A stop that was over within this leaves nothing to sample: no zombie can have lasted in it. */
const SHORT_STOP_MS = 100;

const accepted = ['no process of the container stays a zombie, before the signal or during the stop'];
const requirement = 'no zombie children while running and at stop';
const explain = {
  measured:
    'Process states at readiness, before the signal and during the stop. During the stop a zombie counts when two samples at least 20 ms apart show it.',
  breaks:
    'A service as PID 1 that never waits for children, or for orphans that the kernel gives to PID 1; hooks started and forgotten.',
  remedy: 'Wait for every child; put an init (tini, `--init`) in front of a service that cannot reap orphans.',
};

/** IMG-4: whatever PID 1 is. Behind an init it is a must: IMG-4-init. */
export const img4: Clause = {
  id: 'IMG-4',
  title: 'no zombie children',
  requirement,
  levels: { 'light-fabric': 'S', 'openab-cp': 'S', baseline: 'S' },
  needs: [],
  check: (history) => checkZombies(history),
  explain,
};

/** IMG-4-init: the same where PID 1 is an init, by the process tree. Of anything else it says nothing. */
export const img4Init: Clause = {
  id: 'IMG-4-init',
  title: 'no zombie children behind an init',
  requirement: `${requirement}, behind an init`,
  levels: { 'light-fabric': 'M', 'openab-cp': 'M', baseline: 'S' },
  needs: ['init'],
  check: (history) => {
    const snapshot = ofKind(history, 'processes').find((o) => firstOf(o) !== undefined);
    const first = snapshot && firstOf(snapshot);
    if (!snapshot || !first) return checkZombies(history);
    if (roleOf(first) === 'init') return checkZombies(history);
    const declare = 'an engine with an init of its own: docker-init, or catatonit for podman';
    const seen = `${nameOf(first)} is no init`;
    return found.notExercised(seen, { accepted, evidence: [snapshot.seq], declare });
  },
  explain,
};

type Sample = ObservationOf<'processes'>;

function checkZombies(history: History): Finding {
  const samples = ofKind(history, 'processes').filter((sample) => ofALivingPid1(history, sample));
  const running = samples.filter((sample) => sample.moment !== 'during-stop');
  const stopping = samples.filter((sample) => sample.moment === 'during-stop');
  const atRest = running.find((sample) => zombiesOf(sample).length > 0);
  if (atRest) {
    const seen = `zombies while it ran: ${named(zombiesOf(atRest))}`;
    return found.fail(seen, { accepted, evidence: [atRest.seq] });
  }
  const lasting = lastingZombie(history, samples);
  if (lasting) return lasting;
  const trigger = triggerOf(history);
  if (!trigger) return untriggered(history, accepted);
  const base = { accepted, evidence: [trigger.seq, ...samples.map((sample) => sample.seq)] };
  if (running.length === 0) return found.inconclusive('no process states were taken before the signal', base);
  if (stopping.length === 0) {
    const { measurement } = stopDuration(history);
    const short = measurement !== undefined && measurement.highMs < SHORT_STOP_MS;
    // on a busy machine the process may be gone before the first look: alone it is seen
    if (!short) return found.inconclusive('no process states were taken during the stop', { ...base, timing: true });
    return found.pass(`no zombie while it ran; the stop was over in ${ms(measurement.valueMs)}`, base);
  }
  const passing = stopping.find((sample) => zombiesOf(sample).length > 0);
  const also = passing ? `, but for ${named(zombiesOf(passing))} in one sample` : '';
  return found.pass(`no zombie in ${samples.length} sample(s)${also}`, base);
}

/**
 * A sample from before the end of PID 1: what its end leaves behind is the kernel's to reap (IMG-6). One on its way out,
 * or a zombie itself, has lost its memory, and so its arguments.
 */
function ofALivingPid1(history: History, sample: Sample): boolean {
  const end = processEnd(history);
  const first = firstOf(sample);
  return first !== undefined && first.args.length > 0 && (end === undefined || sample.t < end.interval.end);
}

function lastingZombie(history: History, samples: readonly Sample[]): Finding | undefined {
  const since = new Map<string, Sample>();
  for (const sample of samples) {
    const now = zombiesOf(sample);
    const keys = new Set(now.map(keyOf));
    for (const key of since.keys()) if (!keys.has(key)) since.delete(key);
    for (const zombie of now) {
      const first = since.get(keyOf(zombie));
      if (!first) since.set(keyOf(zombie), sample);
      else if (toMs(sample.t - first.t) >= REAPED_WITHIN_MS) {
        const seen = `a zombie for at least ${ms(toMs(sample.t - first.t))} of the stop: ${named([zombie])}`;
        return failByTime(history, seen, { accepted, evidence: [first.seq, sample.seq] });
      }
    }
  }
  return undefined;
}

function firstOf(sample: Sample): ProcessFact | undefined {
  return sample.list.find((process) => process.nsPid === 1);
}

function zombiesOf(sample: Sample): readonly ProcessFact[] {
  return sample.list.filter((process) => process.state === 'Z');
}

/** Pids are used again: a zombie keeps its name too. */
function keyOf(process: ProcessFact): string {
  return `${process.pid} ${process.comm}`;
}

function named(zombies: readonly ProcessFact[]): string {
  // a zombie has no arguments any more
  return zombies.map((process) => `${programOf(process) || process.comm} (pid ${process.pid})`).join(', ');
}
