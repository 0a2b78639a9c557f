import type { Report, ReportedTarget } from '../model/report.ts';
import type { Verdict } from '../model/verdict.ts';
import type { Colours } from './colours.ts';
import { plain } from './colours.ts';
import { clauseTable } from './console-table.ts';
import type { Renderer } from './renderer.ts';
import { terminalText } from './terminal-text.ts';
import {
  evidenceOf,
  decidingFinding,
  formatLevel,
  formatMeasurement,
  formatReady,
  formatSamples,
  termLines,
} from './wording.ts';
import { field, wrap } from './wrap.ts';

export interface ConsoleOptions {
  /** Columns of the terminal; 80 where it is none. */
  readonly width?: number;
  readonly colours?: Colours;
}

/** The report for people: table, failures, what was not exercised, the instrument, and one last line that says it all. */
export function renderConsole(report: Report, options: ConsoleOptions = {}): string {
  const width = Math.max(60, options.width ?? 80);
  const colours = options.colours ?? plain;
  const blocks = [
    header(report, width),
    ...byImage(report).map((targets) => imageBlock(targets, width, colours)),
    ...report.targets.flatMap((target) => failures(target, report, width, colours)),
    notExercised(report, width, colours),
    waived(report, width, colours),
    instrument(report, width, colours),
    report.summary.reasons.flatMap((reason) => wrap(terminalText(reason), width)),
    [lastLine(report, colours)],
  ];
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function header(report: Report, width: number): string[] {
  const { harness, run, clauseSet } = report;
  return wrap(terminalText(`lf-qualify ${harness.version} · run ${run} · clause set ${clauseSet}`), width);
}

function byImage(report: Report): ReportedTarget[][] {
  const groups = new Map<string, ReportedTarget[]>();
  for (const target of report.targets) groups.set(target.image, [...(groups.get(target.image) ?? []), target]);
  return [...groups.values()];
}

function imageBlock(targets: readonly ReportedTarget[], width: number, colours: Colours): string[] {
  const [first] = targets;
  if (first === undefined) return [];
  const { facts, basis, ready } = first;
  const terms = termLines(basis)
    .filter(({ name }) => name.endsWith('Ms') || name === 'acceptedStatuses' || name === 'primarySignal')
    .map(
      ({ name, value, origin }) => `${name.replace(/Ms$/, '')} ${value}${origin === 'preset' ? '' : ` [${origin}]`}`,
    );
  return [
    ...wrap(terminalText(first.image), width).map(colours.bold),
    ...field('digest', terminalText(facts.digest), width),
    ...field('preset', terminalText(`${basis.preset} (${basis.presetOrigin})`), width),
    ...field('ready', terminalText(formatReady(ready)), width),
    ...field('terms', terminalText(`${terms.join(', ')} (from the preset unless said)`), width),
    '',
    ...clauseTable(targets, width, colours),
  ];
}

/** Failures first, then what is inconclusive; SHOULD failures are marked as such. Clauses only recorded are left out. */
function failures(target: ReportedTarget, report: Report, width: number, colours: Colours): string[][] {
  const of = (outcome: Verdict['outcome']): Verdict[] =>
    target.verdicts.filter((verdict) => verdict.outcome === outcome && verdict.level !== 'r' && verdict.level !== '-');
  return [...of('fail'), ...of('inconclusive')].map((verdict) => {
    const deciding = decidingFinding(verdict);
    const soft = verdict.level === 'S' && verdict.outcome === 'fail' && !report.strict;
    const word = verdict.outcome === 'fail' ? (soft ? 'SHOULD FAILED' : 'FAILED') : 'INCONCLUSIVE';
    const paint = verdict.outcome === 'fail' && !soft ? colours.bad : colours.warn;
    const note = soft ? ', does not decide without --strict' : '';
    const title = `${verdict.clause} ${verdict.title} · ${target.image} on ${target.engine} · ${formatLevel(verdict.level)}${note}`;
    const samples = formatSamples(verdict);
    const lines = wrap(`${word} ${terminalText(title)}`, width);
    lines[0] = paint(word) + (lines[0] ?? '').slice(word.length);
    lines.push(...field('requirement', terminalText(verdict.requirement), width));
    for (const accepted of verdict.accepted) lines.push(...field('accepted', terminalText(accepted), width));
    lines.push(...field('seen', terminalText(verdict.seen), width));
    if (deciding?.measured) {
      const limit = deciding.limitMs === undefined ? '' : `, limit ${deciding.limitMs} ms`;
      lines.push(...field('measured', `${formatMeasurement(deciding.measured)}${limit}`, width));
    }
    if (samples !== undefined) lines.push(...field('samples', samples, width));
    if (verdict.waiver?.expired) {
      lines.push(
        ...field('waiver', terminalText(`expired on ${verdict.waiver.expires}: ${verdict.waiver.reason}`), width),
      );
    }
    for (const evidence of evidenceOf(verdict)) lines.push(...field('evidence', terminalText(evidence), width));
    return lines;
  });
}

/** One entry per reason, with the clauses and engines that share it. */
function notExercised(report: Report, width: number, colours: Colours): string[] {
  const groups = new Map<string, Set<string>>();
  for (const { verdicts } of report.targets) {
    for (const { outcome, clause, seen, declare, required } of verdicts) {
      if (outcome !== 'not exercised') continue;
      const reason = terminalText(declare === undefined ? seen : `${seen}; declare ${declare}`);
      groups.set(reason, (groups.get(reason) ?? new Set()).add(required ? `${clause} (required)` : clause));
    }
  }
  if (groups.size === 0) return [];
  const entries = [...groups].flatMap(([reason, clauses]) =>
    wrap(`${[...clauses].join(', ')}: ${reason}`, width, '  '),
  );
  return [colours.bold('not exercised'), ...entries];
}

function waived(report: Report, width: number, colours: Colours): string[] {
  const entries = report.targets.flatMap(({ engine, verdicts }) =>
    verdicts.flatMap(({ outcome, clause, waiver }) => {
      if (outcome !== 'waived' || waiver === undefined) return [];
      const text = `${clause} on ${engine} until ${waiver.expires}: ${waiver.reason} (would be ${waiver.would})`;
      return wrap(terminalText(text), width, '  ');
    }),
  );
  return entries.length === 0 ? [] : [colours.bold('waived'), ...entries];
}

/** Engines, their self-test and control, the engines that were not judged, and faults. */
function instrument(report: Report, width: number, colours: Colours): string[] {
  const lines: string[] = [];
  for (const engine of report.engines) {
    const health = report.health.find((entry) => entry.engine === engine.name);
    const parts = [`${engine.name} ${engine.version}, ${engine.rootless ? 'rootless' : 'rootful'}`];
    if (health !== undefined) {
      parts.push(`self-test ${health.selfTest.ok ? 'ok' : 'FAILED'} (${health.selfTest.seen})`);
      if (health.control) {
        const { expectedMs, measuredMs, errorMs } = health.control;
        parts.push(`control ${expectedMs} ms measured ${measuredMs.toFixed(1)} ms (error ${errorMs.toFixed(1)} ms)`);
      }
    }
    lines.push(...wrap(`engine ${terminalText(parts.join(' · '))}`, width));
  }
  for (const { engine, address, origin, failure } of report.notJudged) {
    const text = terminalText(`engine ${engine} not judged: ${address} (${origin}): ${failure ?? 'answered'}`);
    lines.push(...wrap(text, width).map(colours.warn));
  }
  for (const { where, engine, message, history } of report.faults) {
    const evidence = history === undefined ? '' : ` · ${history}`;
    const text = terminalText(`FAULT ${where}${engine === undefined ? '' : ` ${engine}`}: ${message}${evidence}`);
    lines.push(...wrap(text, width).map(colours.bad));
  }
  return lines;
}

/** `NOT QUALIFIED · MUST 12/13 exercised · 0 % inconclusive · report reports/…/`: never wrapped, always the last. */
function lastLine(report: Report, colours: Colours): string {
  const { outcome, mustExercised, mustTotal, inconclusiveRate } = report.summary;
  const paint = outcome === 'qualified' ? colours.good : outcome === 'inconclusive' ? colours.warn : colours.bad;
  const percent = Math.round(inconclusiveRate * 1000) / 10;
  const directory = terminalText(report.directory).replace(/\/*$/, '/');
  const rest = `MUST ${mustExercised}/${mustTotal} exercised · ${percent} % inconclusive · report ${directory}`;
  return `${paint(outcome.toUpperCase())} · ${rest}`;
}

export const consoleRenderer: Renderer = {
  name: 'console',
  file: 'report.txt',
  render: (report) => renderConsole(report),
};
