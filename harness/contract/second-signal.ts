import type { Finding, SecondSignalPolicy, Terms } from '../model/clause.ts';
import type { History } from '../model/history.ts';
import type { CellValues } from '../model/plan.ts';
import type { Measurement } from '../model/time.ts';
import { processEnd } from './evidence/process-end.ts';
import type { Trigger } from './evidence/queries.ts';
import { deliveredSignals, ofKind, toMs, toNs } from './evidence/queries.ts';
import { ms } from './evidence/stop-duration.ts';
import type { Piece } from './evidence/work.ts';
import { endedAt } from './evidence/work.ts';
import type { Base } from './expired-stop.ts';
import { busyStop } from './expired-stop.ts';
import { found, statusesInWords } from './finding.ts';

/** `at once` of the contract, ms: what a process may take to leave, as much as the fixed floor of light-fabric. */
const AT_ONCE_MS = 250;
/** A second signal that must shorten a stop ends it within this, ms, or within the floor where that is longer. */
const SOON_MS = 1000;

/** A stop with a second signal while admitted work was held open. */
export interface DoubleStop {
  readonly history: History;
  readonly terms: Terms;
  readonly first: Trigger;
  readonly second: Trigger;
  /** Admitted work in flight at the first signal, and what of it was open when the second was sent. */
  readonly work: readonly Piece[];
  readonly open: readonly Piece[];
  readonly policy: SecondSignalPolicy;
  /** From the first signal to the second, as it was achieved. */
  readonly apart: Measurement;
  /** `SIGINT 103 ms after SIGTERM`. */
  readonly what: string;
  readonly base: Base;
}

/** What a second signal of this name must do. */
export function policyOf(signal: string, terms: Terms): SecondSignalPolicy {
  return signal === 'INT' ? terms.secondInt : terms.secondTerm;
}

/** By when a stop that a second signal ends must be over, ms from that signal; undefined where it ends nothing. */
export function limitOf(policy: SecondSignalPolicy, terms: Terms): number | undefined {
  if (policy === 'collapses') return terms.floorMs + terms.toleranceMs;
  if (policy === 'at-once') return AT_ONCE_MS + terms.toleranceMs;
  return policy === 'must-shorten' ? Math.max(SOON_MS, terms.floorMs) : undefined;
}

/** The ends that a policy accepts, in words. */
export function acceptedEnds(policy: SecondSignalPolicy, terms: Terms): readonly string[] {
  const limitMs = limitOf(policy, terms);
  const within = `PID 1 ends by itself in less than ${limitMs} ms after the second signal`;
  const follows = `PID 1 ends by itself in less than ${terms.afterWorkMs} ms after the last piece of work`;
  switch (policy) {
    case 'collapses':
      return [
        `${within} (floor + tolerance): exit ${terms.expiredStatus ?? 'of any status'} if work was cut, else as a graceful stop`,
      ];
    case 'at-once':
      return [`${within} (${AT_ONCE_MS} ms + tolerance), with exit 128 + the number of that signal`];
    case 'must-shorten':
      return [`${within}, with the work that is held open cut`];
    case 'must-not-shorten':
      return ['all admitted work completes with its normal, whole answer', follows, ...statusesInWords(terms)];
    case 'never-slower':
      return [`${follows}, whether that was answered or cut, with any status but that of a SIGKILL`];
  }
}

