import type { Clause, Finding, Terms } from '../model/clause.ts';
import type { History } from '../model/history.ts';
import type { ObservationOf } from '../model/observation.ts';
import type { Nanoseconds } from '../model/time.ts';
import { processEnd } from './evidence/process-end.ts';
import type { Trigger } from './evidence/queries.ts';
import { endingOf, firstOf, lastOf, ofKind, toMs, toNs, triggerOf } from './evidence/queries.ts';
import type { EarlySample } from './evidence/start-abort.ts';
import { abortLimitMs, acceptedBy, certainlyAfterMs, fewOf, outcomesInWords } from './evidence/start-abort.ts';
import { ms } from './evidence/stop-duration.ts';
import type { Base } from './expired-stop.ts';
import { failByTime, found, untriggered } from './finding.ts';
import { afterAccepted } from './only-alone.ts';

/** STA-5: the cache of the config is whole or absent, file by file. */
export const sta5: Clause = {
  id: 'STA-5',
  title: 'an aborted start leaves no half of a config',
  requirement: 'no partial persistent effect: a config cache is whole or absent',
  levels: { 'light-fabric': 'M', 'openab-cp': '-', baseline: '-' },
  needs: ['bootstrap'],
  // every row is another moment of the download
  appliesTo: () => true,
  check: (history) => {
    const accepted = ['each file that the config server has is whole in the cache, or absent'];
    const trigger = triggerOf(history);
    if (!trigger) return untriggered(history, accepted);
    const cache = lastOf(history, 'cache.after-exit');
    const sent = ofKind(history, 'bootstrap.answered').filter(({ status, bytes }) => status === 200 && bytes > 0);
    const base = { accepted, evidence: [trigger.seq, ...sent.map(({ seq }) => seq), ...(cache ? [cache.seq] : [])] };
    if (!cache) return found.inconclusive('nobody looked into the cache after the end', base);
    if (cache.error !== undefined) return found.inconclusive(`the cache could not be read: ${cache.error}`, base);
    return wholeOrAbsent(cache, sent, base);
  },
  explain: {
    measured:
      'The signal comes while the played config server has sent nothing, half of its answer, or in this instant the rest of it. The declared cache, a volume, is read after the end and compared byte by byte with what was served.',
    breaks: 'Writing what arrives straight into the file of the next start; truncating it before the download begins.',
    remedy: 'Write to a temporary name beside it, sync, and rename once all of it is there.',
  },
};

function wholeOrAbsent(
  { files }: ObservationOf<'cache.after-exit'>,
  sent: readonly ObservationOf<'bootstrap.answered'>[],
  base: Base,
): Finding {
  const served = files.filter(({ same }) => same !== undefined);
  const others = files.filter(({ same }) => same === undefined);
  const beside = others.length === 0 ? '' : `; beside it ${others.map(({ name }) => name).join(', ')}`;
  const most = Math.max(0, ...sent.map(({ bytes }) => bytes));
  const broken = served.filter(({ same }) => same === false);
  // what is longer than all that was ever sent is not the beginning of it: the image may have brought it
  const partial = broken.find(({ bytes }) => bytes <= most);
  if (partial) {
    const of = most === 0 ? 'before anything was sent' : `not what was served, of which ${most} bytes were sent`;
    return found.fail(`${partial.name} is left with ${partial.bytes} bytes, ${of}${beside}`, base);
  }
  const [foreign] = broken;
  if (foreign && most > 0) {
    const seen = `${foreign.name} has ${foreign.bytes} bytes, more than the ${most} that were sent: where they come from is not known`;
    return found.inconclusive(`${seen}${beside}`, base);
  }
  if (most === 0)
    return found.notExercised(`nothing of a file was sent before the end, and none was written${beside}`, base);
  const whole = served.filter(({ same }) => same === true).map(({ name, bytes }) => `${name} whole (${bytes} bytes)`);
  const seen = whole.length === 0 ? 'no file that was served is there' : whole.join(', ');
  return found.pass(`${seen}, ${most} bytes of one were sent${beside}`, base);
}

