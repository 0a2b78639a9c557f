import type { Clause, Finding } from '../model/clause.ts';
import type { Nanoseconds } from '../model/time.ts';
import type { Stage } from './adm-stage.ts';
import {
  afterSignalMs,
  emptyWindow,
  isCertainlyAfter,
  isProvenAfter,
  late,
  servedForMs,
  stageOf,
} from './adm-stage.ts';
import { outerKill } from './evidence/queries.ts';
import { ms } from './evidence/stop-duration.ts';
import type { Piece } from './evidence/work.ts';
import { declareFor, endedAt, evidenceOf, piecesOf, unheld } from './evidence/work.ts';
import { failByTime, found } from './finding.ts';

const SHAPE = 'half-headers';

/**
 * ADM-9: what counts is when the headers were complete, not when they were begun. Only a connection that was completed
 * certainly after the gate had closed counts, or one that the service closed before, while it lived.
 */
export const adm9: Clause = {
  id: 'ADM-9',
  title: 'headers completed after the signal are refused',
  requirement: 'headers half-sent before the signal and completed after it get 503 or a close',
  levels: { 'light-fabric': 'M', 'openab-cp': '-', baseline: 'r' },
  needs: ['http', 'direct'],
  check: (history, terms) => {
    const { stage, finding } = stageOf(history, terms, ['503', 'a close or a reset']);
    if (finding) return finding;
    const held = piecesOf(history).filter((p) => p.held.shape === SHAPE && p.held.t <= stage.accepted.begin);
    const failed = unheld(history, [SHAPE])[0];
    if (held.length === 0 && failed) {
      const seen = `no connection could be held with half its headers: ${failed.message}`;
      const declare = declareFor(history, failed, 'port: 8080   # one that waits for whole headers');
      return found.notExercised(seen, { ...stage.details, evidence: [failed.seq], declare });
    }
    if (held.length === 0) {
      return found.inconclusive('the trigger never happened: no headers were half sent at the signal', stage.details);
    }
    return judged(stage, held);
  },
  explain: {
    measured:
      'Connections that have sent a request line and one header before the signal and the rest well after it; the status of the answer, or the end of the connection.',
    breaks: 'A gate in the accept loop: a connection that was accepted before the signal is served whatever it sends.',
    remedy: 'Ask the gate when the headers are complete, once per request.',
  },
};

function judged(stage: Stage, held: readonly Piece[]): Finding {
  const completed = held.filter((p) => {
    const at = completedAt(p);
    return isProvenAfter(stage, at) || isCertainlyAfter(stage, at);
  });
  const details = (pieces: readonly Piece[]): Stage['details'] => ({
    ...stage.details,
    evidence: [...stage.details.evidence, ...(stage.windows.gateClosed?.evidence ?? []), ...evidenceOf(pieces)],
  });
  const served = completed.filter((p) => isOtherAnswer(p));
  const proven = served.filter((p) => isProvenAfter(stage, completedAt(p)));
  const seen = (pieces: readonly Piece[]): string =>
    `${pieces.length} of ${held.length} requests whose headers were completed after the signal were answered ${statusesOf(pieces)}`;
  if (proven.length > 0) return found.fail(`${seen(proven)}, when a 503 had come already`, details(proven));
  if (served.length > 0) {
    const lowMs = Math.max(...served.map((p) => afterSignalMs(stage, completedAt(p) ?? Number.NEGATIVE_INFINITY)));
    const limitMs = servedForMs(stage.terms);
    const words = `${seen(served)}, at least ${ms(lowMs)} after it`;
    return late(stage.history, words, { lowMs, limitMs }, { ...details(served), limitMs });
  }
  const hung = completed.filter((p) => isHung(stage, p));
  if (hung.length > 0) {
    const words = `${hung.length} of ${held.length} requests whose headers were completed after the signal were left hanging`;
    return failByTime(stage.history, words, details(hung));
  }
  const closedBefore = held.filter((p) => isClosedBefore(stage, p));
  const good = [...completed.filter((p) => endedAt(p) !== undefined), ...closedBefore];
  if (good.length === 0 && completed.length > 0) {
    const words = 'what became of the requests whose headers were completed after the signal is not on record';
    return found.inconclusive(words, details(completed));
  }
  if (good.length === 0) {
    const near = held.filter((p) => (completedAt(p) ?? Number.NEGATIVE_INFINITY) >= stage.accepted.begin);
    if (near.length === 0) return emptyWindow(stage, 'no half-sent headers were completed after the signal');
    const words = `${near.length} of ${held.length} requests had their headers completed too close to the signal to tell`;
    return found.inconclusive(`${words}; no half-sent headers were completed certainly after it`, {
      ...details(near),
      timing: true,
    });
  }
  const refused = good.filter((p) => p.ended?.status === 503).length;
  const words = `${refused} got 503 and ${good.length - refused} a close, of ${held.length} with half their headers`;
  return found.pass(words, details(good));
}

/** When the rest of the headers was written, at the earliest; undefined where it never was before the end. */
function completedAt({ finished, ended }: Piece): Nanoseconds | undefined {
  const at = finished && (finished.begin ?? finished.t);
  return at === undefined || (ended && ended.fate !== 'held' && ended.t < at) ? undefined : at;
}

/** An answer, whole or cut, that is not the refusal. */
function isOtherAnswer({ ended }: Piece): boolean {
  return ended?.status !== undefined && ended.status !== 503;
}

function isHung({ history }: Stage, { ended }: Piece): boolean {
  return ended?.fate === 'hung' || (ended?.fate === 'held' && outerKill(history) !== undefined);
}

/** Closed by the service after the signal, before we went on and before its own end cut everything. */
function isClosedBefore(stage: Stage, piece: Piece): boolean {
  const at = endedAt(piece);
  if (at === undefined || completedAt(piece) !== undefined || at < stage.accepted.begin) return false;
  if (isOtherAnswer(piece)) return false;
  const end = stage.windows.ended?.interval.begin;
  return end !== undefined && at < end - stage.history.header.uncertainty.hostMs * 1e6;
}

function statusesOf(pieces: readonly Piece[]): string {
  return [...new Set(pieces.map((p) => p.ended?.status))].join(', ');
}
