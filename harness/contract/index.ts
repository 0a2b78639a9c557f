import type { Clause, Level, Preset } from '../model/clause.ts';
import { img6 } from './cut-off.ts';
import { dln2 } from './dln.ts';
import { img1, img2, img3, img5 } from './img.ts';
import { obs3, obs4 } from './obs.ts';
import { sig1, sig1Fast, sig2, sig2Fast, sig3, sig3Fast, sig4 } from './sig.ts';
import { sta1, sta8 } from './sta.ts';

/** Version of the set of clauses: changed with anything that can flip a verdict; printed in every report. */
export const CLAUSE_SET = '1.0.0';

/** Every clause, in the order of reports. */
export const clauses: readonly Clause[] = [
  ...[img1, img2, img3, img5, img6],
  ...[sig1, sig1Fast, sig2, sig2Fast, sig3, sig3Fast, sig4],
  ...[sta1, sta8],
  dln2,
  ...[obs3, obs4],
];

/** The clause of an id, or undefined. Ids are exact: `SIG-1-fast`. */
export function clauseById(id: string): Clause | undefined {
  return clauses.find((clause) => clause.id === id);
}

/** The level of every clause in a preset, `-` included, keyed by clause id. */
export function levelsOf(preset: Pick<Preset, 'name'>): Readonly<Record<string, Level>> {
  return Object.fromEntries(clauses.map((clause) => [clause.id, clause.levels[preset.name]]));
}

/** The family of a clause id: `IMG` of `IMG-1`. */
export function familyOf(id: string): string {
  return id.split('-')[0] ?? id;
}

/** Whether a preset's list of required ids and families asks for this clause: a family asks for its M clauses only. */
export function isRequired(id: string, level: Level, required: readonly string[]): boolean {
  return required.includes(id) || (level === 'M' && required.includes(familyOf(id)));
}
