import { clauseById } from '../contract/index.ts';
import { ofKind, triggerOf } from '../contract/evidence/queries.ts';
import type { Clause, Finding } from '../model/clause.ts';
import type { History } from '../model/history.ts';
import type { ObservationKind, ObservationOf } from '../model/observation.ts';

/** What one clause says about one history. */
export interface JudgedClause {
  readonly clause: string;
  readonly finding: Finding;
}

/**
 * Every clause of the history's cell that can speak about it. Pure; never throws: a check that throws is inconclusive
 * with the error. The rules that hold for all clauses are applied here, once: missing capabilities, faults, and a
 * history without its end mark. `lookUp` is for tests.
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
  const needed = missing.find((o) => (clause.needs as readonly string[]).includes(o.capability));
  if (needed) return lacking(needed);
  const finding = checkSafely(history, clause);
  // a script that ended for want of something, with nothing done yet, leaves the other clauses nothing to speak about
  const stopped = history.complete && triggerOf(history) === undefined ? missing[0] : undefined;
  if (stopped && finding.outcome === 'inconclusive') return lacking(stopped);
  return withCompleteness(history, withFaults(history, finding));
}

function lacking(missing: ObservationOf<'capability.missing'>): Finding {
  const seen = `needs ${missing.capability}: ${missing.reason}`;
  return { outcome: 'not exercised', seen, accepted: [], evidence: [missing.seq], declare: missing.declare };
}

function checkSafely(history: History, clause: Clause): Finding {
  try {
    return clause.check(history, history.header.basis.terms);
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
  if (finding.outcome === 'pass') return { ...finding, outcome: 'inconclusive', seen };
  return finding.outcome === 'inconclusive' ? withoutTiming({ ...finding, seen }) : finding;
}

function withoutTiming({ timing: _, ...finding }: Finding): Finding {
  return finding;
}

function unknownClause(id: string): Finding {
  const seen = `this version knows no clause ${id}; judge with the version that planned the run`;
  return { outcome: 'inconclusive', seen, accepted: [], evidence: [] };
}
