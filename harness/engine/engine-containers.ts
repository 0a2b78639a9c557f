import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { inspectContainer } from './container-inspect.ts';
import { EngineError } from '../model/errors.ts';
import { endedAfterRefusal, untilEnded } from './container-end.ts';
import { createCall } from './container-options.ts';
import { toContainerState } from './container-state.ts';
import type { ContainerSpec, ContainerState, HeldContainer, RunningContainer, StartHooks } from './driver.ts';
import { LIMITS_MS, reasonOf } from './engine-call.ts';
import type { EngineConnection } from './engine-connection.ts';
import { pastEvents } from './engine-events.ts';
import { inspectImage } from './engine-images.ts';
import { engineTimeNs } from './engine-time.ts';
import type { AttachedOutput } from './output.ts';
import { attachOutput } from './output.ts';
import { placeFiles, readPlacedFiles } from './placed-files.ts';
import { signalName } from './signal-names.ts';
import { readStoredLog } from './stored-log.ts';
import { startByTestcontainers } from './testcontainers-start.ts';

const REMOVAL_POLL_MS = 20;
const MOST_REMOVALS = 100;
/** Podman: it ended by itself while it was to be killed for its removal. */
const ENDED_MEANWHILE = /could not be stopped: .*container state improper/i;
/** Podman takes some 100 ms to clean up behind a container that has ended. */
const CLEAN_UP_POLL_MS = 10;
const MOST_LOOKS = 500;
/** What both engines wait for when a container names no stop timeout. */
const ENGINE_STOP_S = 10;

async function stateOf(connection: EngineConnection, container: Docker.Container): Promise<ContainerState> {
  return toContainerState(await connection.caller.run(`inspect ${container.id}`, () => inspectContainer(container)));
}

/** Removes with force; fine when already gone, and waits for a removal that is already under way. */
export async function removeContainer(connection: EngineConnection, id: string): Promise<void> {
  const container = (await connection.client()).getContainer(id);
  await connection.caller.runUnless([404], `remove ${id}`, async () => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await container.remove({ force: true, v: true });
      } catch (error) {
        if (attempt === MOST_REMOVALS || !ENDED_MEANWHILE.test(reasonOf(error))) return await removed(container, error);
      }
      await sleep(REMOVAL_POLL_MS);
    }
  });
}

/** Waits for a removal that is already under way; throws what removing failed with where none is. */
async function removed(container: Docker.Container, error: unknown): Promise<void> {
  if (!/already in progress/i.test(reasonOf(error))) throw error;
  // Ends by the 404 of a container that is gone, or by the limit of the call.
  for (;;) {
    await inspectContainer(container);
    await sleep(REMOVAL_POLL_MS);
  }
}

/** What the engines and testcontainers say of a missing image reads like a misspelt name. */
async function requireImage(connection: EngineConnection, call: string, image: string, cause: Error): Promise<void> {
  if ((await inspectImage(connection, image).catch(() => image)) !== undefined) return;
  const { dialect, address } = connection;
  throw new EngineError(
    `${dialect.name} at ${address}: ${call} failed: the engine does not have it: pull or load it first`,
    {
      cause,
    },
  );
}

/** Podman says the first (engines.md section 2), Docker the second: its daemon looks for `docker-init` in its own PATH. */
const NO_INIT = /container-init binary not found|exec: "docker-init": executable file not found/i;

/** The failure of a start; it tells where an init was asked for that the engine does not have. */
function startFailure(connection: EngineConnection, call: string, spec: ContainerSpec, error: unknown): EngineError {
  const failed = connection.caller.failure(call, error);
  if (!spec.init || failed.lost || !NO_INIT.test(failed.message)) return failed;
  return new EngineError(failed.message, { cause: failed, missing: 'init' });
}

/** Creates, attaches, starts. A container that did not come up is removed again. Throws EngineError naming the image. */
export async function startContainer(
  connection: EngineConnection,
  spec: ContainerSpec,
  hooks: StartHooks,
): Promise<RunningContainer> {
  const { caller } = connection;
  const client = await connection.client();
  let output: AttachedOutput | undefined;
  let createdId: string | undefined;
  const files = await readPlacedFiles(spec);
  const onCreated = async (id: string): Promise<void> => {
    createdId = id;
    hooks.onCreated?.(id, spec.name);
    await placeFiles(client.getContainer(id), files);
    output = await attachOutput(client.getContainer(id), hooks);
  };
  const call = `start ${spec.name} from image ${spec.image}`;
  try {
    const started = () => startByTestcontainers(connection, spec, onCreated);
    const info = await caller.run(call, started, LIMITS_MS.start);
    if (output === undefined) throw new EngineError(`${call}: the output was never attached`);
    return runningContainer(connection, client.getContainer(info.Id), spec.name, info, output);
  } catch (error) {
    const failed = startFailure(connection, call, spec, error);
    if (createdId === undefined && !failed.lost) await requireImage(connection, call, spec.image, failed);
    if (createdId !== undefined && !failed.lost) await removeContainer(connection, createdId).catch(() => undefined);
    throw failed;
  }
}

