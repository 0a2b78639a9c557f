import type { Clause, Finding } from '../model/clause.ts';
import type { ObservationOf } from '../model/observation.ts';
import { ofKind, triggerOf } from './evidence/queries.ts';
import type { Piece } from './evidence/work.ts';
import { declareFor, endedAt, evidenceOf, inFlightAt, piecesOf } from './evidence/work.ts';
import type { WorkCase } from './drn-fate.ts';
import { afterSignal, lostInWords, outlookOf } from './drn-fate.ts';
import type { Base } from './expired-stop.ts';
import { found, untriggered } from './finding.ts';

const SHAPES = ['h2-session', 'h2-stream', 'h2-new-stream'];

/** DRN-7: HTTP/2 has a way to say goodbye, so a client need not find out by a lost request. */
export const drn7: Clause = {
  id: 'DRN-7',
  title: 'HTTP/2 sessions are told, streams complete, new ones are refused',
  requirement: 'HTTP/2: GOAWAY, streams in flight complete, new streams refused',
  levels: { 'light-fabric': 'S', 'openab-cp': '-', baseline: 'S' },
  needs: ['http2', 'direct'],
  check: (history, terms) => {
    const accepted = [
      'each session gets GOAWAY before its end',
      'streams in flight get their normal, whole answer',
      'new streams after GOAWAY are refused, closed or answered 503',
    ];
    const pieces = piecesOf(history).filter(({ held }) => SHAPES.includes(held.shape));
    const failed = ofKind(history, 'work.failed')[0] ?? ofKind(history, 'capability.missing')[0];
    if (pieces.length === 0 && failed) {
      const why = failed.kind === 'work.failed' ? failed.message : failed.reason;
      const declare = declareFor(history, failed, 'tls: { port: 8443, http2: true }');
      return found.notExercised(`no HTTP/2 session was held: ${why}`, { accepted, evidence: [failed.seq], declare });
    }
    const trigger = triggerOf(history);
    if (!trigger) return untriggered(history, accepted);
    const { begin } = trigger.interval;
    const open = pieces.filter((o) => o.held.t <= begin && (endedAt(o) ?? Number.POSITIVE_INFINITY) >= begin);
    const sessions = open.filter(({ held }) => held.shape === 'h2-session');
    const inFlight = inFlightAt(history, trigger).filter(({ held }) => held.shape === 'h2-stream');
    const base = { accepted, evidence: [trigger.seq, ...evidenceOf(open)] };
    if (sessions.length === 0 && inFlight.length === 0) {
      return found.inconclusive('the trigger never happened: no HTTP/2 session was open at the signal', base);
    }
    const work = { history, terms, trigger };
    return worst([goaways(work, sessions, base), streams(work, inFlight, base), newStreams(work, base)], base);
  },
  explain: {
    measured:
      'HTTP/2 sessions over TLS, one with streams in flight, one idle, one that ignores GOAWAY: every GOAWAY, the fate of each stream, and of the streams that are asked for after GOAWAY.',
    breaks:
      'Closing the connection without GOAWAY; streams that are reset at the signal; new streams that are still served.',
    remedy:
      'Send GOAWAY on each session when the stop begins, finish its open streams, and then close it (Node: session.close()).',
  },
};

/** Every session that was open at the signal was told so, after the signal and before its end. */
function goaways({ history, trigger }: WorkCase, sessions: readonly Piece[], base: Base): Finding {
  const seen = ofKind(history, 'h2.goaway');
  const evidence = [...base.evidence, ...seen.map(({ seq }) => seq)];
  if (sessions.length === 0) return found.inconclusive('no session as such is on record', base);
  // one that was told before the signal, say for its age, is no session that the stop had to end
  const mine = sessions.filter(({ held }) => !seen.some((o) => o.id === held.id && o.t < trigger.interval.begin));
  if (mine.length === 0)
    return found.inconclusive('all sessions had a GOAWAY before the signal', { ...base, evidence });
  const untold = mine.filter((piece) => !isTold(piece, seen));
  const [first] = untold;
  if (first) {
    const at = endedAt(first);
    const end = at === undefined ? 'open to the end' : `${first.ended?.fate} ${afterSignal(trigger, at)}`;
    const text = `${untold.length} of ${mine.length} sessions got no GOAWAY; ${first.held.id} was ${end}`;
    return found.fail(text, { ...base, evidence });
  }
  return found.pass(`GOAWAY on ${mine.length} session(s)`, { ...base, evidence });
}

