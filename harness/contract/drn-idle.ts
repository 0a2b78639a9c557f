import type { Clause } from '../model/clause.ts';
import { ofKind, triggerOf } from './evidence/queries.ts';
import type { Piece } from './evidence/work.ts';
import { declareFor, endedAt, evidenceOf, isBare, piecesOf, unheld } from './evidence/work.ts';
import { found, statusesInWords, untriggered } from './finding.ts';
import { checkStop } from './stop-check.ts';

const SHAPE = 'idle-keep-alive';
const isIdle = ({ held }: Piece): boolean => held.shape === SHAPE;

/** DRN-5: a stop with nothing in flight but connections that are kept alive is as fast as one without them. */
export const drn5: Clause = {
  id: 'DRN-5',
  title: 'idle keep-alive connections do not hold the stop',
  requirement:
    'an idle keep-alive connection, over bare TCP one that says nothing, does not hold the stop: < 1000 ms, exit 0',
  levels: { 'light-fabric': 'M', 'openab-cp': 'M', baseline: 'S' },
  needs: ['http', 'direct'],
  check: (history, terms) => {
    const accepted = [`ends by itself in less than ${terms.stopGoalMs} ms`, ...statusesInWords(terms)];
    const idle = piecesOf(history).filter(isIdle);
    const missing =
      unheld(history, [SHAPE])[0] ?? ofKind(history, 'capability.missing').find((o) => o.capability === 'held work');
    if (idle.length === 0 && missing) {
      const why = missing.kind === 'work.failed' ? missing.message : missing.reason;
      const declare = declareFor(history, missing, 'port: 8080   # one that keeps connections alive');
      return found.notExercised(`no idle connection was kept open: ${why}`, {
        accepted,
        evidence: [missing.seq],
        declare,
      });
    }
    const trigger = triggerOf(history);
    if (!trigger) return untriggered(history, accepted);
    const { begin } = trigger.interval;
    const open = idle.filter((piece) => piece.held.t <= begin && (endedAt(piece) ?? Number.POSITIVE_INFINITY) >= begin);
    if (open.length === 0 && idle.length > 0 && idle.every(isBare)) {
      const seen = 'the service closes a silent connection by itself: none was open at the signal';
      const declare = 'tcp: [5432]   # one that keeps silent connections';
      return found.notExercised(seen, { accepted, evidence: [trigger.seq, ...evidenceOf(idle)], declare });
    }
    if (open.length === 0) {
      const seen = `the trigger never happened: none of ${idle.length} idle connections was open at the signal`;
      return found.inconclusive(seen, { accepted, evidence: [trigger.seq, ...evidenceOf(idle)] });
    }
    const finding = checkStop(history, terms, terms.stopGoalMs);
    const evidence = [...finding.evidence, ...evidenceOf(open)];
    return { ...finding, seen: `${finding.seen}, with ${inWords(open)} open`, evidence };
  },
  explain: {
    measured:
      'Connections that were answered once are kept open over the signal, on a port of bare TCP ones that never said anything; the stop is then judged as in SIG-1.',
    breaks: 'A server that waits until every connection is closed by its client, or until a keep-alive timeout.',
    remedy:
      'Close idle connections when the stop begins (Node: server.closeIdleConnections; most servers do it in their graceful shutdown).',
  },
};

/** How many over which way in: a load of which only some kinds could be held says so. */
function inWords(open: readonly Piece[]): string {
  const counts = new Map<string, number>();
  for (const { held } of open) counts.set(held.over ?? 'http', (counts.get(held.over ?? 'http') ?? 0) + 1);
  const kinds = [...counts].map(([over, count]) => `${count} over ${over}`).join(', ');
  return `${open.length} idle connection(s) (${kinds})`;
}
