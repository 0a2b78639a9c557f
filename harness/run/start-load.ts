import { assureDescriptors } from '../load/descriptors.ts';
import type { HeldWork } from '../load/traffic.ts';
import { startTraffic } from '../load/shapes.ts';
import type { Capability } from '../model/clause.ts';
import type { Load, Way } from '../model/scenario.ts';
import type { Target } from '../model/target.ts';
import type { Recorder } from '../observe/recorder.ts';
import type { Access } from '../wire/connection.ts';
import type { Missing } from './cell-setting.ts';
import { missingNeed, tcpPort } from './cell-setting.ts';

/** What must be there for a way in; `any` and the clear port are HTTP. */
const NEEDS: Readonly<Record<string, Capability>> = { h2: 'http2', https: 'tls', tcp: 'tcp' };

/** The way in that a load or probe asks for, or what is missing for it: `any` is the clear port, else TLS. */
export function accessOf(
  way: Way,
  target: Target,
  at: Pick<Access, 'address' | 'dial'>,
): { readonly access: Access } | { readonly missing: Missing } {
  const { httpPort, tls } = target;
  if ((way === 'any' || way === 'http') && httpPort !== undefined) {
    return { access: { ...at, port: httpPort, over: 'http' } };
  }
  const missing = missingNeed(NEEDS[way] ?? 'http', target);
  if (missing) return { missing };
  const bare = tcpPort(target);
  if (way === 'tcp' && bare !== undefined) return { access: { ...at, port: bare, over: 'tcp' } };
  if (tls !== undefined && way !== 'http') {
    return { access: { ...at, port: tls.port, over: way === 'h2' ? 'h2' : 'https', tls } };
  }
  const reason = `no way in over ${way} is known`;
  return { missing: { capability: 'http', reason, declare: 'port: 8080' } };
}

/** Half a TLS handshake goes to the TLS port and HTTP/2 sessions speak HTTP/2, whatever the rest uses. */
function wayOf(load: Load): Way {
  if (load.shape === 'http2-sessions') return 'h2';
  if (load.way !== undefined) return load.way;
  return load.shape === 'stalled' && load.kind === 'half-tls-handshake' ? 'https' : 'any';
}

/**
 * Put every load of a scenario on the service, side by side, those that end by themselves after the others. A
 * load that cannot be held is recorded as a missing capability and the others go on: what clauses can say without it, they
 * say. Throws HarnessError when this machine is at fault, with nothing left held.
 */
export async function startLoads(options: {
  readonly loads: readonly Load[];
  readonly at: Pick<Access, 'address' | 'dial'>;
  readonly target: Target;
  readonly recorder: Recorder;
  readonly time: (expression: string) => number;
}): Promise<readonly HeldWork[]> {
  const { loads, at, target, recorder, time } = options;
  const connections = loads.reduce((sum, load) => sum + ('count' in load ? load.count : 1), 0);
  if (at.dial === undefined) await assureDescriptors(connections);
  const start = async (load: Load, index: number): Promise<readonly HeldWork[]> => {
    const way = accessOf(wayOf(load), target, at);
    const id = `${load.shape}-${index + 1}`;
    const { endpoints } = target;
    const started =
      'missing' in way ? way : await startTraffic(load, { id, access: way.access, endpoints, recorder, time });
    if (!('missing' in started)) return started.held;
    recorder.record({ kind: 'capability.missing', ...started.missing });
    return [];
  };
  // what ends by itself comes last: it must still be in flight at the signal
  const timed = (load: Load): boolean => 'for' in load && load.for !== undefined;
  const settled: PromiseSettledResult<readonly HeldWork[]>[] = [];
  for (const phase of [false, true]) {
    const mine = loads.map((load, index) => ({ load, index })).filter(({ load }) => timed(load) === phase);
    settled.push(...(await Promise.allSettled(mine.map(({ load, index }) => start(load, index)))));
  }
  const held = settled.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  const failed = settled.find((result) => result.status === 'rejected');
  if (failed === undefined) return held;
  await Promise.all(held.map((work) => work.release()));
  throw failed.reason;
}
