import type { Clause, Finding, Terms } from '../model/clause.ts';
import type { CellValues } from '../model/plan.ts';
import type { History } from '../model/history.ts';
import { ofKind, triggerOf } from './evidence/queries.ts';
import type { Piece } from './evidence/work.ts';
import { declareFor, evidenceOf, inFlightAt, isAdmitted, piecesOf, unheld } from './evidence/work.ts';
import type { Outlook, WorkCase } from './drn-fate.ts';
import { endFitting, lostInWords, outlookOf, someWasCut } from './drn-fate.ts';
import { found, statusesInWords, untriggered } from './finding.ts';

const SLOW_ENDPOINT = "endpoints: { slow: ['POST /path/that/reads/its/body'] }";
/** Fewer are not many at once. */
const MANY = 32;

/**
 * Work within the grace: with a declared grace the rows that are a part of it, without one the row in plain
 * milliseconds; a cell without such a row always.
 */
export function isWithinGrace(cell: CellValues, terms: Terms): boolean {
  const at = cell['at'];
  if (at === undefined) return true;
  return /\bgrace\b/.test(String(at)) === (terms.graceMs !== null);
}

/** Work of which the harness or the service itself is the end: what has none cannot complete. */
const hasAnEnd = (piece: Piece): boolean => piece.held.ends === 'finish' || piece.held.ends === 'itself';

/** DRN-1: what the gate let in completes, whatever its shape. Fast and exit 0 is not graceful (rule 9). */
export const drn1: Clause = {
  id: 'DRN-1',
  title: 'admitted work shorter than the grace completes',
  requirement:
    'admitted work shorter than the grace completes with its normal, whole answer (tried at a quarter, at half and at grace - 200 ms); exit 0',
  levels: { 'light-fabric': 'M', 'openab-cp': '-', baseline: 'S' },
  needs: ['http', 'direct'],
  appliesTo: isWithinGrace,
  check: (history, terms) =>
    completes(history, terms, {
      select: (piece) => isAdmitted(piece) && hasAnEnd(piece),
      what: 'pieces of admitted work',
      declare: SLOW_ENDPOINT,
    }),
  explain: {
    measured:
      'Requests, uploads and streams are proven held before the signal and completed by the harness inside the grace; every byte of the answer, its status and its end are read off the connection.',
    breaks:
      'Leaving at once on the signal; closing all connections; a gate that answers 503 to requests it had let in; cutting at the signal instead of at the deadline.',
    remedy:
      'Stop accepting, then wait for the requests in flight until the grace is over, and only then close; exit 0 when all were answered.',
  },
};

/** DRN-3: the same for uploads. */
export const drn3: Clause = {
  id: 'DRN-3',
  title: 'an upload in progress may finish',
  requirement: 'an upload in progress may finish',
  levels: { 'light-fabric': 'M', 'openab-cp': '-', baseline: 'S' },
  needs: ['http', 'direct'],
  appliesTo: isWithinGrace,
  check: (history, terms) =>
    completes(history, terms, {
      select: (piece) => piece.held.shape === 'upload' && isAdmitted(piece),
      shapes: ['upload'],
      what: 'uploads',
      declare: "endpoints: { upload: ['POST /path'] }",
    }),
  explain: {
    measured:
      'Uploads whose body goes on across the signal and is completed inside the grace; the whole answer is read.',
    breaks: 'Closing connections that are being read from; a read timeout that the signal shortens.',
    remedy: 'Count a request as in flight from its headers on, not from the end of its body.',
  },
};

interface Kind {
  readonly select: (piece: Piece) => boolean;
  /** The shapes that could have been held; absent: any. */
  readonly shapes?: readonly string[];
  readonly what: string;
  readonly declare: string;
}

/** What the selected work in flight came to, or the finding when there was none. */
function outlooks(
  history: History,
  terms: Terms,
  kind: Kind,
  accepted: readonly string[],
): Finding | { readonly work: WorkCase; readonly list: readonly Outlook[]; readonly evidence: readonly number[] } {
  const pieces = piecesOf(history).filter(kind.select);
  const failed = unheld(history, kind.shapes);
  if (pieces.length === 0) {
    const missing = ofKind(history, 'capability.missing').find((o) => o.capability === 'held work');
    const why = failed[0] ?? (kind.shapes === undefined ? missing : undefined);
    if (why) {
      const reason = why.kind === 'work.failed' ? why.message : why.reason;
      const details = { accepted, evidence: [why.seq], declare: declareFor(history, why, kind.declare) };
      return found.notExercised(`no ${kind.what} could be held: ${reason}`, details);
    }
  }
  const trigger = triggerOf(history);
  if (!trigger) return untriggered(history, accepted);
  const inFlight = inFlightAt(history, trigger).filter(kind.select);
  const evidence = [trigger.seq, ...evidenceOf(inFlight.length > 0 ? inFlight : pieces)];
  if (inFlight.length === 0) {
    const seen = `the trigger never happened: none of the ${kind.what} was in flight at the signal`;
    return found.inconclusive(seen, { accepted, evidence });
  }
  const work = { history, terms, trigger };
  return { work, list: inFlight.map((piece) => outlookOf(work, piece)), evidence };
}

