import { select } from '../harness/cli/selection.ts';
import type { Subject } from '../harness/cli/prepare.ts';
import type { Scenario } from '../harness/model/scenario.ts';
import { emptyProfile } from '../harness/profile/overruled.ts';
import type { TargetFlags } from '../harness/run/said.ts';
import { variants } from './variants/variants.ts';

/** What a fault leaves as it is, unless its row says otherwise: a stop with nothing in flight, and what is logged of it. */
export const smoke: readonly string[] = ['IMG-1', 'IMG-2', 'IMG-3', 'SIG-1', 'SIG-4', 'OBS-3', 'OBS-4'];
/** The one cell in which the smoke set is judged. */
const smokeCell = 'signal/no-load:signal=TERM';

/** Name of the subject by which a variant is judged by the smoke set. */
export const smokeOf = (fault: string): string => `${fault}-smoke`;

/**
 * Every variant as two subjects: judged by its clauses where its fault shows, and by the smoke set in the smoke set's own
 * cell. In one subject each clause would be judged in both cells.
 */
export function variantSubjects(scenarios: readonly Scenario[]): readonly Subject[] {
  return variants.flatMap(({ fault, clauses, where, preset, liveness }) => {
    const own = { env: { FAULT: fault }, outerTimeoutMs: 5000, require: [] };
    const under = preset === undefined ? own : { env: own.env, require: own.require, preset };
    const subject = (name: string, flags: TargetFlags, only: readonly string[]): Subject => ({
      reference: 'lf-qualify/variants:dev',
      name,
      flags,
      selection: select(only, [], scenarios),
    });
    const declared = liveness && { profile: { ...emptyProfile, endpoints: { ...emptyProfile.endpoints, liveness } } };
    return [
      { ...subject(fault, under, [...clauses, where]), ...declared },
      subject(smokeOf(fault), own, [...smoke, smokeCell]),
    ];
  });
}
