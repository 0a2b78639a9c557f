import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EngineError } from '../model/errors.ts';
import { identifyEngine } from './engine-identity.ts';

const START_LIMIT_MS = 20_000;
const POLL_MS = 50;

/**
 * Runs the service for as long as standard input is open: the kernel closes it when this process ends, however it ends,
 * so that not even a SIGKILL leaves the service or its folder there. Arguments: the service's address and its folder.
 */
const TIED_TO_US = `exec 3<&0
podman system service --time=0 "$1" </dev/null &
service=$!
{ read -r end; trap '' TERM; kill "$service"; command -p rm -rf "$2"; } <&3 &
wait "$service"
code=$?
kill "$!" 2>/dev/null
wait
exit "$code"
`;

/** A Podman service of our own. */
export interface PodmanService {
  readonly address: string;
  /** Leader of its process group. */
  readonly pid: number;
  /** Ends it and removes its socket; fine when already ended. */
  stop(): Promise<void>;
}

/**
 * Starts `podman system service` on a socket in a new temporary folder. In a process group of its own, so that Ctrl-C
 * leaves it there for the clean-up. Throws EngineError with the command's own words.
 */
export async function startPodmanService(env: NodeJS.ProcessEnv): Promise<PodmanService> {
  const folder = await mkdtemp(join(tmpdir(), 'lf-qualify-podman-'));
  const address = `unix://${join(folder, 'podman.sock')}`;
  const log = join(folder, 'service.log');
  const { execa } = await import('execa');
  const subprocess = execa('/bin/sh', ['-c', TIED_TO_US, 'podman-service', address, folder], {
    env,
    extendEnv: false,
    detached: true,
    cleanup: false,
    reject: false,
    stdin: 'pipe',
    stdout: 'ignore',
    stderr: { file: log },
  });
  const stop = async (): Promise<void> => {
    subprocess.stdin.destroy();
    await subprocess;
    await rm(folder, { recursive: true, force: true });
  };
  let ended: string | undefined;
  void subprocess.then((result) => {
    ended =
      result.exitCode === undefined ? (result.originalMessage ?? `${result.signal}`) : `exit code ${result.exitCode}`;
  });
  const deadline = Date.now() + START_LIMIT_MS;
  while (ended === undefined && Date.now() < deadline) {
    const engine = await identifyEngine(address).catch(() => undefined);
    if (engine !== undefined && subprocess.pid !== undefined) return { address, pid: subprocess.pid, stop };
    await sleep(POLL_MS);
  }
  const said = (await readFile(log, 'utf8').catch(() => '')).trim().slice(-500);
  const reason = ended ?? `no answer within ${START_LIMIT_MS} ms`;
  await stop();
  throw new EngineError(`podman system service did not start: ${reason}${said === '' ? '' : `: ${said}`}`);
}
