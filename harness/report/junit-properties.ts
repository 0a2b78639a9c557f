import type { Report, ReportedTarget } from '../model/report.ts';
import {
  decidingFinding,
  formatDependency,
  formatEffort,
  formatMeasurement,
  formatReady,
  formatTls,
  termLines,
} from './wording.ts';
import { formatStartUp } from './wording-startup.ts';
import { formatSweep } from './wording-sweeps.ts';
import { formatAssumption, formatLook, formatServer } from './wording-found.ts';
import { formatProbe, formatStops, formatTimes, nameOfCell } from './wording-windows.ts';

export interface Property {
  readonly name: string;
  readonly value: string;
}

/**
 * Properties of one image on one engine. The Jenkins schema allows none in a test case, so what belongs to a clause
 * carries its id in the name: `SIG-1.level`, `SIG-1.measured`, `SIG-1.limit`.
 */
export function targetProperties(target: ReportedTarget, report: Report): readonly Property[] {
  const { facts, basis } = target;
  const list: Property[] = [];
  const add = (name: string, value: string | number | boolean | undefined): void => {
    if (value !== undefined) list.push({ name, value: String(value) });
  };
  add('run', report.run);
  add('harness.version', report.harness.version);
  add('harness.node', report.harness.node);
  add('harness.helperSha256', report.harness.helperSha256);
  add('image', target.image);
  add('image.digest', facts.digest);
  add('image.emulation', target.emulation);
  add('image.stopSignal', `${facts.stopSignal.value} (${facts.stopSignal.origin})`);
  add('ready', formatReady(target.ready));
  add('tls', target.tls && formatTls(target.tls));
  for (const one of target.assumed ?? []) add(`assumed.${one.key}`, formatAssumption(one));
  add('notSeen', target.discovery && formatLook(target.discovery));
  add('server', target.server && formatServer(target.server));
  for (const one of target.dependencies ?? []) add(`dependency.${one.alias}`, formatDependency(one));
  add('engine', target.engine);
  add('effort', formatEffort(report.effort));
  const engine = report.engines.find(({ name }) => name === target.engine);
  if (engine !== undefined) {
    add('engine.version', engine.version);
    add('engine.apiVersion', engine.apiVersion);
    add('engine.address', engine.address);
    add('engine.runtime', engine.runtime);
    add('engine.rootless', engine.rootless);
    add('engine.kernel', engine.kernel);
    add('engine.cgroupVersion', engine.cgroupVersion);
  }
  add('preset', `${basis.preset} (${basis.presetOrigin})`);
  add('seenFrom', target.seenFrom?.join('; '));
  add('delay', target.delay && `${target.delay.shape}: ${target.delay.sentence}`);
  add('stops', target.stops && formatStops(target.stops));
  add('startup', target.startUp && formatStartUp(target.startUp));
  for (const window of target.windows ?? []) {
    add(`${nameOfCell(window)}.times`, formatTimes(window, true));
    add(`${nameOfCell(window)}.probe`, formatProbe(window));
  }
  add('clauseSet', basis.clauseSet);
  for (const { name, value, origin } of termLines(basis)) add(`term.${name}`, `${value} (${origin})`);
  for (const verdict of target.verdicts) {
    const deciding = decidingFinding(verdict);
    add(`${verdict.clause}.level`, verdict.level);
    add(`${verdict.clause}.outcome`, verdict.outcome);
    add(`${verdict.clause}.required`, verdict.required);
    if (deciding?.measured) add(`${verdict.clause}.measured`, formatMeasurement(deciding.measured));
    if (deciding?.limitMs !== undefined) add(`${verdict.clause}.limit`, `${deciding.limitMs} ms`);
    const brackets = (target.sweeps ?? []).filter(({ clause }) => clause === verdict.clause);
    if (brackets.length > 0) add(`${verdict.clause}.bracket`, brackets.map(formatSweep).join('; '));
  }
  return list;
}
