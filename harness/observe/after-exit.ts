import { setTimeout as sleep } from 'node:timers/promises';
import type { ContainerState, RunningContainer } from '../engine/driver.ts';
import { EngineError } from '../model/errors.ts';
import type { Nanoseconds } from '../model/time.ts';
import type { Recorder } from './recorder.ts';

/** An engine that still shows a dead process as running after this long has not reaped it (DKR-06). */
const REAP_LIMIT_MS = 15_000;

/** The exit state as the engine gives it once it no longer shows the container as running. Records `exit.state`. */
export async function recordExitState(
  container: RunningContainer,
  recorder: Recorder,
  fromEngine: (ns: bigint) => Nanoseconds,
): Promise<ContainerState> {
  const start = recorder.now();
  let state = await container.inspect();
  while (state.running) {
    if ((recorder.now() - start) / 1e6 > REAP_LIMIT_MS) {
      throw new EngineError(
        `container ${container.name}: its PID 1 is gone, but after ${REAP_LIMIT_MS} ms the engine still shows it as ${state.status}`,
      );
    }
    await sleep(20);
    state = await container.inspect();
  }
  const kills = recorder.observations.findLast((seen) => seen.kind === 'oom');
  recorder.record({
    kind: 'exit.state',
    running: state.running,
    status: state.status,
    oomKilled: state.oomKilled,
    ...(state.exitCode === undefined ? {} : { exitCode: state.exitCode }),
    ...(kills?.kind === 'oom' ? { cgroupOomKills: kills.kills } : {}),
    ...(state.startedAtNs === undefined ? {} : { startedAt: fromEngine(state.startedAtNs) }),
    ...(state.finishedAtNs === undefined ? {} : { finishedAt: fromEngine(state.finishedAtNs) }),
    ...(state.error ? { error: state.error } : {}),
  });
  return state;
}

/** The engine's events of this container, from its creation. Records one `engine.event` each. */
export async function recordEngineEvents(
  container: RunningContainer,
  recorder: Recorder,
  fromEngine: (ns: bigint) => Nanoseconds,
): Promise<void> {
  for (const event of await container.events()) {
    recorder.record({
      kind: 'engine.event',
      action: event.action,
      at: fromEngine(event.atNs),
      ...(event.signal === undefined ? {} : { signal: event.signal }),
      ...(event.exitCode === undefined ? {} : { exitCode: event.exitCode }),
    });
    if (event.action === 'oom') recorder.record({ kind: 'oom', source: 'event', kills: 1 });
  }
}
