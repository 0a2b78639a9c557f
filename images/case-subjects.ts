import type { Subject } from '../harness/cli/prepare.ts';
import { select } from '../harness/cli/selection.ts';
import type { Scenario } from '../harness/model/scenario.ts';
import { emptyProfile } from '../harness/profile/overruled.ts';
import type { Case } from './in-the-wild/cases.ts';
import { nameOf } from './in-the-wild/cases.ts';

/** What hangs costs the outer timeout; what is slow on purpose takes less than the bound. */
const STOP_BOUND_MS = 3000;
const OUTER_TIMEOUT_MS = 4000;

/** Each case as a subject, judged by the clauses that it expects something of, where it says that they show. */
export function caseSubjects(cases: readonly Case[], scenarios: readonly Scenario[]): readonly Subject[] {
  return cases.map((one) => ({
    reference: 'lf-qualify/cases:dev',
    name: nameOf(one),
    flags: { env: {}, require: [], outerTimeoutMs: OUTER_TIMEOUT_MS },
    profile: {
      ...emptyProfile,
      ready: { kind: 'log', pattern: '^ready$', origin: 'profile' },
      terms: { stopBoundMs: STOP_BOUND_MS },
      patterns: { lastLine: '^stopped$' },
      command: one.command,
      ...one.given,
    },
    selection: select([...Object.keys(one.expected), ...(one.cells ?? ['signal/no-load:signal=TERM'])], [], scenarios),
  }));
}
