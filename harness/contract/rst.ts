import type { Clause, Finding, Terms } from '../model/clause.ts';
import type { History } from '../model/history.ts';
import type { ObservationOf } from '../model/observation.ts';
import { lastLine, leftOut, linesMatching, quoted } from './evidence/log-lines.ts';
import { endingOf, firstOf, lastOf, ofKind, toMs, triggerOf } from './evidence/queries.ts';
import { secondLife } from './evidence/second-life.ts';
import { ms } from './evidence/stop-duration.ts';
import { failByTime, found, isAccepted, untriggered } from './finding.ts';

type Base = Pick<Finding, 'accepted' | 'evidence'>;
interface Again {
  readonly second: History;
  readonly base: Base;
}

/** RST-1: what a good stop leaves behind does not keep the next start from its end. */
export const rst1: Clause = {
  id: 'RST-1',
  title: 'comes up again after its own stop',
  requirement:
    'started again after a stop by itself with a good status, the same container becomes ready within the start timeout and answers as before',
  levels: { 'light-fabric': 'r', 'openab-cp': 'r', baseline: 'S' },
  needs: [],
  check: (history, terms) => {
    const again = startedAgain(history, terms, ['is ready again within the start timeout, and answers as before']);
    if ('outcome' in again) return again;
    const { second, base } = again;
    const ready = firstOf(second, 'ready');
    const failed = firstOf(second, 'ready.failed');
    const end = firstOf(second, 'exit.seen') ?? lastOf(second, 'exit.state');
    const evidence = [...base.evidence, ...[ready, failed, end].flatMap((o) => (o ? [o.seq] : []))];
    const details = { ...base, evidence };
    if (end) {
      const code = lastOf(second, 'exit.state')?.exitCode;
      const when = ready ? 'became ready and ended' : 'ended before it was ready';
      const status = code === undefined ? '' : `, exit ${code}`;
      return found.fail(`started again it ${when}${status}; ${lastLine(second)}`, details);
    }
    if (failed) {
      const why = [failed.message, failed.lastError].filter(Boolean).join('; ');
      const seen = `started again it was never ready: ${why}; ${lastLine(second)}`;
      if (!narrow(history, failed)) return failByTime(history, seen, details);
      const declare = 'startTimeout: 5m';
      return found.inconclusive(`${seen}; the first start took ${tookToStart(history)} of the same limit`, {
        ...details,
        declare,
      });
    }
    if (!ready) return found.inconclusive('nobody saw whether it was ready again', details);
    return answersAsBefore(history, again, details, inWords(history, second));
  },
  explain: {
    measured:
      'After a stop by itself the same container is started again, on the layer and the volumes that it left, and its readiness is awaited as at first.',
    breaks:
      'A pid file, socket or lock that the stop leaves and the next start stumbles over; an entrypoint script that can only set up once.',
    remedy: 'Remove such files at the stop, or take them over at the start; make the entrypoint able to run twice.',
  },
};

/** The look at the second life against the answer that made the first one ready: HTTP only tells more than `ready`. */
function answersAsBefore(history: History, { second }: Again, base: Base, readyAgain: string): Finding {
  const look = lastOf(second, 'serving');
  const first = firstOf(history, 'ready');
  if (!look || !first) return found.inconclusive(`${readyAgain}, and nobody looked whether it serves`, base);
  const details = { ...base, evidence: [...base.evidence, first.seq, look.seq] };
  if (!look.ok) return failByTime(history, `${readyAgain}, and then did not serve: ${look.detail}`, details);
  // `by` is what the look said, with where the check comes from behind it
  const same = first.by === look.detail || first.by.startsWith(`${look.detail} (`);
  if (history.header.ready.kind === 'http' && !same) {
    return found.inconclusive(`${readyAgain}, but ${look.detail}, where at first ${first.by}`, details);
  }
  return found.pass(`${readyAgain}: ${look.detail}`, details);
}

function startMs(history: History): number | undefined {
  const [start, ready] = [firstOf(history, 'container.started'), firstOf(history, 'ready')];
  return start && ready ? toMs(ready.t - start.t) : undefined;
}

function tookToStart(history: History): string {
  const took = startMs(history);
  return took === undefined ? 'an unknown time' : ms(took);
}

function inWords(history: History, second: History): string {
  return `ready again ${tookToStart(second)} after it was started (at first ${tookToStart(history)})`;
}

/** Whether the limit that the second start did not keep was nearly too short for the first one, on a machine that is shared. */
function narrow(history: History, failed: ObservationOf<'ready.failed'>): boolean {
  const took = startMs(history);
  const waitedMs = toMs(failed.t - (failed.begin ?? failed.t));
  return failed.reason === 'timeout' && took !== undefined && took > waitedMs / 2;
}

/**
 * What logs say where an unclean stop is made good, whatever the service. It must be certain: a line that also speaks of
 * something that is not so (`no crash recovery needed`) is none.
 */
const RECOVERY =
  '(?i:(?:not|n.t) (?:been )?(?:properly|cleanly) (?:been )?(?:shut ?down|closed|stopped)|unclean(?:ly)? (?:shut ?down|stopp?ed|closed)|(?:starting|performing|needs|requires) crash recovery|crash recovery (?:started|required|in progress)|automatic recovery in progress|recovering from (?:a )?crash)';
const HEDGED =
  /\b(no|none|without|if|in case|unless|(un|not )(needed|necessary|required)|enabled|disabled|skip(ped|ping)?)\b/i;

