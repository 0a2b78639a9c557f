import type { PlannedTarget } from '../model/plan.ts';
import type { Target } from '../model/target.ts';

type Env = Readonly<Record<string, string>>;

/** A target as it may be written to disk: of every environment only the names (architecture rule 14). */
export function storedTarget(target: Target): PlannedTarget['target'] {
  const { env, secrets: _secrets, registry, faults, ...shown } = target;
  return {
    ...shown,
    envKeys: Object.keys(env),
    ...(registry === undefined ? {} : { registry: { ...registry, env: namesOf(registry.env) } }),
    faults: Object.fromEntries(Object.entries(faults).map(([name, fault]) => [name, namesOf(fault)])),
  };
}

function namesOf(env: Env): Env {
  return Object.fromEntries(Object.keys(env).map((name) => [name, '<set>']));
}
