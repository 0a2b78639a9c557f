import type { Clause } from '../model/clause.ts';
import type { ObservationOf } from '../model/observation.ts';
import { toNs, triggerOf } from './evidence/queries.ts';
import { longestStallMs } from './evidence/stop-duration.ts';
import type { Piece } from './evidence/work.ts';
import { declareFor, evidenceOf, inFlightAt, isAdmitted, piecesOf, unheld } from './evidence/work.ts';
import { servedForMs } from './adm-stage.ts';
import { afterSignal } from './drn-fate.ts';
import { isWithinGrace } from './drn-work.ts';
import { found, untriggered } from './finding.ts';

/** DRN-8: a client that keeps the connection for its next request would lose that one. HTTP/2 has GOAWAY for it (DRN-7). */
export const drn8: Clause = {
  id: 'DRN-8',
  title: 'answers in the drain say Connection: close',
  requirement: 'answers in the drain carry `Connection: close` (HTTP/1.1)',
  levels: { 'light-fabric': 'S', 'openab-cp': '-', baseline: 'S' },
  needs: ['http', 'direct'],
  appliesTo: isWithinGrace,
  check: (history, terms) => {
    const accepted = ['every HTTP/1.1 answer to admitted work after the signal carries Connection: close'];
    const held = piecesOf(history).filter(isAdmitted);
    const failed = unheld(history)[0];
    if (held.length === 0 && failed) {
      const declare = declareFor(history, failed, "endpoints: { slow: ['POST /path/that/reads/its/body'] }");
      const seen = `no request could be held in flight: ${failed.message}`;
      return found.notExercised(seen, { accepted, evidence: [failed.seq], declare });
    }
    const trigger = triggerOf(history);
    if (!trigger) return untriggered(history, accepted);
    // a head that was sent before the signal cannot know of it: only one that certainly came after it counts, and where new
    // work may be served for a while the drain begins only then
    const { hostMs } = history.header.uncertainty;
    const { begin, end } = trigger.interval;
    const since = (at: number): number =>
      end + toNs(servedForMs(terms) + hostMs + longestStallMs(history, { begin, end: at }));
    const begun = inFlightAt(history, trigger).flatMap((piece) => {
      const head = isAdmitted(piece) ? headOf(piece) : undefined;
      return head && head.firstByteAt > since(head.firstByteAt) ? [{ piece, head }] : [];
    });
    const answered = begun.filter(({ head }) => !closesUnsaid(head.headers));
    const evidence = [trigger.seq, ...evidenceOf(begun.map(({ piece }) => piece))];
    if (answered.length === 0 && begun.length > 0) {
      const seen = `${begun.length} answer(s) of HTTP/1.0, which closes without saying so, and none of HTTP/1.1`;
      return found.notExercised(seen, { accepted, evidence });
    }
    if (answered.length === 0) {
      const seen = 'the trigger never happened: no HTTP/1.1 answer to work in flight began after the signal';
      return found.inconclusive(seen, { accepted, evidence });
    }
    const open = answered.filter(({ head }) => !saysClose(head.headers));
    const [first] = open;
    if (!first)
      return found.pass(`${answered.length} answer(s) in the drain, all with Connection: close`, {
        accepted,
        evidence,
      });
    const said = first.head.headers['connection'];
    const what = said === undefined ? 'no Connection header' : `Connection: ${said}`;
    const seen = `${open.length} of ${answered.length} answers in the drain without Connection: close; ${first.piece.held.id} had ${what} ${afterSignal(trigger, first.head.firstByteAt)}`;
    return found.fail(seen, { accepted, evidence });
  },
  explain: {
    measured: 'The headers of answers whose first byte came after the signal, to requests that were in flight at it.',
    breaks: 'A server that keeps its connections alive to the end, so that the next request on them is lost.',
    remedy: 'From the signal on set Connection: close on every answer that is not yet begun.',
  },
};

type Headers = NonNullable<ObservationOf<'work.ended'>['headers']>;

/** The head of an HTTP/1.1 answer, where it is on record; an answer over HTTP/2 has none in this sense. */
function headOf({ held, ended }: Piece): { readonly firstByteAt: number; readonly headers: Headers } | undefined {
  if (held.over === 'h2' || held.over === 'tcp' || held.shape.startsWith('h2-')) return undefined;
  if (ended?.fate !== 'answered' || ended.firstByteAt === undefined || ended.headers === undefined) return undefined;
  return { firstByteAt: ended.firstByteAt, headers: ended.headers };
}

/** HTTP/1.0 closes after each answer unless it says that it does not: no client loses its next request. */
function closesUnsaid(headers: Headers): boolean {
  return headers[':version'] === '1.0' && !/\bkeep-alive\b/i.test(headers['connection'] ?? '');
}

function saysClose(headers: Headers): boolean {
  return (headers['connection'] ?? '').split(',').some((token) => token.trim().toLowerCase() === 'close');
}
