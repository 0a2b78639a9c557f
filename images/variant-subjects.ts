import { select } from '../harness/cli/selection.ts';
import type { Subject } from '../harness/cli/prepare.ts';
import type { Scenario } from '../harness/model/scenario.ts';
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
  return variants.flatMap(({ fault, clauses, where }) => {
    const flags = { env: { FAULT: fault }, outerTimeoutMs: 5000, require: [] };
    const subject = (name: string, only: readonly string[]): Subject => ({
      reference: 'lf-qualify/variants:dev',
      name,
      flags,
      selection: select(only, [], scenarios),
    });
    return [subject(fault, [...clauses, where]), subject(smokeOf(fault), [...smoke, smokeCell])];
  });
}
