import type { Target } from '../model/target.ts';

/** An application route: the readiness route, unless it is one of control or liveness, which answer behind a closed gate too. */
export function probedRoute({ ready, endpoints }: Pick<Target, 'ready' | 'endpoints'>): {
  readonly method: string;
  readonly path: string;
} {
  if (ready.kind !== 'http') return { method: 'GET', path: '/' };
  const { control, liveness = [] } = endpoints;
  const passes = [...control, ...liveness].some(({ method, path }) => method === 'GET' && path === ready.path);
  return { method: 'GET', path: passes ? '/' : ready.path };
}
