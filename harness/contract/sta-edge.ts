import type { Clause, Finding, Terms } from '../model/clause.ts';
import type { History } from '../model/history.ts';
import { servedForMs } from './adm-stage.ts';
import type { Trigger } from './evidence/queries.ts';
import { endingOf, firstOf, lastOf, ofKind, toMs, triggerOf } from './evidence/queries.ts';
import { certainlyAfterMs, fewOf, hearing, outcomesInWords, servedEarly, stopLimitMs } from './evidence/start-abort.ts';
import { ms } from './evidence/stop-duration.ts';
import type { Base } from './expired-stop.ts';
import { failByTime, found, isAccepted, killedTooSoon, untriggered } from './finding.ts';
import { afterAccepted } from './only-alone.ts';
import { timed } from './stop-check.ts';

/**
 * STA-4: whether the service took it for an abort or for a stop is its own business. It has the time of the longer of the
 * two, with nothing in flight; its status is judged where the preset knows one for both.
 */
export const sta4: Clause = {
  id: 'STA-4',
  title: 'a signal on the edge of readiness is not lost',
  requirement: 'a signal in the same instant as readiness is not lost, and no application request gets 2xx after it',
  levels: { 'light-fabric': 'M', 'openab-cp': 'M', baseline: 'S' },
  needs: [],
  // every row is another distance from the edge
  appliesTo: () => true,
  check: (history, terms) => {
    const limitMs = stopLimitMs(terms);
    const accepted = [
      `ends by itself in less than ${limitMs} ms after the signal`,
      `nothing is answered 2xx that was asked more than ${servedForMs(terms)} ms after the signal`,
    ];
    if (history.header.ready.kind === 'settled') {
      const declare = 'ready: { log: "…" }';
      return found.notExercised('readiness is only assumed', { accepted, evidence: [], declare });
    }
    const trigger = triggerOf(history);
    if (!trigger) return untriggered(history, accepted);
    const edge = edgeOf(history, trigger);
    const ending = endingOf(history);
    const base = { accepted, evidence: [...(edge ? [edge.seq] : []), trigger.seq, ...ending.evidence] };
    if (!edge) {
      return found.inconclusive(
        'the trigger never happened: the service was not about to be ready at the signal',
        base,
      );
    }
    return (
      servedAfter(history, terms, trigger, base) ??
      notLost(history, terms, trigger, { ...base, sent: edge.sent, limitMs })
    );
  },
  explain: {
    measured:
      'The signal is sent in the instant in which the played controller answers the registration, and at the first ready answer. It must end the service, and the probe that goes on from the start must get no 2xx for what it asks later.',
    breaks:
      'A handler for the start-up that is taken down before the one for the stop is there; a start-up that opens the gate without looking whether a signal has come.',
    remedy: 'Install one handler for good, and open the gate only by a step that fails once the signal is accepted.',
  },
};

/** What brought the service to the edge before the signal: the answer that its start waited for, else its readiness. */
function edgeOf(history: History, trigger: Trigger): { readonly seq: number; readonly sent: string } | undefined {
  const before = (o: { readonly t: number }): boolean => o.t <= trigger.interval.begin;
  const release = ofKind(history, 'start.released').findLast(before);
  const ready = firstOf(history, 'ready');
  const [edge, what] = release ? [release, 'the answer that its start waited for'] : [ready, 'readiness'];
  if (!edge || !before(edge)) return undefined;
  const afterMs = toMs(trigger.interval.begin - edge.t);
  const seen = release && ready ? `, ready ${ready.t <= trigger.interval.begin ? 'before' : 'after'} it` : '';
  return { seq: edge.seq, sent: `SIG${trigger.signal} ${ms(afterMs)} after ${what}${seen}` };
}

function servedAfter(history: History, terms: Terms, trigger: Trigger, base: Base): Finding | undefined {
  const limitMs = servedForMs(terms);
  const after = servedEarly(history)
    .map((sample) => ({ sample, lowMs: certainlyAfterMs(history, terms, trigger, sample.begin ?? sample.t) }))
    .filter(({ lowMs }) => lowMs > limitMs);
  const last = after.at(-1);
  if (!last) return undefined;
  const samples = after.map(({ sample }) => sample);
  const seen = `${after.length} requests were answered 2xx that were asked after the signal, the last at least ${ms(last.lowMs)} after it (${limitMs} ms allowed)`;
  const evidence = [...base.evidence, ...fewOf(samples)];
  const fail = failByTime(history, seen, { ...base, evidence, limitMs });
  return afterAccepted(history, terms, { trigger, lowMs: last.lowMs }, fail);
}

function notLost(
  history: History,
  terms: Terms,
  trigger: Trigger,
  { sent, ...base }: Base & { readonly sent: string; readonly limitMs: number },
): Finding {
  const ending = endingOf(history);
  if (ending.how === 'outer-timeout') {
    if (ending.survivedMs < base.limitMs) return killedTooSoon(ending.survivedMs, base.limitMs, base);
    if (lastOf(history, 'start.pending') !== undefined && hearing(history, trigger) === 'no') {
      return found.notExercised(`${sent} was lost; PID 1 had no handler for it yet (STA-9)`, base);
    }
    return found.fail(`${sent} was lost: still running ${ms(ending.survivedMs)} later; the harness sent SIGKILL`, base);
  }
  if (ending.how === 'killed') return found.fail(ending.why, base);
  if (ending.how === 'unknown') return found.inconclusive(ending.why, base);
  const ended = `${sent}: exit ${ending.exitCode}`;
  if (terms.floorMs > 0 && !isAccepted(ending.exitCode, terms)) {
    return found.fail(`${ended}, neither an abort of the start nor a stop`, base);
  }
  const asked = ofKind(history, 'early.sample').filter((s) => (s.begin ?? s.t) >= trigger.interval.end);
  const said = asked.length === 0 ? 'nothing was asked after it' : `asked after it: ${outcomesInWords(asked)}`;
  return timed(history, base.limitMs, `${ended} (${said})`, { ...base, evidence: [...base.evidence, ...fewOf(asked)] });
}