/** The distance that a cell asks for, ms; undefined where it has no column `apart`. */
export function plannedApartMs(cell: CellValues): number | undefined {
  const [, digits] = /^(\d+)ms$/.exec(String(cell['apart'] ?? '')) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/**
 * The two signals of a cell and the work held open past the second, or the finding that says what there was not. A service
 * that had ended or had let go of its work by then shows nothing: not exercised, unless it was the harness that was late.
 */
export function doubleStop(
  history: History,
  terms: Terms,
):
  | { readonly stop: DoubleStop; readonly finding?: undefined }
  | { readonly stop?: undefined; readonly finding: Finding } {
  const accepted = acceptedEnds(policyOf(plannedSecond(history.header.cell.values, terms), terms), terms);
  const busy = busyStop(history, accepted);
  if (busy.finding) return { finding: busy.finding };
  const [first, second] = deliveredSignals(history);
  if (!first || !second) return { finding: withoutSecond(history, terms, busy.trigger, busy.base) };
  const policy = policyOf(second.signal, terms);
  const apart = spacing(first, second);
  const what = `SIG${second.signal} ${ms(apart.valueMs)} after SIG${first.signal}`;
  const base = { accepted: acceptedEnds(policy, terms), evidence: [...busy.base.evidence, second.seq] };
  const open = busy.work.filter((piece) => (endedAt(piece) ?? Number.POSITIVE_INFINITY) > second.interval.begin);
  const stop: DoubleStop = { history, terms, first, second, work: busy.work, open, policy, apart, what, base };
  return open.length > 0 ? { stop } : { finding: nothingOpen(stop) };
}

/** The signal that a cell sends second, by its columns; without any it is the preset's own again. */
function plannedSecond(cell: CellValues, terms: Terms): string {
  const name = String(cell['second'] ?? cell['signal'] ?? 'primary');
  return name === 'primary' ? terms.primarySignal : name;
}

/** The engine had each of them somewhere between call and answer (rule 3). */
function spacing(first: Trigger, second: Trigger): Measurement {
  return {
    by: 'host',
    valueMs: toMs(second.interval.end - first.interval.end),
    lowMs: Math.max(0, toMs(second.interval.begin - first.interval.end)),
    highMs: toMs(second.interval.end - first.interval.begin),
  };
}

function withoutSecond(history: History, terms: Terms, first: Trigger, base: Base): Finding {
  const refused = ofKind(history, 'signal.failed').find((o) => o.purpose === 'script' && !o.ended);
  if (refused) {
    const seen = `the trigger never happened: SIG${refused.signal} could not be delivered (${refused.message})`;
    return found.inconclusive(seen, { ...base, evidence: [...base.evidence, refused.seq] });
  }
  const end = processEnd(history);
  if (!end) return found.inconclusive('the trigger never happened: no second signal was delivered', base);
  const details = { ...base, evidence: [...base.evidence, ...end.evidence] };
  const livedMs = toMs(end.interval.begin - first.interval.end);
  // sent late in the grace it is looked for until then: an end by the grace shows that the harness was later
  const dueMs = plannedApartMs(history.header.cell.values) ?? (terms.graceMs === null ? null : terms.graceMs / 2);
  const seen = `it had ended ${ms(Math.max(0, livedMs))} after SIG${first.signal}, before the second signal`;
  // one that was sent, and found nobody, tells itself whether it was late
  const sent = ofKind(history, 'signal.sent').filter((o) => o.purpose === 'script')[1];
  const waitedMs = sent ? toMs((sent.begin ?? sent.t) - first.interval.end) : livedMs;
  if (dueMs !== null && waitedMs > dueMs) {
    return found.inconclusive(`${seen}, which was sent late`, { ...details, timing: true });
  }
  return found.notExercised(`nothing was held open past a second signal: ${seen}`, details);
}

function nothingOpen({ terms, first, second, work, base }: DoubleStop): Finding {
  const [piece] = work;
  const at = piece && endedAt(piece);
  const how =
    piece && at !== undefined
      ? `: ${piece.held.id} was ${piece.ended?.fate} ${ms(toMs(at - first.interval.end))} after the first`
      : '';
  const seen = `nothing was held open past the second signal${how}`;
  const expired = terms.graceMs !== null && second.interval.begin >= first.interval.begin + toNs(terms.graceMs);
  return expired
    ? found.inconclusive(`${seen}; the harness was late, the grace had run out`, { ...base, timing: true })
    : found.notExercised(seen, base);
}