function isTold(piece: Piece, seen: readonly ObservationOf<'h2.goaway'>[]): boolean {
  const end = endedAt(piece) ?? Number.POSITIVE_INFINITY;
  return piece.ended?.by === 'GOAWAY' || seen.some((o) => o.id === piece.held.id && o.t <= end);
}

function streams(work: WorkCase, inFlight: readonly Piece[], base: Base): Finding {
  const list = inFlight.map((piece) => outlookOf(work, piece));
  const judged = list.filter(({ outcome }) => outcome !== 'not judged');
  const lost = judged.filter(({ outcome }) => outcome === 'lost');
  const what = 'streams in flight';
  if (lost.length > 0) return found.fail(lostInWords(lost, judged.length, what), base);
  const uncertain = judged.filter(({ outcome }) => outcome === 'uncertain');
  if (uncertain.length > 0) {
    const narrow = `${lostInWords(uncertain, judged.length, what)}, measured beside others`;
    return found.inconclusive(narrow, { ...base, timing: true });
  }
  if (judged.length > 0) return found.pass(`all ${judged.length} ${what} completed`, base);
  const [first] = list;
  const why = first
    ? `none of ${list.length} ${what} proves anything; ${first.piece.held.id}: ${first.why}`
    : `no ${what}`;
  return found.inconclusive(why, { ...base, ...(list.some(({ late }) => late) ? { timing: true } : {}) });
}

/** Streams that were asked for after GOAWAY was seen. They are never held, so only their end is on record. */
function newStreams({ history, trigger }: WorkCase, base: Base): Finding {
  const told = ofKind(history, 'h2.goaway').filter((o) => o.t >= trigger.interval.begin);
  const first = Math.min(...told.map(({ t }) => t));
  const asked = ofKind(history, 'work.ended').filter((o) => o.shape === 'h2-new-stream' && (o.begin ?? o.t) >= first);
  const evidence = [...base.evidence, ...asked.map(({ seq }) => seq)];
  const served = asked.filter((o) => o.fate === 'answered' && (o.status ?? 0) < 300);
  const [one] = served;
  if (one) {
    const text = `${served.length} of ${asked.length} new streams after GOAWAY were served (${one.id}: ${one.status})`;
    return found.fail(text, { ...base, evidence });
  }
  const turnedAway = asked.filter((o) => o.fate !== 'answered' || o.status === 503);
  if (turnedAway.length === 0) {
    const what =
      asked[0] === undefined ? 'no new stream was asked for after GOAWAY' : `a new stream got ${asked[0].status}`;
    return found.inconclusive(what, { ...base, evidence });
  }
  return found.pass(`${turnedAway.length} new stream(s) refused`, { ...base, evidence });
}

/** One finding of several: the first failure, else the first that is inconclusive (timing only if all of them are so). */
function worst(findings: readonly Finding[], base: Base): Finding {
  const evidence = [...new Set(findings.flatMap((finding) => finding.evidence))];
  const failed = findings.find(({ outcome }) => outcome === 'fail');
  if (failed) return { ...failed, evidence };
  const open = findings.filter(({ outcome }) => outcome === 'inconclusive');
  const untimed = open.find(({ timing }) => timing !== true) ?? open[0];
  if (untimed) return { ...untimed, evidence };
  return found.pass(findings.map(({ seen }) => seen).join('; '), { ...base, evidence });
}
