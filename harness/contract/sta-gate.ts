import type { Clause } from '../model/clause.ts';
import type { History } from '../model/history.ts';
import type { ObservationOf } from '../model/observation.ts';
import type { Nanoseconds } from '../model/time.ts';
import { firstOf, ofKind } from './evidence/queries.ts';
import type { EarlySample } from './evidence/start-abort.ts';
import { decidedIn, fewOf, outcomesInWords, released, servedEarly, waitingInWords } from './evidence/start-abort.ts';
import { found } from './finding.ts';

/**
 * STA-7: a matter of order, which no clock enters. While the start waits for a peer it is not ready, and what was answered
 * before the peer was let go was let in before Ready. What comes between that and the first look that saw it ready proves
 * nothing.
 */
export const sta7: Clause = {
  id: 'STA-7',
  title: 'the gate is shut until Ready',
  requirement: 'the gate is shut until Ready: no application 2xx before',
  levels: { 'light-fabric': 'M', 'openab-cp': '-', baseline: '-' },
  needs: ['http', 'direct', 'bootstrap', 'registry'],
  check: (history) => {
    const accepted = ['no application request is answered 2xx while the start waits for a peer', 'then it serves'];
    const pending = ofKind(history, 'start.pending');
    const asked = ofKind(history, 'early.sample');
    const ready = firstOf(history, 'ready');
    const base = { accepted, evidence: [...pending.map(({ seq }) => seq), ...(ready ? [ready.seq] : [])] };
    if (pending.length === 0) {
      return found.inconclusive('the trigger never happened: the start-up was never seen pending', base);
    }
    if (asked.length === 0) return found.inconclusive('nothing was asked while it started', base);
    const held = heldUntil(history, pending, ready);
    // a look that began before the release and was answered after it saw what came of the release
    if (ready && ready.t <= held) {
      const seen = `it became ready ${waitingInWords(pending)}: its start does not wait for that`;
      return found.notExercised(seen, base);
    }
    const until = Math.min(held, ready?.begin ?? held);
    const before = asked.filter((sample) => decidedIn(sample).end < until);
    const served = servedEarly(history);
    const early = served.filter((sample) => decidedIn(sample).end < until);
    const details = { ...base, evidence: [...base.evidence, ...fewOf(early.length > 0 ? early : before)] };
    const route = asked[0]?.request ?? '';
    if (early.length > 0) {
      const seen = `${early.length} requests (${route}) were answered 2xx before it was ready, ${waitingInWords(pending)}`;
      return found.fail(seen, details);
    }
    const unasked = pending.find((o) => !before.some((sample) => isWithin(sample, o, heldUntil(history, [o], ready))));
    if (unasked) return found.inconclusive(`nothing was asked ${waitingInWords([unasked])}`, details);
    if (!ready) return found.inconclusive('the trigger never happened: it never became ready', details);
    const [later] = served;
    if (!later) {
      const declare = 'ready: { http: /a/route/that/answers/200 }';
      return found.notExercised(`${route} was not answered 2xx later either: that proves nothing`, {
        ...details,
        declare,
      });
    }
    const seen = `${route} before it was ready: ${outcomesInWords(before)}; after it ${served.length} answered 2xx`;
    return found.pass(seen, { ...details, evidence: [...details.evidence, later.seq] });
  },
  explain: {
    measured:
      'An application route is asked every few milliseconds from the start of the process, while the played config server and then the played controller hold the start. None may be answered 2xx until both were let go.',
    breaks:
      'A listener that is bound, with its routes, before bootstrap and registration are done, and no gate in front.',
    remedy: 'Create the gate shut, and open it in the one step that makes the service ready.',
  },
};

/** Until when the start was held for certain: by the last of the peers, or for good. */
function heldUntil(
  history: History,
  pending: readonly ObservationOf<'start.pending'>[],
  ready: ObservationOf<'ready'> | undefined,
): Nanoseconds {
  const ends = pending.map(({ peer, t }) => {
    const release = released(history, peer).find((o) => o.t >= t);
    return release ? (release.begin ?? release.t) : (ready?.t ?? Number.POSITIVE_INFINITY);
  });
  return Math.max(...ends);
}

function isWithin(sample: EarlySample, pending: ObservationOf<'start.pending'>, until: Nanoseconds): boolean {
  const { begin, end } = decidedIn(sample);
  return begin >= pending.t && end < until;
}
