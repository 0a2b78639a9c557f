import type Docker from 'dockerode';
import { reasonOf } from '../model/network.ts';

/** Podman reads this of a process that it has just seen running. */
const ENDED_MEANWHILE = /\/proc\/\d+\/cgroup: no such (?:process|file)/;

/**
 * What the engine says of a container. Podman answers 500 where PID 1 ends while it is looked at; looked at once more, the
 * container has ended. Throws what the engine's API throws.
 */
export async function inspectContainer(
  container: Pick<Docker.Container, 'inspect'>,
): Promise<Docker.ContainerInspectInfo> {
  try {
    return await container.inspect();
  } catch (error) {
    if (!ENDED_MEANWHILE.test(reasonOf(error))) throw error;
    return await container.inspect();
  }
}
