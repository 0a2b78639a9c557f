import type { Report, ReportedTarget } from '../model/report.ts';
import type { Verdict } from '../model/verdict.ts';
import type { Case, CaseOutcome } from './junit-case.ts';
import { instrumentCases } from './junit-instrument.ts';
import type { Property } from './junit-properties.ts';
import { targetProperties } from './junit-properties.ts';
import type { Renderer } from './renderer.ts';
import {
  decidingFinding,
  evidenceOf,
  formatDisturbed,
  formatLevel,
  formatMeasurement,
  formatSamples,
  oneLine,
} from './wording.ts';
import type { Element } from './xml.ts';
import { xmlDocument } from './xml.ts';

/**
 * How CI must see a verdict. The document is red exactly when the exit code is not 0: fail is a failure and inconclusive
 * an error, but a SHOULD clause only where it decided the exit code (`--strict`; inconclusive: whenever the exit code is
 * not 0), and a clause that is only recorded never. Those are skipped cases whose message says so.
 */
export function caseOutcome(verdict: Verdict, report: Report): { outcome: CaseOutcome; message?: string } {
  const seen = oneLine(verdict.seen);
  switch (verdict.outcome) {
    case 'pass':
      return { outcome: 'passed' };
    case 'waived':
      return { outcome: 'skipped', message: waiverText(verdict) };
    case 'not exercised':
      return { outcome: 'skipped', message: `not exercised: ${seen}${declareText(verdict)}` };
    case 'fail':
      if (verdict.level === 'M' || (verdict.level === 'S' && report.strict)) {
        return { outcome: 'failure', message: oneLine(verdict.requirement) };
      }
      return { outcome: 'skipped', message: `${softPrefix(verdict)} failure: ${oneLine(verdict.requirement)}` };
    case 'inconclusive':
      if (verdict.level === 'M' || (verdict.level === 'S' && report.summary.exitCode !== 0)) {
        return { outcome: 'error', message: `inconclusive: ${seen}` };
      }
      return { outcome: 'skipped', message: `${softPrefix(verdict)} inconclusive: ${seen}` };
  }
}

function softPrefix(verdict: Verdict): string {
  return verdict.level === 'S' ? 'should-level' : 'recorded, not judged:';
}

function declareText(verdict: Verdict): string {
  return verdict.declare === undefined ? '' : `; declare: ${oneLine(verdict.declare)}`;
}

function waiverText(verdict: Verdict): string {
  if (verdict.waiver === undefined) return 'waived';
  const { reason, expires, would } = verdict.waiver;
  return `waived until ${expires}: ${oneLine(reason)} (would be: ${would})`;
}

/** Requirement, accepted, seen and evidence: what a reader of CI needs without opening the run directory. */
function detail(verdict: Verdict): string {
  const deciding = decidingFinding(verdict);
  const lines = [
    `clause: ${verdict.clause} (${formatLevel(verdict.level)})`,
    `requirement: ${oneLine(verdict.requirement)}`,
  ];
  for (const accepted of verdict.accepted) lines.push(`accepted: ${oneLine(accepted)}`);
  lines.push(`seen: ${oneLine(verdict.seen)}`);
  if (deciding?.measured) lines.push(`measured: ${formatMeasurement(deciding.measured)}`);
  if (deciding?.limitMs !== undefined) lines.push(`limit: ${deciding.limitMs} ms`);
  const disturbed = formatDisturbed(verdict);
  if (disturbed !== undefined) lines.push(`disturbed: ${oneLine(disturbed)}`);
  const samples = formatSamples(verdict);
  if (samples !== undefined) lines.push(`samples: ${samples}`);
  if (verdict.waiver?.expired)
    lines.push(`waiver expired on ${verdict.waiver.expires}: ${oneLine(verdict.waiver.reason)}`);
  for (const evidence of evidenceOf(verdict)) lines.push(`evidence: ${evidence}`);
  return lines.join('\n');
}

function verdictCase(verdict: Verdict, target: ReportedTarget, classname: string, report: Report): Case {
  const { outcome, message } = caseOutcome(verdict, report);
  const deciding = decidingFinding(verdict);
  const log = deciding === undefined ? undefined : target.logs[deciding.history];
  const text = detail(verdict);
  const output = outcome === 'passed' || outcome === 'skipped' ? text : log && `log of ${deciding?.history}:\n${log}`;
  return {
    classname,
    name: `${verdict.clause} ${oneLine(verdict.title)}`,
    outcome,
    ...(message !== undefined && { message }),
    ...((outcome === 'failure' || outcome === 'error') && { body: text }),
    ...(deciding?.measured && { seconds: deciding.measured.valueMs / 1000 }),
    ...(output !== undefined && { output }),
  };
}

