import type { Clause, Level, Preset } from '../model/clause.ts';
import { img6 } from './cut-off.ts';
import { adm1, adm2, adm3, adm4, adm5, adm6, adm6Live, adm7, adm8, adm9 } from './adm.ts';
import { cfg3 } from './cfg.ts';
import { dln1, dln2, dln3, dln4, dln5, dln6, dln7 } from './dln.ts';
import { drn1, drn2, drn3, drn4, drn5, drn6, drn7, drn8, drn9, drn9Fast } from './drn.ts';
import { img1, img2, img3, img5 } from './img.ts';
import { img4, img4Init } from './img-zombies.ts';
import { img5Init } from './init.ts';
import { obs3, obs4 } from './obs.ts';
import { rst1, rst2 } from './rst.ts';
import { sig1, sig1Fast, sig2, sig2Fast, sig3, sig3Fast, sig4 } from './sig.ts';
import { sig8 } from './sig-repeated.ts';
import { sig5, sig6, sig6Close, sig7, sig9 } from './sig-second.ts';
import { sta1, sta8 } from './sta.ts';
import { sta2 } from './sta-abort.ts';
import { sta4 } from './sta-edge.ts';
import { sta11 } from './sta-fails.ts';
import { sta7 } from './sta-gate.ts';
import { sta9 } from './sta-start-up.ts';
import { sta10, sta3 } from './sta-stuck.ts';
import { sta5, sta6 } from './sta-unwind.ts';
import { wss1, wss2, wss3, wss4, wss5, wss6, wss7 } from './wss.ts';

/** Version of the set of clauses: changed with anything that can flip a verdict; printed in every report. */
export const CLAUSE_SET = '1.4.0';

/** Every clause, in the order of reports. */
export const clauses: readonly Clause[] = [
  ...[img1, img2, img3, img4, img4Init, img5, img5Init, img6],
  ...[sig1, sig1Fast, sig2, sig2Fast, sig3, sig3Fast, sig4],
  ...[sig5, sig6, sig6Close, sig7, sig8, sig9],
  ...[sta1, sta2, sta3, sta4, sta5, sta6, sta7, sta8, sta9, sta10, sta11],
  ...[adm1, adm2, adm3, adm4, adm5, adm6, adm6Live, adm7, adm8, adm9],
  ...[drn1, drn2, drn3, drn4, drn5, drn6, drn7, drn8, drn9, drn9Fast],
  ...[wss1, wss2, wss3, wss4, wss5, wss6, wss7],
  ...[dln1, dln2, dln3, dln4, dln5, dln6, dln7],
  cfg3,
  ...[obs3, obs4],
  ...[rst1, rst2],
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

/** Whether a preset's list of required ids and families asks for this clause: a family asks for its M
 * clauses only, and not for those of a variant (`IMG-4-init`), which an image may have no occasion for. */
export function isRequired(id: string, level: Level, required: readonly string[]): boolean {
  const numbered = /^[A-Z]+-\d+$/.test(id);
  return required.includes(id) || (level === 'M' && numbered && required.includes(familyOf(id)));
}
