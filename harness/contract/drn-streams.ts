import type { Clause, Finding, Terms } from '../model/clause.ts';
import { endingOf, ofKind, triggerOf } from './evidence/queries.ts';
import type { Piece } from './evidence/work.ts';
import { declareFor, endedAt, evidenceOf, inFlightAt, isAnswered, piecesOf, unheld } from './evidence/work.ts';
import type { Outlook, WorkCase } from './drn-fate.ts';
import { afterSignal, cutIsDue, lostInWords, outlookOf, someWasCut } from './drn-fate.ts';
import { isWithinGrace } from './drn-work.ts';
import type { Base } from './expired-stop.ts';
import { hardDeadlineMs, notItself } from './expired-stop.ts';
import { found, isAccepted, untriggered } from './finding.ts';
import { timed } from './stop-check.ts';

const SHAPES = ['stream'];
const STREAM_ENDPOINT = "endpoints: { stream: ['GET /stream?ms={ms}'] }   # or sse: for server-sent events";
const isStream = ({ held }: Piece): boolean => held.shape === 'stream';

/**
 * DRN-4: a stream with an end of its own inside the grace is work like any other; one without ends early by the service's
 * own doing, or is cut by the deadline, and then the grace has expired. Which of the two kinds of stream could be held is
 * left to the load, so that a service that declares only one of them is judged by that one.
 */
export const drn4: Clause = {
  id: 'DRN-4',
  title: 'a streaming answer obeys the bound',
  requirement: 'a streaming answer (chunked, SSE) obeys the bound: it ends or is cut by the deadline',
  levels: { 'light-fabric': 'M', 'openab-cp': '-', baseline: 'S' },
  needs: ['http', 'direct'],
  appliesTo: isWithinGrace,
  check: (history, terms) => {
    const accepted = acceptedEnds(terms);
    const streams = piecesOf(history).filter(isStream);
    const missing =
      unheld(history, SHAPES)[0] ?? ofKind(history, 'capability.missing').find((o) => o.capability === 'stream');
    if (streams.length === 0 && missing) {
      const why = missing.kind === 'work.failed' ? missing.message : missing.reason;
      const details = { accepted, evidence: [missing.seq], declare: declareFor(history, missing, STREAM_ENDPOINT) };
      return found.notExercised(`no stream could be held: ${why}`, details);
    }
    const trigger = triggerOf(history);
    if (!trigger) return untriggered(history, accepted);
    const inFlight = inFlightAt(history, trigger).filter(isStream);
    if (inFlight.length === 0) {
      const seen = 'the trigger never happened: no stream was being read at the signal';
      const details = { accepted, evidence: [trigger.seq, ...evidenceOf(streams)] };
      // all had come to their own end: the harness took too long to get to the signal
      const late = streams.length > 0 && streams.every((piece) => piece.held.ends === 'itself' && isAnswered(piece));
      return found.inconclusive(seen, late ? { ...details, timing: true } : details);
    }
    return boundedStreams({ history, terms, trigger }, inFlight, {
      accepted,
      evidence: [trigger.seq, ...evidenceOf(inFlight)],
    });
  },
  explain: {
    measured:
      'Streaming answers, chunked and server-sent, are read across the signal: their last byte, whether they ended whole, and when PID 1 ended, with which status.',
    breaks:
      'A drain that waits for streams without a deadline; streams that are dropped at the signal; exit 0 although streams were cut.',
    remedy:
      'End streams of your own accord once the signal is there (a last event, the last chunk), and cut at the deadline what is left.',
  },
};

function boundedStreams(work: WorkCase, streams: readonly Piece[], base: Base): Finding {
  const { history, terms } = work;
  const finite = streams.filter(({ held }) => held.ends === 'itself' || held.ends === 'finish');
  const judged = finite.map((piece) => outlookOf(work, piece));
  const lost = judged.filter(({ outcome }) => outcome === 'lost');
  if (lost.length > 0) return found.fail(lostInWords(lost, finite.length, 'streams with an end of their own'), base);
  const ending = endingOf(history);
  const details = { ...base, evidence: [...base.evidence, ...ending.evidence] };
  if (ending.how !== 'itself')
    return notItself(ending, `with ${streams.length} stream(s) in flight at it`, details, boundMs(terms));
  const cut = cutStreams(streams, judged);
  const status = statusProblem(work, streams, cut, ending.exitCode);
  if (status !== undefined) return found.fail(status, details);
  const whole = streams.length - cut.length;
  const ends = [whole > 0 ? `${whole} ended whole` : '', cut.length > 0 ? `${cut.length} cut` : ''].filter(Boolean);
  const seen = `of ${streams.length} stream(s) ${ends.join(', ')}; exit ${ending.exitCode}`;
  const inTime = timed(history, boundMs(terms), seen, details);
  const uncertain = judged.filter(({ outcome }) => outcome === 'uncertain');
  if (inTime.outcome !== 'fail' && uncertain.length > 0) {
    const narrow = `${lostInWords(uncertain, finite.length, 'streams with an end of their own')}, measured beside others`;
    return found.inconclusive(narrow, { ...details, timing: true });
  }
  return inTime;
}

/** Streams that never came to a whole end; of those that should have, the ones that prove no failure. */
function cutStreams(streams: readonly Piece[], judged: readonly Outlook[]): readonly Piece[] {
  const complete = judged.filter(({ outcome }) => outcome === 'complete').map(({ piece }) => piece);
  return streams.filter((piece) => !complete.includes(piece) && !isAnswered(piece));
}

function statusProblem(
  work: WorkCase,
  streams: readonly Piece[],
  cut: readonly Piece[],
  exitCode: number,
): string | undefined {
  const { terms, trigger } = work;
  const asExpired = terms.expiredStatus === null || exitCode === terms.expiredStatus;
  const [first] = cut;
  if (first) {
    const at = endedAt(first);
    const when = at === undefined ? '' : ` (${first.held.id} ${first.ended?.fate} ${afterSignal(trigger, at)})`;
    return asExpired ? undefined : `exit ${exitCode} although ${cut.length} stream(s) were cut${when}`;
  }
  // a service may end its streams whole at the very deadline; other work may have been cut
  const late = streams.some((piece) => (endedAt(piece) ?? 0) >= cutIsDue(work)) || someWasCut(work);
  if (isAccepted(exitCode, terms) || (late && asExpired)) return undefined;
  return `exit ${exitCode} although all ${streams.length} stream(s) ended whole`;
}

function boundMs(terms: Terms): number {
  return terms.graceMs === null ? terms.stopBoundMs : hardDeadlineMs(terms);
}

function acceptedEnds(terms: Terms): readonly string[] {
  const expired = terms.expiredStatus === null ? 'any status but 137' : `exit ${terms.expiredStatus}`;
  return [
    'a stream with an end of its own inside the grace ends whole',
    `one without ends whole, or is cut and the service leaves as when the grace expires (${expired})`,
    `the process ends in less than ${boundMs(terms)} ms`,
  ];
}