/** A name as one part of a dotted class name: Jenkins splits package and class at dots. */
function part(text: string): string {
  return text.replace(/[^A-Za-z0-9_:@/-]+/g, '_');
}

/** Gives the first user of a name that name, and later ones `name (2)`, `name (3)`…. */
function uniqueNames(): (name: string) => string {
  const taken = new Set<string>();
  return (name) => {
    let unique = name;
    for (let n = 2; taken.has(unique); n++) unique = `${name} (${n})`;
    taken.add(unique);
    return unique;
  };
}

function caseElement(item: Case): Element {
  const { outcome, message, body } = item;
  const children: Element[] = [];
  if (outcome !== 'passed') {
    const type = outcome === 'skipped' ? undefined : outcome;
    children.push({ name: outcome, attributes: { type, message }, ...(body !== undefined && { children: [body] }) });
  }
  if (item.output !== undefined) children.push({ name: 'system-out', children: [item.output] });
  return {
    name: 'testcase',
    attributes: { classname: item.classname, name: item.name, time: (item.seconds ?? 0).toFixed(3) },
    children,
  };
}

function suiteElement(
  name: string,
  cases: readonly Case[],
  report: Report,
  properties: readonly Property[],
  output?: string,
): Element {
  const count = (outcome: CaseOutcome): number => cases.filter((item) => item.outcome === outcome).length;
  const children: Element[] = [
    {
      name: 'properties',
      children: properties.map(({ name, value }) => ({ name: 'property', attributes: { name, value } })),
    },
    ...cases.map(caseElement),
  ];
  if (output !== undefined && output !== '') children.push({ name: 'system-out', children: [output] });
  const attributes = {
    name,
    tests: cases.length,
    failures: count('failure'),
    errors: count('error'),
    skipped: count('skipped'),
    time: cases.reduce((sum, item) => sum + (item.seconds ?? 0), 0).toFixed(3),
    timestamp: report.startedAt,
  };
  return { name: 'testsuite', attributes, children };
}

/** JUnit XML as the schema of the Jenkins xUnit plugin (junit-10.xsd) wants it: properties stand in suites only. */
export function renderJunit(report: Report): string {
  const classnames = uniqueNames();
  const suiteNames = uniqueNames();
  const judged = report.targets.map((target) => {
    const classname = classnames(`lf-qualify.${part(target.engine)}.${part(target.image)}`);
    const caseNames = uniqueNames();
    const cases = target.verdicts
      .map((verdict) => verdictCase(verdict, target, classname, report))
      .map((item) => ({ ...item, name: caseNames(item.name) }));
    const logs = Object.entries(target.logs).map(([history, log]) => `log of ${history}:\n${log}`);
    const name = suiteNames(`${target.image} on ${target.engine}`);
    return { name, cases, properties: targetProperties(target, report), logs: logs.join('\n\n') };
  });
  const red = judged.some(({ cases }) => cases.some(({ outcome }) => outcome === 'failure' || outcome === 'error'));
  const instrumentNames = uniqueNames();
  const instrument = instrumentCases(report, red).map((item) => ({
    ...item,
    name: instrumentNames(`${item.classname}\n${item.name}`).slice(item.classname.length + 1),
  }));
  const own: readonly Property[] = [
    { name: 'run', value: report.run },
    { name: 'harness.version', value: report.harness.version },
    { name: 'harness.node', value: report.harness.node },
    { name: 'harness.helperSha256', value: report.harness.helperSha256 ?? 'unknown' },
    { name: 'clauseSet', value: report.clauseSet },
    { name: 'directory', value: report.directory },
    { name: 'exitCode', value: String(report.summary.exitCode) },
  ];
  const all = [...judged.flatMap(({ cases }) => cases), ...instrument];
  const count = (outcome: CaseOutcome): number => all.filter((item) => item.outcome === outcome).length;
  return xmlDocument({
    name: 'testsuites',
    attributes: { name: 'lf-qualify', tests: all.length, failures: count('failure'), errors: count('error') },
    children: [
      ...judged.map(({ name, cases, properties, logs }) => suiteElement(name, cases, report, properties, logs)),
      suiteElement(suiteNames('lf-qualify'), instrument, report, own),
    ],
  });
}

export const junitRenderer: Renderer = { name: 'junit', file: 'junit.xml', render: renderJunit };