/** RST-2: a good stop leaves its state in order. */
export const rst2: Clause = {
  id: 'RST-2',
  title: 'finds what it left in order',
  requirement:
    'the second start finds what the first life left: no line of it speaks of making good an unclean stop, and a value that was written before the stop is read back',
  levels: { 'light-fabric': 'r', 'openab-cp': 'r', baseline: 'S' },
  needs: [],
  check: (history, terms) => {
    const accepted = [
      'no line of the second start speaks of an unclean stop',
      'a value written before it is read back',
    ];
    const again = startedAgain(history, terms, accepted);
    if ('outcome' in again) return again;
    const { second, base } = again;
    const declared = terms.patterns.recovery;
    const known = declared === undefined ? [] : linesMatching(second, declared);
    const certain = linesMatching(second, RECOVERY).filter(({ line }) => !HEDGED.test(line.text));
    const [made] = declared !== undefined && saidAtFirst(history, declared) ? [] : known;
    const [line] = made || saidAtFirst(history, RECOVERY) ? [made] : certain;
    if (line) {
      const seen = `the second start has to make good an unclean stop: ${quoted(line.line.text)}`;
      return found.fail(seen, { ...base, evidence: [...base.evidence, line.line.seq] });
    }
    const read = lastOf(second, 'state');
    if (read && !read.ok) return lost(read, { ...base, evidence: [...base.evidence, read.seq] });
    if (known[0]) {
      const seen = `the second start speaks of an unclean stop, but so did the first: ${quoted(known[0].line.text)}`;
      return found.inconclusive(seen, { ...base, evidence: [...base.evidence, known[0].line.seq] });
    }
    const ready = firstOf(second, 'ready');
    if (!ready && firstOf(second, 'ready.failed')) return found.notExercised('it did not come up again (RST-1)', base);
    if (!ready) return found.inconclusive('nobody saw whether it was ready again', base);
    if (declared === undefined && !read) return undeclared(history, base);
    const gap = declared === undefined ? undefined : leftOut(second, 0);
    if (gap !== undefined) return found.inconclusive(`no line speaks of an unclean stop, but ${gap}`, base);
    const parts = [
      ...(declared === undefined ? [] : [`none of ${ofKind(second, 'log').length} lines speaks of an unclean stop`]),
      ...(read ? [`the value written before the stop was read back: ${read.detail}`] : []),
    ];
    const evidence = [...base.evidence, ready.seq, ...(read ? [read.seq] : [])];
    return found.pass(parts.join('; '), { ...base, evidence });
  },
  explain: {
    measured:
      'The log of the second start against `logs.recovery` (known for known servers) and against words that leave no doubt; a known server is given a value before the stop and asked for it after the second start.',
    breaks:
      'Ending while buffers are not written or a journal is open: exit 0 says nothing of that, the next start has to repair.',
    remedy:
      'Close what is open before the end: flush, checkpoint, and only then exit; choose the stop signal that does so.',
  },
};

/** Whether the first start matched a pattern too, with nothing to make good: then a line at the second tells nothing. */
function saidAtFirst(history: History, pattern: string): boolean {
  const until = triggerOf(history)?.interval.begin ?? 0;
  return linesMatching(history, pattern).some(({ line }) => line.t < until);
}

/** A value that is not there is lost only where the server has answered. */
function lost(read: ObservationOf<'state'>, base: Base): Finding {
  if (!read.answered) return found.inconclusive(`it did not answer what it was asked for: ${read.detail}`, base);
  return found.fail(`the value written before the stop is not there any more: ${read.detail}`, base);
}

function undeclared(history: History, base: Base): Finding {
  const declare = 'logs: { recovery: "…" }   # or server: redis';
  const state = firstOf(history, 'state');
  const why = state
    ? `a value could not be left: ${state.did === 'refused' ? 'it is set up to keep none' : 'it does not take one'} (${state.detail})`
    : 'nothing tells how it would speak of an unclean stop, or how to read back what it kept';
  return found.notExercised(why, { ...base, evidence: [...base.evidence, ...(state ? [state.seq] : [])], declare });
}

/** The second life, or what is to be said where there is none: after no good stop there is nothing to come up again from. */
function startedAgain(history: History, terms: Terms, accepted: readonly string[]): Finding | Again {
  const trigger = triggerOf(history);
  if (!trigger) return untriggered(history, accepted);
  const ending = endingOf(history);
  const base = { accepted, evidence: [trigger.seq, ...ending.evidence] };
  if (ending.how === 'unknown') return found.inconclusive(ending.why, base);
  if (ending.how !== 'itself') {
    const how = ending.how === 'killed' ? ending.why : 'the harness had to send SIGKILL';
    return found.notExercised(`its first stop was not by itself: ${how}`, base);
  }
  if (!isAccepted(ending.exitCode, terms)) {
    const declare = `accept: [{ status: ${ending.exitCode}, reason: "…" }]`;
    return found.notExercised(`its first stop was no good one: exit ${ending.exitCode}`, { ...base, declare });
  }
  const second = secondLife(history);
  const started = firstOf(second, 'container.started');
  if (started) return { second, base: { accepted, evidence: [...base.evidence, started.seq] } };
  const failed = firstOf(second, 'ready.failed');
  const evidence = failed ? [...base.evidence, failed.seq] : base.evidence;
  return found.inconclusive(failed?.message ?? 'the container was not started again', { accepted, evidence });
}