/** Create and start, past testcontainers; its output is attached only where somebody listens. Throws EngineError. */
export async function holdContainer(
  connection: EngineConnection,
  spec: ContainerSpec,
  hooks: StartHooks,
): Promise<HeldContainer> {
  const { caller, dialect } = connection;
  const client = await connection.client();
  const call = `hold ${spec.name} from image ${spec.image}`;
  const files = await readPlacedFiles(spec);
  const container = await caller
    .run(call, () => client.createContainer(createCall(spec, dialect.tmpfsOptions)))
    .catch((error: unknown) => {
      throw startFailure(connection, call, spec, error);
    });
  const remove = (): Promise<void> => removeContainer(connection, container.id);
  try {
    hooks.onCreated?.(container.id, spec.name);
    await caller.run(call, () => placeFiles(container, files));
    if (hooks.onOutput !== undefined) await caller.run(call, () => attachOutput(container, hooks));
    await caller.run(call, () => container.start(), LIMITS_MS.start);
    const { address } = await stateOf(connection, container);
    return { id: container.id, ...(address === undefined ? {} : { address }), remove };
  } catch (error) {
    await remove().catch(() => undefined);
    throw startFailure(connection, call, spec, error);
  }
}

function runningContainer(
  connection: EngineConnection,
  container: Docker.Container,
  name: string,
  info: Docker.ContainerInspectInfo,
  output: AttachedOutput,
): RunningContainer {
  const { caller, dialect } = connection;
  const { id } = container;
  const { address, pid } = toContainerState(info);
  const createdAtNs = engineTimeNs(info.Created) ?? 0n;
  const inspect = (): Promise<ContainerState> => stateOf(connection, container);

  /** The status differs by engine and is shared with other faults: the words, confirmed by inspect (section 10). */
  async function endedMeanwhile(error: unknown): Promise<boolean> {
    if (!(error instanceof EngineError) || error.lost || !dialect.killOnEnded.test(error.message)) return false;
    return await endedAfterRefusal(inspect);
  }

  async function kill(signal: string): Promise<'delivered' | 'ended'> {
    const call = `kill ${signal} ${id}`;
    try {
      await caller.run(call, () => container.kill({ signal: `SIG${signalName(signal)}` }));
      return 'delivered';
    } catch (error) {
      if (await endedMeanwhile(error)) return 'ended';
      throw error;
    }
  }

  async function stop(timeoutS: number | undefined = dialect.defaultStopS): Promise<void> {
    const limitMs = LIMITS_MS.quick + (timeoutS ?? ENGINE_STOP_S) * 1000;
    const options = timeoutS === undefined ? {} : { t: timeoutS };
    try {
      await caller.runUnless([304], `stop ${id}`, () => container.stop(options), limitMs);
    } catch (error) {
      // A stop that meets an exit in progress is refused although the container stopped (Podman).
      if (await endedMeanwhile(error)) return;
      throw error;
    }
  }

  async function startAgain(hooks: StartHooks): Promise<RunningContainer> {
    const call = `start ${name} again`;
    // Podman attaches to one that it has cleaned up, and not to one that is only `stopped`
    for (let look = 1; look <= MOST_LOOKS && (await inspect()).status !== 'exited'; look += 1)
      await sleep(CLEAN_UP_POLL_MS);
    const again = await caller.run(call, () => attachOutput(container, hooks));
    await caller.run(call, () => container.start(), LIMITS_MS.start);
    const started = await caller.run(`inspect ${id}`, () => inspectContainer(container));
    return runningContainer(connection, container, name, started, again);
  }

  return {
    id,
    name,
    pid: pid ?? 0,
    ...(address === undefined ? {} : { address }),
    inspect,
    kill,
    stop,
    ended: (abort) =>
      untilEnded(
        {
          inspect,
          outputEnd: output.ended,
          ...(dialect.cheapWait ? { wait: (abortSignal: AbortSignal) => container.wait({ abortSignal }) } : {}),
        },
        abort,
      ),
    logs: (listener, lastEntries) =>
      caller.run(`logs ${id}`, () => readStoredLog(container, listener, lastEntries), LIMITS_MS.logs),
    events: () => pastEvents(connection, id, createdAtNs),
    startAgain,
    remove: () => removeContainer(connection, id),
  };
}
