import { select } from '../harness/cli/selection.ts';
import type { Subject } from '../harness/cli/prepare.ts';
import type { Scenario } from '../harness/model/scenario.ts';
import { variants } from './variants/variants.ts';

/** What no fault touches: a signal with nothing in flight still reaches the service, and its last words arrive. */
export const smoke: readonly string[] = ['IMG-1', 'IMG-3', 'OBS-4'];
const smokeCell = 'signal/no-load:signal=TERM';

/** Every variant as a subject of its own, judged by its clauses where its fault shows, and by the smoke set. */
export function variantSubjects(scenarios: readonly Scenario[]): readonly Subject[] {
  return variants.map(({ fault, clauses, where }) => ({
    reference: 'lf-qualify/variants:dev',
    name: fault,
    flags: { env: { FAULT: fault }, outerTimeoutMs: 5000, require: [] },
    selection: select([...clauses, ...smoke, where, smokeCell], [], scenarios),
  }));
}
