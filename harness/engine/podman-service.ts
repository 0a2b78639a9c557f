import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EngineError } from '../model/errors.ts';
import { identifyEngine } from './engine-identity.ts';

const START_LIMIT_MS = 20_000;
const POLL_MS = 50;

/** A Podman service of our own. */
export interface PodmanService {
  readonly address: string;
  readonly pid: number;
  /** Ends it by pid and removes its socket; fine when already ended. */
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
  const subprocess = execa('podman', ['system', 'service', '--time=0', address], {
    env,
    extendEnv: false,
    detached: true,
    cleanup: false,
    reject: false,
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: { file: log },
  });
  const end = (): void => void subprocess.kill('SIGTERM');
  process.once('exit', end);
  const stop = async (): Promise<void> => {
    end();
    await subprocess;
    process.off('exit', end);
    await rm(folder, { recursive: true, force: true });
  };
  let ended: string | undefined;
  void subprocess.then((result) => {
    ended = result.shortMessage ?? 'it ended by itself';
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
