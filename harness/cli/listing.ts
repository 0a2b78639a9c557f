import { dirname } from 'node:path';
import { clauses } from '../contract/index.ts';
import { presets } from '../contract/presets/index.ts';
import type { Plan } from '../model/plan.ts';
import { terminalLine } from '../report/terminal-text.ts';
import type { Selection } from '../run/plan.ts';
import { mostAdded } from '../run/refine.ts';
import type { ScenarioCatalogue } from './scenario-files.ts';

/** `--list`: every selected clause with its level in each preset, and every scenario with the clauses it serves and, where it is not bundled, its file. */
export function listEverything(
  { scenarios, files }: ScenarioCatalogue,
  selection: Selection,
  bundledFolder: string,
): string {
  const names = presets.map(({ name }) => name);
  const lines = ['Clauses', `  ${'id'.padEnd(12)}${names.map((name) => name.padEnd(14)).join('')}title`];
  for (const clause of clauses.filter(({ id }) => selection.clause(id))) {
    lines.push(
      `  ${clause.id.padEnd(12)}${names.map((name) => clause.levels[name].padEnd(14)).join('')}${clause.title}`,
    );
  }
  lines.push('', 'Levels: M must, S should, r recorded only, - not in the preset', '', 'Scenarios');
  for (const scenario of scenarios.filter(({ id, helper }) => helper === undefined && selection.scenario(id))) {
    lines.push(`  ${scenario.id}`, `      ${scenario.title}`, `      ${scenario.clauses.join(' ')}`);
    const file = files[scenario.id];
    if (file !== undefined && dirname(file) !== bundledFolder) lines.push(`      ${file}`);
  }
  return `${lines.join('\n')}\n`;
}

/** `--plan`: what would be run, container by container, and what would not be exercised. */
export function showPlan(plan: Plan): string {
  const lines: string[] = [];
  for (const target of plan.targets) {
    lines.push(
      `${target.target.name} on ${target.engine}: preset ${target.basis.preset} (${target.basis.presetOrigin}), outer timeout ${target.basis.terms.outerTimeoutMs} ms`,
    );
    for (const cell of target.cells)
      lines.push(
        `  ${cell.scenario} ${cell.cell}${cell.repeat > 1 ? ` #${cell.repeat}` : ''}: ${cell.clauses.join(' ')}`,
      );
    const more = mostAdded(target);
    if (more > 0) lines.push(`  up to ${more} more where the outcome changes along ${sweepsIn(target)}, in between`);
    for (const { clause, reason, declare } of target.unexercised)
      lines.push(`  not exercised: ${clause}: ${reason}${declare === '' ? '' : `; declare ${declare}`}`);
  }
  const count = plan.targets.reduce((sum, { cells }) => sum + cells.length, plan.instrument.length);
  lines.push(`${count} containers in all, ${plan.instrument.length} of them to check the instrument`);
  return `${lines.map(terminalLine).join('\n')}\n`;
}

/** `startup/sweep (offset)`. */
function sweepsIn({ cells }: Plan['targets'][number]): string {
  const names = cells.flatMap(({ scenario, sweep }) => (sweep === undefined ? [] : [`${scenario} (${sweep.column})`]));
  return [...new Set(names)].join(', ');
}