/** After the end of PID 1 the kernel closes what it had open; the news of it may take so long, ms. */
const CLOSED_WITHIN_MS = 500;

/** STA-6: what a start has begun is taken back, and nothing new is begun after the signal. */
export const sta6: Clause = {
  id: 'STA-6',
  title: 'an aborted start leaves nothing bound or registered',
  requirement:
    'what was bound or registered is unwound: port refused, registration withdrawn (a closed socket suffices)',
  levels: { 'light-fabric': 'M', 'openab-cp': '-', baseline: '-' },
  needs: [],
  // every row is another step of the start
  appliesTo: () => true,
  check: (history, terms) => {
    const accepted = [
      'after the signal no session with the controller is opened, no registration sent, and no listener bound',
      `no connection is answered later than ${abortLimitMs(terms)} ms after the signal (floor + tolerance)`,
      'every session with the controller is closed by the end',
    ];
    const trigger = triggerOf(history);
    if (!trigger) return untriggered(history, accepted);
    const pending = ofKind(history, 'start.pending').filter(({ t }) => t <= trigger.interval.begin);
    const ending = endingOf(history);
    const base = { accepted, evidence: [...pending.map(({ seq }) => seq), trigger.seq, ...ending.evidence] };
    if (pending.length === 0) {
      return found.inconclusive(
        'the trigger never happened: the start-up was not seen pending before the signal',
        base,
      );
    }
    const ready = firstOf(history, 'ready');
    if (ready && ready.t <= trigger.interval.begin) {
      return found.notExercised('it was ready before the signal: this was no abort', base);
    }
    if (ending.how === 'outer-timeout') {
      return found.notExercised('the signal did not end the start: STA-2 speaks about it', base);
    }
    if (ending.how === 'unknown') return found.inconclusive(ending.why, base);
    return (
      registeredAfter(history, terms, trigger, base) ??
      begunAfter(history, terms, trigger, base) ??
      stillOpen(history, terms, trigger, base) ??
      unwound(history, trigger, base)
    );
  },
  explain: {
    measured:
      'The signal comes while the played config server or controller does not answer. What reaches the controller after it, when its sessions are closed, and whether new connections are still answered.',
    breaks:
      'A registration client of its own that connects again when the abort closes its session; a listener that is bound by a step that the abort did not stop.',
    remedy: 'Make the abort terminal for every client of the start-up before anything of it is closed.',
  },
};

/**
 * A registration in a session that was opened when the service had said that it has the signal: it is sent once the session
 * is open, so this is a matter of order.
 */
function registeredAfter(history: History, terms: Terms, trigger: Trigger, base: Base): Finding | undefined {
  const accepted = acceptedBy(history, terms, trigger);
  const opened = ofKind(history, 'controller.session').filter(({ state, t }) => state === 'opened' && t > accepted.t);
  const sent = ofKind(history, 'controller.received').find(
    ({ method, session }) => method === 'service/register' && opened.some((o) => o.session === session),
  );
  if (!accepted.said || !sent) return undefined;
  const evidence = [...base.evidence, ...opened.map(({ seq }) => seq), sent.seq];
  const seen = `it registered in session ${sent.session}, which was opened when it had said that it has the signal`;
  return found.fail(seen, { ...base, evidence });
}

/** What came for the controller after the signal, certainly and by more than a message may be under way. */
function begunAfter(history: History, terms: Terms, trigger: Trigger, base: Base): Finding | undefined {
  const sessions = ofKind(history, 'controller.session').filter(({ state }) => state === 'opened');
  const asked = ofKind(history, 'controller.received').filter(
    ({ method }) => method === 'service/register' || method === '(handshake)',
  );
  const after = [...sessions, ...asked]
    .map((o) => ({ o, lowMs: certainlyAfterMs(history, terms, trigger, o.begin ?? o.t) }))
    .filter(({ lowMs }) => lowMs > terms.toleranceMs)
    .toSorted((a, b) => a.lowMs - b.lowMs);
  const last = after.at(-1);
  if (!last) return undefined;
  const { o, lowMs } = last;
  const what = o.kind === 'controller.session' ? 'a session with the controller was opened' : `${o.method} came`;
  const seen = `${what} at least ${ms(lowMs)} after the signal (${after.length} in all)`;
  const evidence = [...base.evidence, ...after.map((entry) => entry.o.seq)];
  const fail = failByTime(history, seen, { ...base, evidence });
  return afterAccepted(history, terms, { trigger, lowMs }, fail);
}

