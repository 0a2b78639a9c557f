import type { Duplex } from 'node:stream';
import { PassThrough } from 'node:stream';
import type Docker from 'dockerode';
import { inspectContainer } from './container-inspect.ts';
import { EngineError } from '../model/errors.ts';
import { toContainerState } from './container-state.ts';
import { demultiplexer } from './demultiplexer.ts';
import type { Sidecar, SidecarSpec } from './driver.ts';
import { LIMITS_MS } from './engine-call.ts';
import type { EngineConnection } from './engine-connection.ts';
import { removeContainer } from './engine-containers.ts';
import { ownershipLabels } from './engine-networks.ts';

function sidecarOptions(spec: SidecarSpec): Docker.ContainerCreateOptions {
  const { network } = spec;
  return {
    name: spec.name,
    Image: spec.image,
    Cmd: [...spec.command],
    User: '0',
    Labels: ownershipLabels(spec.ownership),
    Tty: false,
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    HostConfig: {
      NetworkMode: 'container' in network ? `container:${network.container}` : network.name,
      RestartPolicy: { Name: 'no' },
      AutoRemove: false,
      // What goes through it is not to be stored by the engine.
      LogConfig: { Type: 'none', Config: {} },
      // To tell the namespaces of a process of another user apart takes the capability to trace it.
      ...(spec.hostProcesses ? { PidMode: 'host', CapAdd: ['SYS_PTRACE'] } : {}),
    },
  };
}

/**
 * Attached past dockerode's own method, which sends its options as a body too: Podman takes that for the first input. Its
 * modem needs an empty body to send the request at all, and must not end it: Docker takes that for the end of the input.
 */
async function attachWithInput(client: Docker, id: string): Promise<Duplex> {
  const request = {
    path: `/containers/${id}/attach?`,
    method: 'POST',
    options: { stream: true, stdin: true, stdout: true, stderr: true },
    file: Buffer.alloc(0),
    hijack: true,
    isStream: true,
    openStdin: true,
    statusCodes: { 101: true, 200: true, 404: 'no such container', 409: 'not in a state for it', 500: 'server error' },
  };
  return await new Promise((resolve, reject) => {
    client.modem.dial(request as never, (error, stream) => (error ? reject(error) : resolve(stream as Duplex)));
  });
}

/** Creates a container with our hands on its input and output, and starts it. Throws EngineError; leaves nothing then. */
export async function startSidecar(connection: EngineConnection, spec: SidecarSpec): Promise<Sidecar> {
  const { caller } = connection;
  const client = await connection.client();
  const call = `start sidecar ${spec.name}`;
  const container = await caller.run(call, () => client.createContainer(sidecarOptions(spec)));
  const remove = async (): Promise<void> => await removeContainer(connection, container.id);
  try {
    const stream = await caller.run(call, () => attachWithInput(client, container.id));
    const output = outputOf(stream, spec.name);
    await caller.run(call, () => container.start(), LIMITS_MS.start);
    const { address } = toContainerState(await caller.run(call, () => inspectContainer(container)));
    return { id: container.id, ...(address === undefined ? {} : { address }), input: stream, output, remove };
  } catch (error) {
    await remove().catch(() => undefined);
    throw caller.failure(call, error);
  }
}

/** Standard output alone. What it says on stderr is why it ended: the error of the stream. */
function outputOf(stream: Duplex, name: string): PassThrough {
  const output = new PassThrough();
  output.on('error', () => undefined); // whoever reads it then, or later, gets it
  let complaint = '';
  const split = demultiplexer((which, chunk) => {
    if (which === 'stderr') complaint = `${complaint}${chunk.toString()}`.slice(-1000);
    else if (!output.write(chunk)) {
      stream.pause();
      output.once('drain', () => stream.resume());
    }
  });
  const end = (error?: Error): void => {
    if (output.writableEnded || output.destroyed) return;
    if (error === undefined && complaint === '') output.end();
    else output.destroy(new EngineError(`sidecar ${name}: ${complaint.trim() || error?.message}`, { cause: error }));
  };
  stream.on('data', split);
  stream.once('end', () => end());
  stream.once('close', () => end());
  stream.once('error', end);
  return output;
}
