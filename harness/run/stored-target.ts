import { createMask } from '../model/mask.ts';
import type { PlannedTarget } from '../model/plan.ts';
import type { Target } from '../model/target.ts';

/** What stands under these is compared with other records, and is no text of the service. */
const names: ReadonlySet<string> = new Set(['kind', 'name', 'image', 'alias', 'reference', 'origin']);

type Env = Readonly<Record<string, string>>;

/** A target as it may be written to disk: of every environment only the names, and secrets masked (architecture rule 14). */
export function storedTarget(target: Target): PlannedTarget['target'] {
  const { env, secrets, registry, faults, dependencies, endpoints, ...shown } = target;
  const stored = {
    ...shown,
    envKeys: Object.keys(env),
    dependencies: dependencies.map((dependency) => ({ ...dependency, env: namesOf(dependency.env) })),
    ...(registry === undefined ? {} : { registry: { ...registry, env: namesOf(registry.env) } }),
    faults: Object.fromEntries(Object.entries(faults).map(([name, fault]) => [name, namesOf(fault)])),
    endpoints: storedEndpoints(endpoints),
  };
  return createMask(secrets).value(stored, names);
}

function storedEndpoints(endpoints: Target['endpoints']): Target['endpoints'] {
  const { webSocket } = endpoints;
  if (webSocket === undefined) return endpoints;
  const stored = webSocket.map((endpoint) => ({
    ...endpoint,
    ...(endpoint.headers === undefined ? {} : { headers: namesOf(endpoint.headers) }),
  }));
  return { ...endpoints, webSocket: stored };
}

function namesOf(env: Env): Env {
  return Object.fromEntries(Object.keys(env).map((name) => [name, '<set>']));
}