/**
 * Answers to connections that were begun when the listener had to be closed: beyond the floor, and after a refusal that came
 * when the signal was long accepted. An earlier refusal proves nothing: it may have been bound right before the signal.
 */
function stillOpen(history: History, terms: Terms, trigger: Trigger, base: Base): Finding | undefined {
  const samples = ofKind(history, 'early.sample');
  const afterMs = (s: EarlySample): number => certainlyAfterMs(history, terms, trigger, startOf(s));
  const refused = samples.find((s) => s.outcome === 'refused' && afterMs(s) > terms.toleranceMs);
  const answered = samples.filter(({ outcome }) => outcome === 'answered');
  const bound = refused ? answered.filter((s) => startOf(s) > refused.t) : [];
  const [limitMs, after] =
    refused && bound.length > 0
      ? [terms.toleranceMs, bound]
      : [abortLimitMs(terms), answered.filter((s) => afterMs(s) > abortLimitMs(terms))];
  const last = after.at(-1);
  if (!last) return undefined;
  const how = bound.length > 0 ? 'when they had been refused after it' : `with ${limitMs} ms to close the listener`;
  const seen = `${after.length} connections were answered, the last at least ${ms(afterMs(last))} after the signal, ${how}`;
  const evidence = [...base.evidence, ...(refused ? [refused.seq] : []), ...fewOf(after)];
  const fail = failByTime(history, seen, { ...base, evidence });
  const lowMs = afterMs(bound.length > 0 && refused ? refused : last);
  return afterAccepted(history, terms, { trigger, lowMs }, fail);
}

function unwound(history: History, trigger: Trigger, base: Base): Finding {
  const sessions = ofKind(history, 'controller.session');
  const closed = sessions.filter(({ state }) => state === 'closed');
  const begun = new Set(
    [
      ...sessions,
      ...ofKind(history, 'controller.received').filter(
        ({ method, text }) => method === '(handshake)' && text === 'held',
      ),
    ].map(({ session }) => session),
  );
  const end = processEnd(history);
  const until = end === undefined ? Number.POSITIVE_INFINITY : end.interval.end + toNs(CLOSED_WITHIN_MS);
  const open = [...begun].filter((session) => !closed.some((o) => o.session === session && o.t <= until));
  const evidence = [...base.evidence, ...closed.map(({ seq }) => seq)];
  if (open.length > 0) {
    const seen = `session ${open.join(', ')} with the controller was not seen closed ${CLOSED_WITHIN_MS} ms after the end`;
    return found.inconclusive(seen, { ...base, evidence });
  }
  const samples = ofKind(history, 'early.sample').filter((s) => startOf(s) >= trigger.interval.begin);
  const said = [
    begun.size === 0 ? 'nothing was registered' : `${begun.size} session(s) closed ${lastClosed(closed, trigger)}`,
    samples.length === 0
      ? 'it ended before a new connection was tried'
      : `new connections: ${outcomesInWords(samples)}`,
  ];
  return found.pass(said.join('; '), { ...base, evidence: [...evidence, ...fewOf(samples)] });
}

function lastClosed(closed: readonly { readonly t: Nanoseconds }[], { interval }: Trigger): string {
  const last = closed.at(-1);
  return last ? `${ms(Math.max(0, toMs(last.t - interval.end)))} after the signal` : 'by the end';
}

function startOf({ begin, t }: EarlySample): Nanoseconds {
  return begin ?? t;
}
