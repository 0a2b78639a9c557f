import type { Clause, Finding, Terms } from '../model/clause.ts';
import type { History } from '../model/history.ts';
import type { ObservationOf } from '../model/observation.ts';
import { lastLine, leftOut, linesMatching, logGap, quoted } from './evidence/log-lines.ts';
import { endingOf, lastOf, ofKind, triggerOf } from './evidence/queries.ts';
import { isGracefulCell } from './graceful-cell.ts';
import { found, isAccepted, undeclaredPattern, untriggered } from './finding.ts';

const OUTCOME_EXAMPLE = 'shutdown completed.*outcome=(?<outcome>graceful|deadline-exceeded|failed)';

interface Base {
  readonly accepted: readonly string[];
  readonly evidence: readonly number[];
}

/** OBS-3: what the log says last and what the exit status says are one thing. */
export const obs3: Clause = {
  id: 'OBS-3',
  title: 'the logged outcome agrees with the exit status',
  requirement: 'the final outcome is one of graceful, deadline-exceeded, failed, and agrees with the exit status',
  levels: { 'light-fabric': 'M', 'openab-cp': 'S', baseline: '-' },
  needs: [],
  appliesTo: isGracefulCell,
  check: (history, terms) => {
    const accepted = outcomes(terms);
    const pattern = terms.patterns.outcome;
    if (pattern === undefined) return undeclaredPattern('outcome', OUTCOME_EXAMPLE, accepted);
    const trigger = triggerOf(history);
    if (!trigger) return untriggered(history, accepted);
    const ending = endingOf(history);
    const lines = linesMatching(history, pattern, trigger.interval.begin);
    const evidence = [trigger.seq, ...lines.map((match) => match.line.seq), ...ending.evidence];
    const base: Base = { accepted, evidence };
    const logged = [...new Set(lines.map((match) => match.groups['outcome'] ?? ''))];
    if (ending.how === 'outer-timeout') {
      const said = logged.length === 0 ? 'no outcome was ever logged' : `outcome ${logged.join(', ')} was logged`;
      return found.fail(`${said}, and the service had to be killed by the harness`, base);
    }
    if (logged.length > 1) return found.fail(`${logged.length} different outcomes: ${logged.join(', ')}`, base);
    const outcome = logged[0];
    if (ending.how === 'unknown') return found.inconclusive(ending.why, base);
    if (outcome === undefined) {
      const gap = logGap(history, trigger.interval.begin);
      if (gap !== undefined) return found.inconclusive(`no attached line has an outcome, but ${gap}`, base);
      return found.fail(`no outcome was logged; ${lastLine(history)}`, base);
    }
    if (outcome === '') {
      return found.inconclusive('the pattern `outcome` gives no group `outcome`: add (?<outcome>…)', base);
    }
    if (ending.how === 'killed') return found.fail(`outcome ${outcome} was logged, but ${ending.why}`, base);
    return agreement(history, terms, { outcome, exitCode: ending.exitCode, since: trigger.interval.begin }, base);
  },
  explain: {
    measured: 'Log lines after the signal that match the pattern `outcome`, compared with the exit status.',
    breaks: 'Logging graceful before the work is done; an exit path that logs nothing; exit 0 after a failure.',
    remedy: 'Write the outcome once, at the very end, from the same value that the exit status is made of.',
  },
};

function agreement(
  history: History,
  terms: Terms,
  end: { readonly outcome: string; readonly exitCode: number; readonly since: number },
  base: Base,
): Finding {
  const seen = `outcome ${end.outcome}, exit ${end.exitCode}`;
  const late = terms.patterns.deadlineExceeded;
  const said = late === undefined ? [] : linesMatching(history, late, end.since);
  const contradiction = said.find((match) => match.line.stream === 'stderr');
  if (end.outcome === 'graceful' && contradiction) {
    const evidence = [...base.evidence, contradiction.line.seq];
    return found.fail(`${seen}, but stderr says ${quoted(contradiction.line.text)}`, { ...base, evidence });
  }
  const agrees = AGREES[end.outcome];
  if (!agrees) return found.fail(`${seen}: not one of ${Object.keys(AGREES).join(', ')}`, base);
  if (!agrees(end.exitCode, terms)) return found.fail(`${seen}: they contradict each other`, base);
  // another outcome could stand there, or on stderr that the deadline expired
  const gap = leftOut(history, end.since);
  return gap === undefined ? found.pass(seen, base) : found.inconclusive(`${seen}, but ${gap}`, base);
}

