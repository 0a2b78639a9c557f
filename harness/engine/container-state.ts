import type Docker from 'dockerode';
import type { ContainerState } from './driver.ts';
import { engineTimeNs } from './engine-time.ts';

/** The first address on any network. The top-level IPAddress is empty on user networks (engines.md section 5). */
function addressOf(info: Docker.ContainerInspectInfo): string | undefined {
  const networks = Object.values(info.NetworkSettings?.Networks ?? {});
  return networks.map((network) => network?.IPAddress).find((address) => address !== undefined && address !== '');
}

/** States in which PID 1 lives, whatever the flag beside them says. */
const ALIVE: readonly string[] = ['running', 'stopping', 'paused'];

/** `inspect` without the engines' differences: an ended container has an exit code and no pid, a running one the reverse. */
export function toContainerState(info: Docker.ContainerInspectInfo): ContainerState {
  const { State: state } = info;
  // In the middle of Podman's own stop `Running` is already false, with an exit code of 0 that means nothing yet.
  const running = state.Running || ALIVE.includes(state.Status);
  const startedAtNs = engineTimeNs(state.StartedAt);
  const finishedAtNs = engineTimeNs(state.FinishedAt);
  const address = addressOf(info);
  return {
    running,
    status: state.Status,
    ...(running ? { pid: state.Pid } : { exitCode: state.ExitCode }),
    oomKilled: state.OOMKilled,
    ...(startedAtNs === undefined ? {} : { startedAtNs }),
    // A container that runs again would show its former end.
    ...(finishedAtNs === undefined || running ? {} : { finishedAtNs }),
    ...(state.Error ? { error: state.Error } : {}),
    ...(address === undefined ? {} : { address }),
  };
}
