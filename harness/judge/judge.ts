import { clauseById, clauses, isRequired } from '../contract/index.ts';
import { emulationOf } from '../contract/evidence/emulation.ts';
import { ofKind } from '../contract/evidence/queries.ts';
import type { Clause, Finding } from '../model/clause.ts';
import type { History } from '../model/history.ts';
import type { CellRef, Plan, PlannedTarget } from '../model/plan.ts';
import type { EngineHealth, Fault, ReportedTarget } from '../model/report.ts';
import type { CellFinding, Verdict } from '../model/verdict.ts';
import { delayShape } from './delay-shape.ts';
import { withDisturbances } from './disturbed.ts';
import { healthOf } from './health.ts';
import { judgeHistory } from './judge-history.ts';
import { decisive, decisiveSample } from './merge.ts';
import { seenFrom } from './seen-from.ts';
import { startUpSummary } from './startup-summary.ts';
import { stopsCompared } from './stops-compared.ts';
import { sweepSummaries } from './sweeps.ts';
import { applyWaiver } from './waivers.ts';
import { windowSummaries } from './window-summary.ts';

export { judgeHistory, retryable } from './judge-history.ts';

/** A judged run: everything of a report but the texts around it. */
export interface JudgedRun {
  readonly targets: readonly Omit<ReportedTarget, 'logs'>[];
  readonly health: readonly EngineHealth[];
  /** Faults on record, engines that failed their self-test, and gaps: planned clauses without a verdict of their own. */
  readonly faults: readonly Fault[];
}

/** Findings of one planned cell: those of each sample in order, by clause. */
type Samples = ReadonlyMap<string, readonly CellFinding[]>;

/**
 * Judges a run: plan x histories -> one verdict a clause for each planned target. The histories are those of the run
 * directory in any order, samples and instrument cells included; they are matched to the plan by their cell. A planned
 * clause without a finding is inconclusive and a gap. On an engine that failed its self-test nothing is judged.
 */
export function judgeRun(plan: Plan, histories: readonly History[]): JudgedRun {
  const engines = [...new Set(plan.targets.map((target) => target.engine))];
  const instrument = histories.filter((h) => plan.instrument.some((cell) => keyOf(cell) === keyOf(h.header.cell)));
  const health = engines.map((engine) => healthOf(engine, instrument));
  const grouped = Map.groupBy(histories, (h) => keyOf(h.header.cell));
  const judged = plan.targets.map((target) => {
    const of = health.find((entry) => entry.engine === target.engine);
    const { target: reported, gaps } = judgeTarget(target, grouped, of);
    const about = plan.engines.find(({ name }) => name === target.engine);
    const emulation = about && emulationOf(about, target.facts);
    return { target: emulation === undefined ? reported : { ...reported, emulation }, gaps };
  });
  const faults = [
    ...health.filter((entry) => !entry.selfTest.ok).map(selfTestFault),
    ...uniqueFaults(histories),
    ...judged.flatMap((entry) => entry.gaps),
  ];
  return { targets: judged.map((entry) => entry.target), health, faults };
}

function judgeTarget(
  target: PlannedTarget,
  grouped: ReadonlyMap<string, readonly History[]>,
  health: EngineHealth | undefined,
): { readonly target: Omit<ReportedTarget, 'logs'>; readonly gaps: readonly Fault[] } {
  const distrusted = health?.selfTest.ok === false ? health.selfTest.seen : undefined;
  const samples = (cell: CellRef): Samples => samplesOf(grouped.get(keyOf(cell)) ?? [], health?.control);
  const cells = target.cells.map((cell) => ({ cell, samples: samples(cell) }));
  const gaps = cells.flatMap(({ cell, samples }) =>
    applicable(cell, target)
      .filter((id) => !samples.has(id))
      .map((id): Fault => gapFault(cell, id)),
  );
  const verdicts = plannedClauses(target).map((id) => verdictOf(id, target, cells, distrusted));
  const { engine, facts, basis } = target;
  const trusted = distrusted === undefined ? target.cells.flatMap((cell) => grouped.get(keyOf(cell)) ?? []) : [];
  const shown = shownBeside(trusted);
  const { name: image, ready, tls } = target.target;
  const access = tls && { tls: { port: tls.port, verified: tls.ca !== undefined } };
  const { discovery, assumed, server } = target;
  const looked = { ...(discovery && { discovery }), ...(assumed && { assumed }), ...(server && { server }) };
  return { target: { engine, image, facts, ready, basis, ...looked, verdicts, ...access, ...shown }, gaps };
}

/** What reports show of the histories beside the verdicts; it decides nothing. */
function shownBeside(
  histories: readonly History[],
): Pick<ReportedTarget, 'delay' | 'windows' | 'stops' | 'startUp' | 'sweeps' | 'seenFrom'> {
  const delay = delayShape(histories);
  const windows = windowSummaries(histories);
  const stops = stopsCompared(histories);
  const startUp = startUpSummary(histories);
  const sweeps = sweepSummaries(histories);
  const from = seenFrom(histories);
  return {
    ...(delay && { delay }),
    ...(windows && { windows }),
    ...(stops && { stops }),
    ...(startUp && { startUp }),
    ...(sweeps && { sweeps }),
    ...(from && { seenFrom: from }),
  };
}

