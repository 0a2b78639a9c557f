import { clauseById } from '../contract/index.ts';
import { termsFor } from '../contract/evidence/accepted-status.ts';
import { firstInterference, ofKind, triggerOf } from '../contract/evidence/queries.ts';
import { piecesOf } from '../contract/evidence/work.ts';
import type { Capability, Clause, Finding } from '../model/clause.ts';
import type { History } from '../model/history.ts';
import type { ObservationKind, ObservationOf } from '../model/observation.ts';
import { withEmulation } from './emulated.ts';

/** What one clause says about one history. */
export interface JudgedClause {
  readonly clause: string;
  readonly finding: Finding;
}

/**
 * Every clause of the history's cell that can speak about it. Pure; never throws: a check that throws is inconclusive
 * with the error. The rules that hold for all clauses are applied here, once: missing capabilities, faults, a history
 * without its end mark, and an image that was emulated. `lookUp` is for tests.
 */
export function judgeHistory(
  history: History,
  lookUp: (id: string) => Clause | undefined = clauseById,
): readonly JudgedClause[] {
  const { cell, basis } = history.header;
  return cell.clauses.flatMap((id) => {
    const clause = lookUp(id);
    if (!clause) return [{ clause: id, finding: unknownClause(id) }];
    if (clause.appliesTo && !clause.appliesTo(cell.values, basis.terms)) return [];
    return [{ clause: id, finding: judgeClause(history, clause) }];
  });
}

/** Clauses of a history that are inconclusive by timing alone: the only thing a run repeats, alone (rule 4). */
export function retryable(history: History): readonly string[] {
  return judgeHistory(history)
    .filter(
      ({ clause, finding }) => finding.outcome === 'inconclusive' && finding.timing === true && counts(history, clause),
    )
    .map(({ clause }) => clause);
}

function counts(history: History, clause: string): boolean {
  const { levels, required } = history.header.basis;
  const level = levels[clause];
  return level === 'M' || level === 'S' || required.includes(clause);
}

function judgeClause(history: History, clause: Clause): Finding {
  const missing = ofKind(history, 'capability.missing');
  const needed = missing.find((o) => clause.needs.includes(o.capability as Capability) && !isOfOneLoad(history, o));
  const finding = needed ? lacking(needed) : checkSafely(history, clause);
  const lacks = finding.outcome === 'not exercised' && isForWant(history, finding);
  if (lacks) return endedUnderLoad(history, finding) ?? finding;
  // a script that ended for want of something, with nothing done yet, leaves the other clauses nothing to speak about
  const stopped = history.complete && !wasTouched(history) ? missing[0] : undefined;
  if (stopped && finding.outcome === 'inconclusive') return lacking(stopped);
  return withEmulation(history, withCompleteness(history, withFaults(history, finding)));
}

/**
 * Whether something was done to the service, or it ended by itself: a missing load is then not what left the other clauses
 * without their trigger, since the script went on without it.
 */
function wasTouched(history: History): boolean {
  if (triggerOf(history) !== undefined || firstInterference(history) !== undefined) return true;
  return ofKind(history, 'exit.seen').length > 0 || ofKind(history, 'ready.failed').length > 0;
}

/** Recorded by a load that could not be held: where another was, the check itself knows what there is to speak about. */
const OF_LOADS = ['http', 'tcp', 'tls', 'http2', 'stream', 'websocket', 'held work'];

function isOfOneLoad(history: History, { capability }: ObservationOf<'capability.missing'>): boolean {
  return OF_LOADS.includes(capability) && piecesOf(history).length > 0;
}

/** Whether a finding rests on something that the service was seen not to do, which nothing later changes. */
function isForWant(history: History, { evidence }: Finding): boolean {
  const kinds: readonly ObservationKind[] = ['work.failed', 'capability.missing', 'probe.failed'];
  return history.observations.some(({ kind, seq }) => kinds.includes(kind) && evidence.includes(seq));
}

/**
 * A finding that nothing could be held or probed, of a service that had ended by itself by then: it is not known what it
 * cannot do, and the other cells must not hide that it ended.
 */
function endedUnderLoad(history: History, finding: Finding): Finding | undefined {
  const over = ofKind(history, 'exit.seen')[0];
  const touched = triggerOf(history) !== undefined || firstInterference(history) !== undefined;
  if (!over || touched || ofKind(history, 'ready.failed').length > 0) return undefined;
  const seen = `the service had ended by itself before anything was sent (${finding.seen})`;
  const { declare: _, ...rest } = finding;
  return { ...rest, outcome: 'inconclusive', seen, evidence: [...finding.evidence, over.seq] };
}

function lacking(missing: ObservationOf<'capability.missing'>): Finding {
  const what = missing.capability === 'direct' ? 'a way to the container' : missing.capability;
  const seen = `needs ${what}: ${missing.reason}`;
  return { outcome: 'not exercised', seen, accepted: [], evidence: [missing.seq], declare: missing.declare };
}

function checkSafely(history: History, clause: Clause): Finding {
  try {
    return clause.check(history, termsFor(history));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const seen = `the check of ${clause.id} broke: ${message}`;
    return { outcome: 'inconclusive', seen, accepted: [], evidence: [] };
  }
}

/** Evidence about the end, which an engine that breaks can forge: a dead daemon leaves 137 and 255 behind. */
const ABOUT_THE_END: readonly ObservationKind[] = ['exit.seen', 'exit.state', 'log.complete', 'process.exit'];

/** With a fault on record nothing passes, and only what was established before it, without the end, still fails. */
function withFaults(history: History, finding: Finding): Finding {
  const fault = ofKind(history, 'fault')[0];
  if (!fault || finding.outcome === 'not exercised') return finding;
  const evidence = history.observations.filter((o) => finding.evidence.includes(o.seq));
  const untouched = evidence.every((o) => o.t < fault.t && !ABOUT_THE_END.includes(o.kind));
  if (finding.outcome === 'fail' && untouched) return finding;
  const seen = `${fault.where} fault: ${fault.message} (without it: ${finding.outcome}, ${finding.seen})`;
  return withoutTiming({ ...finding, outcome: 'inconclusive', seen, evidence: [...finding.evidence, fault.seq] });
}

/** A history without its end mark cannot pass but can fail (rule 5). */
function withCompleteness(history: History, finding: Finding): Finding {
  if (history.complete || finding.outcome === 'fail') return finding;
  const seen = `the history was cut short (so far: ${finding.outcome}, ${finding.seen})`;
  return withoutTiming({ ...finding, outcome: 'inconclusive', seen });
}

function withoutTiming({ timing: _, ...finding }: Finding): Finding {
  return finding;
}

function unknownClause(id: string): Finding {
  const seen = `this version knows no clause ${id}; judge with the version that planned the run`;
  return { outcome: 'inconclusive', seen, accepted: [], evidence: [] };
}
