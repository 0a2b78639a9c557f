import type { ObservationOf } from '../model/observation.ts';
import type { Endpoint, ReadySpec } from '../model/target.ts';

/** One request that is asked once while the gate is closed, and what it is asked for. */
export interface AskedRequest {
  readonly purpose: Exclude<ObservationOf<'probe.sample'>['purpose'], 'admission'>;
  readonly method: string;
  readonly path: string;
  /** Where it goes, if not where everything else goes: readiness may have a port of its own. */
  readonly at?: { readonly port: number; readonly tls: boolean };
}

/** One kind of each miss is enough, but what the gate compares exactly must not depend on the kind (ADM-7). */
const MOST_NEAR_MISSES = 9;

/** Ways to be almost a control route. Undefined where a route has none of this kind. */
const MISSES: readonly ((route: Endpoint) => Endpoint | undefined)[] = [
  ({ method, path }) => ({ method: method === 'GET' ? 'POST' : 'GET', path }),
  ({ method, path }) => ({ method, path: path.endsWith('/') ? `${path}x` : `${path}/x` }),
  ({ method, path }) => (path.endsWith('/') ? undefined : { method, path: `${path}x` }),
  ({ method, path }) => (path.endsWith('/') ? undefined : { method, path: `${path}/` }),
  ({ method, path }) => ({ method, path: path.toUpperCase() }),
  ({ method, path }) => ({ method, path: `/${path}` }),
  ({ method, path }) => ({ method, path: path.replace(/[a-z](?=[^a-z]*$)/i, percentEncoded) }),
];

/**
 * What is asked once while the gate is closed (ADM-6, ADM-7): the readiness route, each declared liveness and control route
 * exactly (the readiness route again, if it is one), and as near misses `/health` and `/`, unless declared, and what is almost a control route: another method, a sub-path, a
 * longer name, a trailing or double slash, upper case, an encoded letter. Each kind of miss once, on the routes in turn;
 * at most nine in all. A query string on an exact path is that path, so it is no miss.
 */
export function askedRoutes(
  ready: ReadySpec,
  control: readonly Endpoint[],
  liveness: readonly Endpoint[] = [],
): readonly AskedRequest[] {
  const exact = ({ method, path }: Endpoint): Endpoint => ({ method, path: path.replace(/[?#].*$/, '') });
  const [routes, alive] = [control.map(exact), liveness.map(exact)];
  const readiness: AskedRequest[] =
    ready.kind === 'http'
      ? [{ purpose: 'readiness', method: 'GET', path: ready.path, at: { port: ready.port, tls: ready.tls ?? false } }]
      : [];
  const taken = new Set([...readiness, ...routes, ...alive].map(key));
  const common: readonly Endpoint[] = [
    { method: 'GET', path: '/health' },
    { method: 'GET', path: '/' },
  ];
  const misses = common.filter((route) => ![...routes, ...alive].some((declared) => key(declared) === key(route)));
  for (const [index, miss] of MISSES.entries()) {
    const inTurn = routes.map((_, turn) => routes[(index + turn) % routes.length]);
    const found = inTurn.map((route) => route && miss(route)).find((near) => near && !taken.has(key(near)));
    if (found === undefined) continue;
    taken.add(key(found));
    misses.push(found);
  }
  return [
    ...readiness,
    ...alive.map((route) => ({ purpose: 'liveness' as const, ...route })),
    ...routes.map((route) => ({ purpose: 'control' as const, ...route })),
    ...misses.slice(0, MOST_NEAR_MISSES).map((route) => ({ purpose: 'near-miss' as const, ...route })),
  ];
}

const key = ({ method, path }: Endpoint): string => `${method} ${path}`;

function percentEncoded(letter: string): string {
  return `%${letter.charCodeAt(0).toString(16).toUpperCase()}`;
}
