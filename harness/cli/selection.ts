import { clauses } from '../contract/index.ts';
import { UsageError } from '../model/errors.ts';
import type { Scenario } from '../model/scenario.ts';
import type { Selection } from '../run/plan.ts';

/**
 * `--only` and `--skip`: each entry is a clause id, a clause family (`SIG`), a scenario id or a scenario prefix
 * (`signal/`). Throws UsageError for one that is none of these, naming what there is.
 */
export function select(only: readonly string[], skip: readonly string[], scenarios: readonly Scenario[]): Selection {
  const kept = only.map((entry) => understand('--only', entry, scenarios));
  const left = skip.map((entry) => understand('--skip', entry, scenarios));
  const onlyScenarios = kept.filter(({ kind }) => kind === 'scenario');
  const onlyClauses = kept.filter(({ kind }) => kind === 'clause');
  const named = (entries: readonly Entry[], kind: Entry['kind'], id: string): boolean =>
    entries.some((entry) => entry.kind === kind && entry.matches(id));
  return {
    scenario: (id) =>
      (onlyScenarios.length === 0 || named(onlyScenarios, 'scenario', id)) && !named(left, 'scenario', id),
    clause: (id) => (onlyClauses.length === 0 || named(onlyClauses, 'clause', id)) && !named(left, 'clause', id),
  };
}

interface Entry {
  readonly kind: 'scenario' | 'clause';
  readonly matches: (id: string) => boolean;
}

function understand(option: string, entry: string, scenarios: readonly Scenario[]): Entry {
  const exact = clauses.some(({ id }) => id === entry);
  const clause = (id: string): boolean => (exact ? id === entry : id.startsWith(`${entry}-`));
  if (clauses.some(({ id }) => clause(id))) return { kind: 'clause', matches: clause };
  const scenario = (id: string): boolean => id === entry || (entry.endsWith('/') && id.startsWith(entry));
  if (scenarios.some(({ id }) => scenario(id))) return { kind: 'scenario', matches: scenario };
  throw new UsageError(`${option} "${entry}": no clause or scenario of that name; lf-qualify --list shows them`);
}
