import type { Clause, Finding, Terms } from '../model/clause.ts';
import type { CellValues } from '../model/plan.ts';
import { deliveredSignals, endingOf, toMs, toNs } from './evidence/queries.ts';
import { processEnd } from './evidence/process-end.ts';
import { ms } from './evidence/stop-duration.ts';
import { hardDeadlineMs, notItself, withoutGrace } from './expired-stop.ts';
import { found } from './finding.ts';
import { endsAsPolicySays } from './second-end.ts';
import type { DoubleStop } from './second-signal.ts';
import { doubleStop, plannedApartMs } from './second-signal.ts';
import { secondUnsaid } from './signals-said.ts';
import { timed } from './stop-check.ts';

/** The distances of SIG-6, ms. */
const STEPS = [10, 20, 50, 100, 500] as const;
/** Those that are tried where no grace is declared: a container each. */
const FEW_STEPS: readonly number[] = [20, 100, 500];
/** Those that are tried in the other orders of signals; what is between is looked at where the outcome changes. */
const WIDE_STEPS: readonly number[] = [10, 100, 500];
/** The distance at which kinds of signals are compared, ms. */
const USUAL_MS = 100;
/** Below this two signals are close: no engine sends them so (engines.md section 2), ms. */
const CLOSE_MS = 10;
/** So many are a storm; fewer are one only where the service ended while it lasted. */
const STORM = 10;
const STORM_MS = 1000;

const explain = {
  measured:
    'Admitted work is held open past two signals that the engine delivered; from the second signal, or from the end of the work, to the end of PID 1, and its exit status.',
  breaks:
    'A handler that runs the whole stop again or starts its timer anew; one that is installed once and leaves the second signal to the default action; a second signal that waits for the lock that the first one holds.',
  remedy:
    'Let the first signal start the one stop there is, and give the second one just one meaning: nothing, or the end of the drain under the deadline that is already running.',
};

const isGraceful = (signal: string, terms: Terms): boolean => terms.gracefulSignals.includes(signal);

/** Two equal signals, or two kinds of them, in the orders that the preset knows, the usual distance apart. */
function isOfKinds(cell: CellValues, terms: Terms): boolean {
  const { first, second, signal } = cell;
  if (plannedApartMs(cell) !== USUAL_MS) return false;
  if (first === undefined || second === undefined) return isEqualKind(signal, terms);
  // INT beside a stop signal that is INT too is one of the equal ones
  if (first === second || terms.primarySignal === 'INT') return false;
  const kinds = [first, second];
  if (kinds.includes('HUP')) return isGraceful('HUP', terms) && (kinds.includes('primary') || isGraceful('INT', terms));
  return first === 'primary' || isGraceful('INT', terms);
}

function isEqualKind(signal: CellValues[string] | undefined, terms: Terms): boolean {
  return signal === terms.primarySignal || ((signal === 'INT' || signal === 'HUP') && isGraceful(signal, terms));
}

/**
 * The primary signal twice at every distance, without a grace at a few; with one TERM and INT in the other orders at the
 * widest. A distance that none of them names was put in between, where the outcome changes.
 */
function isAtDistance(cell: CellValues, terms: Terms): boolean {
  const { first, second, signal } = cell;
  const apart = plannedApartMs(cell);
  if (apart === undefined) return false;
  const named = STEPS.some((step) => step === apart);
  if (signal !== undefined && signal === terms.primarySignal) {
    return !named || terms.graceMs !== null || FEW_STEPS.includes(apart);
  }
  if (terms.graceMs === null || !isGraceful('INT', terms) || (named && !WIDE_STEPS.includes(apart))) return false;
  if (first === undefined || second === undefined) return signal === 'INT';
  return first !== second && ![first, second].includes('HUP') && terms.primarySignal !== 'INT';
}

/** SIG-5: the policies of the terms, for each kind of second signal. */
export const sig5: Clause = {
  id: 'SIG-5',
  title: 'a second signal ends the stop as the preset says',
  requirement: 'a second signal, same or other kind, ends the stop as the preset says',
  levels: { 'light-fabric': 'M', 'openab-cp': 'M', baseline: 'M' },
  needs: ['http', 'direct'],
  appliesTo: isOfKinds,
  check: (history, terms) => {
    const { stop, finding } = doubleStop(history, terms);
    return finding ?? endsAsPolicySays(stop);
  },
  explain,
};

/** SIG-6: a sample speaks for its own distance only as far as that was achieved; a failure is one at any distance. */
export const sig6: Clause = {
  id: 'SIG-6',
  title: 'the second signal is seen at any distance from the first',
  requirement:
    'the second signal is seen at any distance from the first: 10, 20, 50, 100, 500 ms, judged by the spacing achieved',
  levels: { 'light-fabric': 'M', 'openab-cp': 'M', baseline: 'S' },
  needs: ['http', 'direct'],
  appliesTo: isAtDistance,
  check: (history, terms) => {
    const { stop, finding } = doubleStop(history, terms);
    if (finding) return finding;
    const ended = endsAsPolicySays(stop);
    const judged = ended.outcome === 'pass' ? (secondUnsaid(stop) ?? tooFarApart(stop) ?? ended) : ended;
    const { lowMs, highMs } = stop.apart;
    // what is compared along the sweep is how the stop ended: whether a signal must be said too depends on its distance
    const shows = ended.outcome === 'pass' ? 'passes' : ended.outcome === 'fail' ? 'fails' : undefined;
    return { ...judged, swept: { lowMs, highMs, ...(shows && { shows }) } };
  },
  explain: {
    ...explain,
    measured: `${explain.measured} The distance is what the engine's answers say, between its call and its answer. A second signal of another kind, 10 ms or more after the first, must be said in the log where the pattern \`secondSignal\` is declared. Where one distance passes and the next one fails, more are tried in between.`,
  },
};

