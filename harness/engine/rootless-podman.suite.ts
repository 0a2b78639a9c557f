import { execa } from 'execa';
import { join } from 'node:path';

const script = join(import.meta.dirname, '..', '..', 'scripts', 'rootless-podman.sh');

/** The user whose Podman it is. */
export const ROOTLESS_USER = 'lfq-rootless';

/** The socket of the rootless Podman that `scripts/engines.sh up` starts, or an error that says so. */
export async function rootlessSocket(): Promise<string> {
  const { stdout, failed } = await execa('bash', [script, 'socket'], { reject: false });
  if (!failed) return stdout.trim();
  throw new Error('this test needs a rootless Podman: run `bash scripts/engines.sh up` as root first');
}