export const AGREES: Readonly<Record<string, (exitCode: number, terms: Terms) => boolean>> = {
  graceful: (exitCode, terms) => isAccepted(exitCode, terms),
  'deadline-exceeded': (exitCode, terms) => terms.expiredStatus === null || exitCode === terms.expiredStatus,
  failed: (exitCode) => exitCode !== 0,
};

function outcomes(terms: Terms): readonly string[] {
  const good = terms.acceptedStatuses.map((entry) => entry.status).join(' or ');
  const expired = terms.expiredStatus === null ? '' : ` with exit ${terms.expiredStatus}`;
  return [`graceful with exit ${good}`, `deadline-exceeded${expired}`, 'failed with a nonzero exit'];
}

/** Why a line that was delivered is not proven to be in the stored log too, where it is not. */
function notStored(history: History, line: ObservationOf<'log'>): string | undefined {
  const complete = lastOf(history, 'log.complete');
  if (!complete || complete.error !== undefined) return logGap(history, line.t);
  const lacking = complete.missing.length;
  if (lacking > 0) return `the stored log lacks ${lacking} delivered line(s)`;
  if (complete.comparedLast === undefined) return undefined;
  const later = ofKind(history, 'log').filter((o) => o.stream === line.stream && o.seq > line.seq);
  return later.length < complete.comparedLast[line.stream]
    ? undefined
    : 'there was more output than is kept, and only later lines could be compared with the stored log';
}

/** OBS-4: the last line that every stop writes is in the engine's stored log. One that matches needs no newline. */
export const obs4: Clause = {
  id: 'OBS-4',
  title: 'the last log line reaches the engine',
  requirement: 'the last log line reaches the engine: nothing is lost in a buffer',
  levels: { 'light-fabric': 'M', 'openab-cp': 'M', baseline: 'S' },
  needs: [],
  appliesTo: isGracefulCell,
  check: (history, terms) => {
    const accepted = ["the declared last line is in the engine's stored log"];
    const pattern = terms.patterns.lastLine;
    if (pattern === undefined) return undeclaredPattern('lastLine', 'shutdown completed', accepted);
    const trigger = triggerOf(history);
    if (!trigger) return untriggered(history, accepted);
    const ending = endingOf(history);
    const complete = lastOf(history, 'log.complete');
    const lines = linesMatching(history, pattern, trigger.interval.begin);
    const evidence = [
      trigger.seq,
      ...lines.map((m) => m.line.seq),
      ...ending.evidence,
      ...(complete ? [complete.seq] : []),
    ];
    const base: Base = { accepted, evidence };
    if (ending.how === 'unknown') return found.inconclusive(ending.why, base);
    if (ending.how !== 'itself') {
      return found.notExercised('the service did not end by itself', base);
    }
    const last = lines.at(-1);
    const gap = last ? notStored(history, last.line) : logGap(history, trigger.interval.begin);
    if (last && gap === undefined) return found.pass(`last line: ${quoted(last.line.text)}`, base);
    if (gap !== undefined) {
      return found.inconclusive(
        `${last ? 'the last line was delivered' : 'the last line was not seen'}, but ${gap}`,
        base,
      );
    }
    return found.fail(`the declared last line is missing; ${lastLine(history)}`, base);
  },
  explain: {
    measured: 'The pattern `lastLine` against the log attached from before the start, compared with the stored log.',
    breaks: 'A buffered logger or a pipe that is not flushed before exit; a launcher that leaves before the service.',
    remedy: 'Flush the logger (and await it) as the last act before exit; write the last line synchronously.',
  },
};