function verdictOf(
  id: string,
  target: PlannedTarget,
  cells: readonly { readonly cell: CellRef; readonly samples: Samples }[],
  distrusted: string | undefined,
): Verdict {
  const { basis } = target;
  const clause = clauseById(id);
  const own = cells.filter(({ cell }) => applicable(cell, target).includes(id));
  const found = own.map(({ cell, samples }) =>
    (samples.get(id) ?? [noHistory(cell)]).map((f) => distrust(f, distrusted)),
  );
  const decided = decisive(found.flatMap((samples) => decisiveSample(samples) ?? [])) ?? unexercised(id, target);
  const all = found.flat();
  const level = levelOf(id, target);
  return {
    engine: target.engine,
    image: target.target.name,
    clause: id,
    title: clause?.title ?? id,
    requirement: clause?.requirement ?? 'not known to this version',
    level,
    required: isRequired(id, level, basis.required),
    ...applyWaiver(id, decided, basis),
    accepted: decided.accepted,
    findings: all,
    failing: all.filter((finding) => finding.outcome === 'fail').length,
    samples: all.length,
    ...(decided.declare !== undefined && { declare: decided.declare }),
  };
}

/** Clauses that a target must have a verdict on, in the order of the contract; unknown ones last. */
function plannedClauses(target: PlannedTarget): readonly string[] {
  const planned = new Set([
    ...target.cells.flatMap((cell) => cell.clauses),
    ...target.unexercised.map((u) => u.clause),
  ]);
  const known = clauses.map((clause) => clause.id).filter((id) => planned.has(id));
  const unknown = [...planned].filter((id) => !known.includes(id));
  return [...known, ...unknown].filter((id) => levelOf(id, target) !== '-');
}

function levelOf(id: string, target: PlannedTarget): Verdict['level'] {
  return target.basis.levels[id] ?? clauseById(id)?.levels[target.basis.preset] ?? 'M';
}

/** Clauses of a planned cell that can speak about it, as judgeHistory sees it. */
function applicable(cell: CellRef, target: PlannedTarget): readonly string[] {
  const speaks = (clause: Clause | undefined): boolean => clause?.appliesTo?.(cell.values, target.basis.terms) ?? true;
  return cell.clauses.filter((id) => speaks(clauseById(id)) && levelOf(id, target) !== '-');
}

function samplesOf(histories: readonly History[], control: EngineHealth['control']): Samples {
  const inOrder = histories.toSorted((a, b) => a.header.cell.sample - b.header.cell.sample);
  const findings = inOrder.flatMap((history) => {
    const { cell, path, lane } = history.header.cell;
    return judgeHistory(history).map(({ clause, finding }) => ({
      clause,
      finding: withDisturbances({ ...finding, cell, history: path, lane }, history, control),
    }));
  });
  return new Map(
    [...Map.groupBy(findings, (entry) => entry.clause)].map(([id, list]) => [id, list.map((entry) => entry.finding)]),
  );
}

function distrust(finding: CellFinding, why: string | undefined): CellFinding {
  if (why === undefined) return finding;
  const { timing: _, ...rest } = finding;
  return { ...rest, outcome: 'inconclusive', seen: `nothing is judged on this engine, its self-test failed: ${why}` };
}

function noHistory(cell: CellRef): CellFinding {
  const seen = `no history of ${cell.scenario} (${cell.cell})`;
  const place = { cell: cell.cell, history: cell.path, lane: cell.lane };
  return { outcome: 'inconclusive', seen, accepted: [], evidence: [], ...place };
}

function unexercised(id: string, target: PlannedTarget): Finding {
  const planned = target.unexercised.find((entry) => entry.clause === id);
  const seen = planned?.reason ?? 'no cell of this run can speak about it';
  const base = { outcome: 'not exercised', seen, accepted: [], evidence: [] } as const;
  return planned && planned.declare !== '' ? { ...base, declare: planned.declare } : base;
}

function keyOf(cell: CellRef): string {
  return JSON.stringify([cell.engine, cell.image, cell.scenario, cell.cell, cell.repeat]);
}

function gapFault(cell: CellRef, clause: string): Fault {
  const message = `${clause} was planned for ${cell.image}, ${cell.scenario} (${cell.cell}), and has no verdict of its own`;
  return { where: 'harness', engine: cell.engine, message, history: cell.path };
}

function selfTestFault(entry: EngineHealth): Fault {
  const message = `the self-test failed, nothing was judged on it: ${entry.selfTest.seen}`;
  return { where: 'engine', engine: entry.engine, message };
}

function uniqueFaults(histories: readonly History[]): readonly Fault[] {
  const all = histories.flatMap((history) => {
    const { engine, path } = history.header.cell;
    return ofKind(history, 'fault').map((o): Fault => ({ where: o.where, engine, message: o.message, history: path }));
  });
  return [...new Map(all.map((fault) => [JSON.stringify([fault.where, fault.engine, fault.message]), fault])).values()];
}
