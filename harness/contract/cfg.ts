import type { Clause, Finding, Terms } from '../model/clause.ts';
import type { History } from '../model/history.ts';
import { cutAtDeadline } from './dln-cut.ts';
import { sinceSignal, whereIs } from './evidence/cut.ts';
import type { Trigger } from './evidence/queries.ts';
import { endingOf, toMs } from './evidence/queries.ts';
import { describeMeasurement } from './evidence/stop-duration.ts';
import type { Piece } from './evidence/work.ts';
import type { Base } from './expired-stop.ts';
import { busyStop, hardDeadlineMs, notItself } from './expired-stop.ts';
import { failByTime, found, isAccepted, statusesInWords } from './finding.ts';
import { graceOfCell } from './grace-cell.ts';

/** Work that was completed less than this before the earliest graceful deadline was completed too late to prove it, ms. */
const TIME_TO_ANSWER_MS = 50;
const SERVER_ERROR = 500;

/**
 * CFG-3, from both sides: work that never completes is cut at a grace that is no whole number of seconds, and work that
 * the harness completes just before it is answered.
 */
export const cfg3: Clause = {
  id: 'CFG-3',
  title: 'the grace counts in milliseconds',
  requirement:
    'millisecond precision: with a grace of 700 and of 1500 ms work is cut at that value, not at a whole second',
  levels: { 'light-fabric': 'M', 'openab-cp': '-', baseline: '-' },
  needs: ['http', 'direct', 'held work', 'grace env'],
  appliesTo: (cell) => graceOfCell(cell) === 700 || graceOfCell(cell) === 1500,
  check: (history, terms) => {
    const accepted = acceptedOf(terms);
    const asked = graceOfCell(history.header.cell.values);
    if (terms.graceMs !== asked) {
      const seen = `the cell asks for a grace of ${asked} ms, but the terms in force say ${terms.graceMs}`;
      return found.inconclusive(seen, { accepted, evidence: [] });
    }
    const busy = busyStop(history, accepted);
    if (busy.finding) return busy.finding;
    const finished = busy.work.filter((piece) => piece.finished !== undefined);
    const cut = cutAtDeadline(history, terms);
    if (finished.length === 0) return cut;
    // work that was lost before the harness could complete it: the grace was shorter than it was set
    if (cut.outcome === 'fail' && cut.limitMs === terms.graceMs) return cut;
    return completed(history, terms, { trigger: busy.trigger, finished, base: busy.base });
  },
  explain: {
    measured:
      'The grace is set to 700 and to 1500 ms through the declared variable. Work that never completes must be cut there; work that is completed 150 ms before it must be answered, with an accepted exit status.',
    breaks: 'A setting that is parsed, stored or compared in whole seconds; a timer that ticks once a second.',
    remedy: 'Keep the grace as milliseconds (or a duration type) all the way to the timer.',
  },
};

interface Completion {
  readonly trigger: Trigger;
  readonly finished: readonly Piece[];
  readonly base: Base;
}

/** Work that the harness completed before the deadline: answered as it was before the signal, and the exit says so. */
function completed(history: History, terms: Terms, { trigger, finished, base }: Completion): Finding {
  const findings = finished.map((piece) => judgePiece(history, terms, trigger, piece, base));
  const worst =
    findings.find((finding) => finding?.outcome === 'fail') ??
    findings.find((finding) => finding !== undefined && finding.timing !== true) ??
    findings.find((finding) => finding !== undefined);
  if (worst) return worst;
  const ending = endingOf(history);
  const details: Base = { ...base, evidence: [...base.evidence, ...ending.evidence] };
  if (ending.how !== 'itself')
    return notItself(ending, 'although its work was completed', details, hardDeadlineMs(terms));
  const seen = `${finished.length} completed before the grace of ${terms.graceMs} ms and answered, exit ${ending.exitCode}`;
  if (isAccepted(ending.exitCode, terms)) return found.pass(seen, details);
  // an answer that came in after the deadline may have been too late for a good status
  const inTime = finished.every((piece) => answerBefore(piece, terms, trigger));
  if (inTime) return found.fail(`${seen}: not an accepted status`, details);
  return found.inconclusive(`${seen}, but an answer came in after the deadline`, { ...details, timing: true });
}

/** What is wrong with a piece that was completed; undefined where it was answered normally. */
function judgePiece(history: History, terms: Terms, trigger: Trigger, piece: Piece, base: Base): Finding | undefined {
  const { ended, finished, held } = piece;
  const got = ended?.fate === 'answered' ? `answered ${ended.status}` : (ended?.fate ?? 'never seen to end');
  const right = held.normal === undefined ? (ended?.status ?? 0) < SERVER_ERROR : ended?.status === held.normal.status;
  if (ended?.fate === 'answered' && right) return undefined;
  const at = ended && ended.fate !== 'held' ? ended.t : undefined;
  const when = at === undefined ? undefined : sinceSignal(history, trigger, { begin: at, end: at });
  const normally = held.normal === undefined ? '' : ` instead of ${held.normal.status}`;
  const after = when === undefined ? '' : `, ${describeMeasurement(when)} after the signal`;
  const seen = `work that was completed before the grace of ${terms.graceMs} ms was ${got}${normally}${after}`;
  if (at !== undefined && whereIs(history, terms, trigger, { begin: at, end: at }) === 'before') {
    return found.fail(seen, base);
  }
  const dueMs = toMs((finished?.t ?? 0) - trigger.interval.begin) + TIME_TO_ANSWER_MS;
  if (dueMs > (terms.graceMs ?? 0)) {
    return found.inconclusive(`${seen}; the harness completed it too late`, { ...base, timing: true });
  }
  if (history.header.cell.lane === 'alone') return failByTime(history, seen, base);
  return found.inconclusive(`${seen}, measured beside others`, { ...base, timing: true });
}

function answerBefore({ ended }: Piece, terms: Terms, trigger: Trigger): boolean {
  const at = ended?.lastByteAt ?? ended?.t;
  return at !== undefined && toMs(at - trigger.interval.begin) < (terms.graceMs ?? 0);
}

function acceptedOf(terms: Terms): readonly string[] {
  return [
    `work in flight is cut at the grace of ${terms.graceMs} ms and no whole second`,
    `work completed before it is answered as before the signal, then ${statusesInWords(terms).join(' or ')}`,
  ];
}
