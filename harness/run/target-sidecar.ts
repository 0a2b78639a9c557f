import type { EngineDriver, Ownership, RunningContainer, Sidecar } from '../engine/driver.ts';
import { EngineError } from '../model/errors.ts';
import type { Nanoseconds } from '../model/time.ts';
import type { SeenExit } from '../observe/kernel.ts';
import type { ProcessReader } from '../observe/processes.ts';
import { snapshotReader } from '../observe/snapshot.ts';
import type { Relay } from '../wire/relay.ts';
import type { RelayOffset, TargetEnd } from '../wire/relay-end.ts';
import { inTime, sidecarRelay } from './sidecar-relay.ts';

const PING_LIMIT_MS = 10_000;

/** The helper in the namespaces of a target: what the harness sees and sends from there. */
export interface TargetSidecar {
  readonly relay: Relay;
  /** The end of PID 1 as its pidfd showed it on the engine's host, on this history's axis; absent where it cannot be watched. */
  readonly gone?: Promise<SeenExit>;
  /** The target's processes; absent where they cannot be seen. */
  readonly reader?: ProcessReader;
  /** Podman refuses to remove the target while this lives: to be called first. */
  remove(): Promise<void>;
}

/**
 * Start the helper in the target's network namespace, seeing the host's processes where the engine allows it: inside of
 * the target's process namespace it would die with PID 1, and be part of its teardown. `refused` is why the engine does not
 * start one, be it that the target has ended. Throws EngineError for an engine that is lost, and for a sidecar that runs but
 * does not do its work: that says nothing about the target.
 */
export async function openSidecar(options: {
  readonly driver: EngineDriver;
  readonly container: RunningContainer;
  readonly image: string;
  readonly ownership: Ownership;
  readonly fromMonotonic: (ns: bigint) => Nanoseconds;
  /** Told when it ends before it is removed, before anything is told of what it carried: that is nobody's doing. */
  readonly onLost: (reason: string) => void;
}): Promise<TargetSidecar | { readonly refused: string }> {
  const { driver, container, image, ownership } = options;
  const spec = { name: `${container.name}-sidecar`, image, network: { container: container.id }, ownership };
  let sidecar: Sidecar;
  try {
    sidecar = await driver.startSidecar({ ...spec, command: ['relay', String(container.pid)], hostProcesses: true });
  } catch (error) {
    if (!(error instanceof EngineError) || error.lost) throw error;
    return { refused: error.message };
  }
  try {
    return await targetSidecar(sidecar, options);
  } catch (error) {
    await sidecar.remove().catch(() => undefined);
    throw error;
  }
}

async function targetSidecar(
  sidecar: Sidecar,
  { fromMonotonic, onLost }: Pick<Parameters<typeof openSidecar>[0], 'fromMonotonic' | 'onLost'>,
): Promise<TargetSidecar> {
  const relay = await sidecarRelay(sidecar, onLost);
  const offset = await inTime(relay.ping(), PING_LIMIT_MS, 'the helper in the sidecar did not answer');
  const base = {
    relay,
    async remove() {
      relay.close();
      await sidecar.remove();
    },
  };
  if (relay.hello.unwatched !== '') return base;
  const gone = relay.ended.then(async (end) => seenExit(end, await offsetsOf(relay, offset), fromMonotonic));
  gone.catch(() => undefined); // whoever waits for it sees it; nobody waiting is fine
  return { ...base, gone, reader: snapshotReader(async () => await relay.snapshot()) };
}

/** Two hosts' clocks drift: between the two ends of a stretch the offset was between what it was at them. */
async function offsetsOf(relay: Relay, before: RelayOffset): Promise<readonly RelayOffset[]> {
  if (before.errorNs === 0n && before.offsetNs === 0n) return [before];
  return [before, await inTime(relay.ping(), PING_LIMIT_MS, 'the helper in the sidecar did not answer')];
}

/** The interval on this host's clock in which PID 1 ended, whatever the offset really was. */
export function seenExit(
  { alive, gone }: TargetEnd,
  offsets: readonly RelayOffset[],
  fromMonotonic: (ns: bigint) => Nanoseconds,
): SeenExit {
  const begins = offsets.map(({ offsetNs, errorNs }) => fromMonotonic(alive - offsetNs - errorNs));
  const ends = offsets.map(({ offsetNs, errorNs }) => fromMonotonic(gone - offsetNs + errorNs));
  return { begin: Math.min(...begins), t: Math.max(...ends) };
}
