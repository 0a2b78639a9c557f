import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { inspectContainer } from './container-inspect.ts';
import { EngineError } from '../model/errors.ts';
import { toContainerState } from './container-state.ts';
import { demultiplexer } from './demultiplexer.ts';
import type { CommandResult, ContainerState } from './driver.ts';
import { LIMITS_MS } from './engine-call.ts';
import type { EngineConnection } from './engine-connection.ts';

/** What is kept of a command's output. */
export const OUTPUT_LIMIT_BYTES = 64 * 1024;
/** The output of a command ends moments before its code is known. */
const CODE_POLL_MS = 10;
/** What a runtime writes, in place of the command, when it cannot run it; with 126 on Docker, 127 on Podman. */
const NOT_RUN = /^(Error: )?(OCI runtime exec failed|runc: exec failed|crun: )/;

export type Health = 'healthy' | 'unhealthy' | 'starting' | 'none';

/** A container's state by its id, whoever started it. Throws EngineError, also where there is no such container. */
export async function stateById(connection: EngineConnection, id: string): Promise<ContainerState> {
  const container = (await connection.client()).getContainer(id);
  return toContainerState(await connection.caller.run(`inspect ${id}`, () => inspectContainer(container)));
}

/** Runs a command in a running container. Throws EngineError where it cannot be run or is not done within the limit. */
export async function runIn(
  connection: EngineConnection,
  id: string,
  command: readonly string[],
  limitMs: number,
): Promise<CommandResult> {
  const container = (await connection.client()).getContainer(id);
  const call = `run ${command[0] ?? ''} in ${id}`;
  const result = await connection.caller.run(call, () => execute(container, command), limitMs);
  if ((result.exitCode === 126 || result.exitCode === 127) && NOT_RUN.test(result.output)) {
    throw new EngineError(`${connection.dialect.name} at ${connection.address}: ${call} failed: ${result.output}`);
  }
  return result;
}

async function execute(container: Docker.Container, command: readonly string[]): Promise<CommandResult> {
  const exec = await container.exec({ Cmd: [...command], AttachStdout: true, AttachStderr: true, Tty: false });
  const stream = await exec.start({ hijack: false, stdin: false });
  const kept: Buffer[] = [];
  let left = OUTPUT_LIMIT_BYTES;
  const split = demultiplexer((_stream, chunk) => {
    if (left <= 0) return;
    kept.push(chunk.subarray(0, left));
    left -= chunk.length;
  });
  await new Promise<void>((resolve, reject) => {
    stream.on('data', split);
    stream.once('end', resolve);
    stream.once('close', resolve);
    stream.once('error', reject);
  });
  for (;;) {
    const { Running: running, ExitCode: exitCode } = await exec.inspect();
    if (!running && exitCode !== null) return { exitCode, output: Buffer.concat(kept).toString('utf8').trimEnd() };
    await sleep(CODE_POLL_MS);
  }
}

/**
 * What the image's HEALTHCHECK says: as the engine saw it last, or run now where the engine runs none by itself
 * (engines.md section 7). A container that has ended is not healthy. Throws EngineError.
 */
export async function healthOf(connection: EngineConnection, id: string): Promise<Health> {
  const { caller, dialect } = connection;
  const container = (await connection.client()).getContainer(id);
  const call = `health of ${id}`;
  const { Config: config, State: state } = await caller.run(call, () => inspectContainer(container));
  const test = (config as { Healthcheck?: { readonly Test?: readonly string[] } | null }).Healthcheck?.Test ?? [];
  if (test.length === 0 || test[0] === 'NONE') return 'none';
  if (!state.Running) return 'unhealthy';
  if (dialect.healthPath === undefined) return healthIn(state.Health?.Status);
  const path = dialect.healthPath(id);
  try {
    const seen = await caller.run(call, () => connection.get(path), LIMITS_MS.quick);
    return healthIn((seen as { readonly Status?: unknown }).Status);
  } catch (error) {
    if (error instanceof EngineError && !error.lost && !(await stateById(connection, id)).running) return 'unhealthy';
    throw error;
  }
}

function healthIn(status: unknown): Health {
  return status === 'healthy' || status === 'unhealthy' ? status : 'starting';
}
