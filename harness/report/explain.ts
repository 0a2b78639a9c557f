import type { Clause, Preset } from '../model/clause.ts';
import { formatLevel } from './wording.ts';
import { field } from './wrap.ts';

/** The text of `lf-qualify explain CLAUSE`: requirement, level in each preset, how it is seen, what breaks it, remedy. */
export function explainClause(clause: Clause, presets: readonly Preset[], width = 80): string {
  const family = clause.id.replace(/-.*$/, '');
  const levels = presets.map(({ name, required }) => {
    const level = clause.levels[name];
    const listed = required.includes(clause.id) || required.includes(family);
    return `${name}: ${formatLevel(level)}${listed && level === 'M' ? ', required' : ''}`;
  });
  return `${[
    `${clause.id} ${clause.title}`,
    '',
    ...field('requirement', clause.requirement, width),
    ...levels.flatMap((line, index) => field(index === 0 ? 'levels' : '', line, width)),
    ...field('needs', clause.needs.join(', ') || 'nothing that must be declared', width),
    ...field('measured', clause.explain.measured, width),
    ...field('breaks', clause.explain.breaks, width),
    ...field('remedy', clause.explain.remedy, width),
  ].join('\n')}\n`;
}