function completes(history: History, terms: Terms, kind: Kind): Finding {
  const accepted = [`all ${kind.what} get their normal, whole answer`, ...statusesInWords(terms)];
  const seen = outlooks(history, terms, kind, accepted);
  if ('outcome' in seen) return seen;
  const { work, list, evidence } = seen;
  const base = { accepted, evidence };
  const judged = list.filter(({ outcome }) => outcome !== 'not judged');
  const lost = list.filter(({ outcome }) => outcome === 'lost');
  if (lost.length > 0) return found.fail(lostInWords(lost, judged.length, kind.what), base);
  const uncertain = list.filter(({ outcome }) => outcome === 'uncertain');
  if (uncertain.length > 0) {
    const narrow = `${lostInWords(uncertain, judged.length, kind.what)}, measured beside others`;
    return found.inconclusive(narrow, { ...base, timing: true });
  }
  if (judged.length === 0) return noneJudged(list, kind.what, base);
  const queued = list.filter((one) => one.queued);
  if (queued.length > 0) {
    const seen = lostInWords(queued, list.length, kind.what);
    return found.inconclusive(seen, { ...base, timing: true });
  }
  const others = list.length > judged.length ? ` (${list.length - judged.length} more prove nothing)` : '';
  return endFitting(work, `all ${judged.length} ${kind.what} completed${others}`, someWasCut(work), base);
}

function noneJudged(
  list: readonly Outlook[],
  what: string,
  base: { readonly accepted: readonly string[]; readonly evidence: readonly number[] },
): Finding {
  const timing = list.some(({ late }) => late) ? { timing: true } : {};
  const seen = `none of ${list.length} ${what} proves anything; ${list[0]?.piece.held.id}: ${list[0]?.why}`;
  return found.inconclusive(seen, { ...base, ...timing });
}

/**
 * DRN-2: a service with fewer workers than requests leaves some in its backlog, which nobody outside can tell from those
 * it works on. So each must complete or be accounted for by a 503 or a close without a byte of an answer; but not all so.
 */
export const drn2: Clause = {
  id: 'DRN-2',
  title: 'many requests at once complete or are accounted for',
  requirement: 'many at once (1,000), and more than the service has workers: all complete or are all accounted for',
  levels: { 'light-fabric': 'M', 'openab-cp': '-', baseline: 'S' },
  needs: ['http', 'direct'],
  appliesTo: isWithinGrace,
  check: (history, terms) => {
    const what = 'requests in flight at once';
    const accepted = [
      'each gets its normal, whole answer, a 503, or a reset before any byte of an answer, as from a queue',
      'at least one completes',
    ];
    const select = (piece: Piece): boolean => isAdmitted(piece) && piece.held.ends === 'finish';
    const seen = outlooks(history, terms, { select, what, declare: SLOW_ENDPOINT }, accepted);
    if ('outcome' in seen) return seen;
    const { list, evidence } = seen;
    const base = { accepted, evidence };
    if (list.length < MANY) {
      return found.inconclusive(`only ${list.length} ${what}: fewer than ${MANY} are not many`, base);
    }
    const judged = list.filter(({ outcome }) => outcome !== 'not judged');
    if (judged.length === 0) return noneJudged(list, what, base);
    const dark = list.filter(({ outcome, piece }) => outcome === 'not judged' && !isAccountedFor(piece));
    const complete = judged.filter(({ outcome }) => outcome === 'complete');
    const open = judged.filter((one) => one.outcome !== 'complete' && !isAccountedFor(one.piece));
    const lost = open.filter(({ outcome }) => outcome === 'lost');
    if (lost.length > 0) return found.fail(`${lostInWords(lost, judged.length, what)}, unaccounted for`, base);
    const away = judged.length - complete.length;
    const uncertain = judged.some(({ outcome }) => outcome === 'uncertain');
    if (open.length > 0 || (complete.length === 0 && uncertain)) {
      return found.inconclusive(`${away} of ${judged.length} ${what} were lost narrowly, beside others`, {
        ...base,
        timing: true,
      });
    }
    if (complete.length === 0)
      return found.fail(`none of ${judged.length} ${what} completed: all were turned away`, base);
    if (dark.length > 0) {
      const timing = dark.some(({ late }) => late) ? { timing: true } : {};
      const seen = `${dark.length} of ${list.length} ${what} are not accounted for; ${dark[0]?.piece.held.id}: ${dark[0]?.why}`;
      return found.inconclusive(seen, { ...base, ...timing });
    }
    const turnedAway = list.length - complete.length;
    const rest = turnedAway === 0 ? '' : `, ${turnedAway} were turned away whole`;
    const { said, seqs } = refusedBefore(history);
    return found.pass(`${complete.length} of ${list.length} ${what} completed${rest}${said}`, {
      ...base,
      evidence: [...evidence, ...seqs],
    });
  },
  explain: {
    measured: `At least ${MANY} requests are proven held at once (1,000 where a grace is declared), completed after the signal, and the fate of each is recorded; those that could not be held are counted.`,
    breaks:
      'A drain that waits for workers and forgets the queue; connections that are reset in the middle of an answer.',
    remedy: 'Finish what workers have begun and answer 503 to what is still queued, before closing.',
  },
};

/** What was refused before the signal is no failure, but it is said: the service takes no more at once. */
function refusedBefore(history: History): { readonly said: string; readonly seqs: readonly number[] } {
  const held = new Set(piecesOf(history).map((piece) => piece.held.shape));
  const refused = unheld(history).filter(({ shape }) => held.has(shape));
  const [first] = refused;
  if (first === undefined) return { said: '', seqs: [] };
  const said = `; ${refused.length} more were refused before the signal (${first.tried[0] ?? first.message})`;
  return { said, seqs: refused.map(({ seq }) => seq) };
}

/**
 * A 503, or a reset without a byte of an answer: so end connections that a service had in its queue and never took. An
 * orderly end comes from a service that had taken the request, and dropped it.
 */
function isAccountedFor({ ended }: Piece): boolean {
  if (!ended) return false;
  if (ended.fate === 'answered') return ended.status === 503;
  const ends = ended.fate === 'reset' || ended.fate === 'refused';
  return ends && ended.firstByteAt === undefined && (ended.bytes ?? 0) === 0;
}
