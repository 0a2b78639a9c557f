import type { Report, ReportedTarget } from '../model/report.ts';
import type { Colours } from './colours.ts';
import { plain } from './colours.ts';
import { findingBlocks } from './console-findings.ts';
import { clauseTable } from './console-table.ts';
import type { Renderer } from './renderer.ts';
import { terminalText } from './terminal-text.ts';
import { byEngine, formatAssumption, formatLook, formatServer } from './wording-found.ts';
import { formatDependency, formatEffort, formatReady, formatTls, termLines } from './wording.ts';
import { formatProbe, formatStops, formatTimes, leastKnown } from './wording-windows.ts';
import { formatStartUp } from './wording-startup.ts';
import { formatSweep } from './wording-sweeps.ts';
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
    ...byImage(report).flatMap((targets) => findingBlocks(targets, report.strict, width, colours)),
    notExercised(report, width, colours),
    waived(report, width, colours),
    instrument(report, width, colours),
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
  const { facts, basis, ready, tls } = first;
  const terms = termLines(basis)
    .filter(({ name }) => name.endsWith('Ms') || name === 'acceptedStatuses' || name === 'primarySignal')
    .map(
      ({ name, value, origin }) => `${name.replace(/Ms$/, '')} ${value}${origin === 'preset' ? '' : ` [${origin}]`}`,
    );
  return [
    ...wrap(terminalText(first.image), width).map((line) => colours.bold(line)),
    ...field('digest', terminalText(facts.digest), width),
    ...targets.flatMap(({ engine, emulation }) =>
      emulation === undefined
        ? []
        : field('platform', terminalText(`${engine}: ${emulation}: nothing about time is judged`), width),
    ),
    ...field('preset', terminalText(`${basis.preset} (${basis.presetOrigin})`), width),
    ...field('ready', terminalText(formatReady(ready)), width),
    ...foundLines(targets, width),
    ...dependencyLines(targets, width),
    ...(tls === undefined ? [] : field('tls', terminalText(formatTls(tls)), width)),
    ...field('terms', terminalText(`${terms.join(', ')} (from the preset unless said)`), width),
    '',
    ...clauseTable(targets, width, colours),
    ...besides(targets, width),
  ];
}

/** What was assumed, a line each, and what the signal of the stop means to a server that is known. */
function foundLines(targets: readonly ReportedTarget[], width: number): string[] {
  const lines = (name: string, linesOf: (target: ReportedTarget) => readonly string[]): string[] =>
    byEngine(targets, linesOf).flatMap((line) => field(name, terminalText(line), width));
  return [
    // readiness is shown above with where it comes from
    ...lines('assumed', ({ assumed = [] }) => assumed.filter(({ key }) => key !== 'ready').map(formatAssumption)),
    ...lines('not seen', ({ discovery }) => (discovery && [formatLook(discovery) ?? []].flat()) ?? []),
    ...lines('server', ({ server }) => (server === undefined ? [] : [formatServer(server)])),
  ];
}

/** One line a dependency and engine. */
function dependencyLines(targets: readonly ReportedTarget[], width: number): string[] {
  return targets.flatMap(({ engine, dependencies = [] }) =>
    dependencies.flatMap((one) => field('needs', terminalText(`${engine}: ${formatDependency(one)}`), width)),
  );
}

/** What was seen besides the verdicts, after them: it explains them and decides nothing. */
function besides(targets: readonly ReportedTarget[], width: number): string[] {
  const lines = [
    ...placeLines(targets, width),
    ...delayLines(targets, width),
    ...stopLines(targets, width),
    ...startUpLines(targets, width),
    ...sweepLines(targets, width),
    ...windowLines(targets, width),
  ];
  return lines.length === 0 ? [] : ['', ...lines];
}

/** From where the containers were looked at, one line an engine where it was not directly. */
function placeLines(targets: readonly ReportedTarget[], width: number): string[] {
  return targets.flatMap(({ engine, seenFrom = [] }) =>
    seenFrom.every((place) => place === 'direct')
      ? []
      : field('seen from', terminalText(`${engine}: ${seenFrom.join('; ')}`), width),
  );
}

/** How the delay of a stop behaves, one line an engine: unbounded, slow, constant, or bounded by the grace. */
function delayLines(targets: readonly ReportedTarget[], width: number): string[] {
  return targets.flatMap(({ engine, delay }) =>
    delay === undefined ? [] : field('delay', terminalText(`${engine}: ${delay.shape}: ${delay.sentence}`), width),
  );
}

/** The stops that should be alike, one line an engine. */
function stopLines(targets: readonly ReportedTarget[], width: number): string[] {
  return targets.flatMap(({ engine, stops }) =>
    stops === undefined ? [] : field('stops', terminalText(`${engine}: ${formatStops(stops)}`), width),
  );
}

/** What became of signals into the start-up, one line an engine. */
function startUpLines(targets: readonly ReportedTarget[], width: number): string[] {
  return targets.flatMap(({ engine, startUp }) =>
    startUp === undefined ? [] : field('startup', terminalText(`${engine}: ${formatStartUp(startUp)}`), width),
  );
}

/** Where the outcome of a sweep changes, one line a clause and engine. */
function sweepLines(targets: readonly ReportedTarget[], width: number): string[] {
  return targets.flatMap(({ engine, sweeps = [] }) =>
    sweeps.flatMap((sweep) => field('sweep', terminalText(`${engine}: ${formatSweep(sweep)}`), width)),
  );
}

/** What became of new work, two lines a cell: when, and how often the probe met which outcome. */
function windowLines(targets: readonly ReportedTarget[], width: number): string[] {
  return targets.flatMap(({ engine, windows = [] }) =>
    leastKnown(windows).flatMap(({ window, name }) => [
      ...field('window', terminalText(`${engine} ${name}: ${formatTimes(window)}`), width),
      ...field('', terminalText(formatProbe(window)), width),
    ]),
  );
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
  lines.push(...wrap(terminalText(`effort ${formatEffort(report.effort)}`), width));
  for (const { engine, address, origin, failure } of report.notJudged) {
    const text = terminalText(`engine ${engine} not judged: ${address} (${origin}): ${failure ?? 'answered'}`);
    lines.push(...wrap(text, width).map((line) => colours.warn(line)));
  }
  for (const { where, engine, message, history } of report.faults) {
    const evidence = history === undefined ? '' : ` · ${history}`;
    const text = terminalText(`FAULT ${where}${engine === undefined ? '' : ` ${engine}`}: ${message}${evidence}`);
    lines.push(...wrap(text, width).map((line) => colours.bad(line)));
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
