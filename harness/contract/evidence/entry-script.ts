import type { History } from '../../model/history.ts';
import type { ProcessFact } from '../../model/observation.ts';
import { pid1Of } from './lost-signal.ts';
import { programOf, roleOf } from './process-tree.ts';
import { firstOf, ofKind, toMs } from './queries.ts';
import { ms } from './stop-duration.ts';

/** An entry script that was still at work when the service was taken for ready, in words and by its evidence. */
export interface StillStarting {
  readonly seen: string;
  readonly evidence: readonly number[];
  /** The profile line that tells readiness better. */
  readonly declare: string;
}

/**
 * PID 1 was a shell at readiness and became another program later: what was taken for ready (a time of life, a server that
 * the script runs for a while) was not the service. Undefined where that was not seen, by the kernel's events or a sample.
 */
export function stillStarting(history: History): StillStarting | undefined {
  const snapshots = ofKind(history, 'processes');
  const at = snapshots.findLast(({ moment }) => moment === 'ready');
  const shell = at && pid1Of(at);
  if (!at || !shell || roleOf(shell) !== 'shell') return undefined;
  const pid = firstOf(history, 'container.started')?.pid;
  const exec = ofKind(history, 'process.exec').find(
    (o) => o.pid === pid && o.t > at.t && roleOf({ ...shell, comm: o.comm, args: [o.comm] }) !== 'shell',
  );
  // a process that is ending has no arguments any more, and so another name
  const other = (process: ProcessFact | undefined): process is ProcessFact =>
    process !== undefined && process.args.length > 0 && roleOf(process) !== 'shell';
  const sample = snapshots.find((o) => (o.begin ?? o.t) > at.t && other(pid1Of(o)));
  const later = exec ?? sample;
  const process = sample && pid1Of(sample);
  const name = exec?.comm ?? (process && programOf(process));
  if (!later || name === undefined) return undefined;
  const when = ms(toMs(later.t - at.t));
  const seen = `PID 1 was ${programOf(shell)} (shell) when it was taken for ready, and became ${name} ${when} later: it was still starting`;
  return { seen, evidence: [at.seq, later.seq], declare: 'ready: { log: "…" }   # what it says when it is up' };
}