/** SIG-6-close: closer than any engine sends two, the kernel may hand over the later one first. Recorded, never judged. */
export const sig6Close: Clause = {
  id: 'SIG-6-close',
  title: 'two different signals within 10 ms end the stop as two do',
  requirement:
    'the second signal is seen at any distance from the first; below 10 ms (host kill of two different signals, local only): r, order not judged',
  levels: { 'light-fabric': 'r', 'openab-cp': 'r', baseline: '-' },
  needs: ['http', 'direct'],
  check: (history, terms) => {
    const { stop, finding } = doubleStop(history, terms);
    if (finding) return finding;
    const { first, second, apart, what, base } = stop;
    const inOrder = endsAsPolicySays(stop);
    const turned = endsAsPolicySays({ ...stop, first: second, second: { ...second, signal: first.signal } });
    const ended = [inOrder, turned].find(({ outcome }) => outcome === 'pass') ?? inOrder;
    // a failure is one at any distance
    if (ended.outcome !== 'pass' || apart.lowMs < CLOSE_MS) return ended;
    return found.inconclusive(`${what}: not within ${CLOSE_MS} ms`, { ...base, timing: true });
  },
  explain: {
    ...explain,
    measured: `${explain.measured} Both signals are sent by this host's own kill, within about a millisecond of each other; the status may be that of either.`,
  },
};

/** SIG-7: the deadline is the first one's; which status, is the business of SIG-5. */
export const sig7: Clause = {
  id: 'SIG-7',
  title: 'a second signal never extends the stop',
  requirement: 'a second signal never extends: sent late, the first hard deadline stands',
  levels: { 'light-fabric': 'M', 'openab-cp': 'M', baseline: '-' },
  needs: ['http', 'direct'],
  check: (history, terms) => {
    const limitMs = hardDeadlineMs(terms);
    const accepted = [`ends by itself in less than ${limitMs} ms after the first signal (grace + floor + tolerance)`];
    const unset = withoutGrace(terms, accepted);
    if (unset) return unset;
    const { stop, finding } = doubleStop(history, terms);
    if (finding) return { ...finding, accepted };
    const ending = endingOf(history);
    const base = { accepted, evidence: [...stop.base.evidence, ...ending.evidence] };
    if (ending.how !== 'itself') return notItself(ending, `, ${stop.what},`, base, limitMs);
    const late = stop.second.interval.end >= stop.first.interval.begin + toNs(terms.graceMs ?? 0);
    if (late) return found.inconclusive(`${stop.what}: the grace may have run out by then`, { ...base, timing: true });
    return timed(history, limitMs, `${stop.what}: exit ${ending.exitCode}`, base);
  },
  explain: {
    ...explain,
    measured:
      'Work is held past the grace and a second signal is sent shortly before that runs out; the end of PID 1 is counted from the first signal.',
  },
};

/** SIG-9: the first two of a storm decide what the others may no longer change. */
export const sig9: Clause = {
  id: 'SIG-9',
  title: 'a storm of signals ends as two do',
  requirement: 'a storm of signals (100) ends as two do',
  levels: { 'light-fabric': 'S', 'openab-cp': 'S', baseline: 'S' },
  needs: ['http', 'direct'],
  check: (history, terms) => {
    const { stop, finding } = doubleStop(history, terms);
    if (finding) return finding;
    const signals = deliveredSignals(history);
    const last = signals.at(-1) ?? stop.second;
    const tookMs = toMs(last.interval.end - stop.first.interval.begin);
    const count = `${signals.length} signals in ${ms(tookMs)}`;
    const ended = endsAsPolicySays(stop);
    const seen = `${count}; ${ended.seen}`;
    const end = processEnd(history)?.interval.begin ?? Number.POSITIVE_INFINITY;
    const endedInIt = end < stop.first.interval.begin + toNs(STORM_MS);
    if (ended.outcome !== 'pass' || endedInIt || signals.length >= STORM) return { ...ended, seen };
    return found.inconclusive(`only ${seen}`, { ...stop.base, timing: true });
  },
  explain: {
    ...explain,
    measured:
      'As many of 100 signals as the engine delivers one after another in a second, with admitted work held open; judged from the second one on.',
  },
};

/**
 * The finding of a good end that says nothing of the distance it was planned for: not exercised where the engine takes longer
 * for a signal than that, since another cell speaks for what was achieved; else the harness was late.
 */
function tooFarApart({ history, second, apart, what, base }: DoubleStop): Finding | undefined {
  const planned = plannedApartMs(history.header.cell.values) ?? 0;
  const next = STEPS.find((step) => step > planned) ?? 2 * planned;
  if (apart.valueMs <= next) return undefined;
  const callMs = toMs(second.interval.end - second.interval.begin);
  const seen = `${what}, not ${planned} ms`;
  return callMs > next
    ? found.notExercised(`${seen}: the engine took ${ms(callMs)} to deliver it`, base)
    : found.inconclusive(`${seen}: the harness was late`, { ...base, timing: true });
}
