import { readFileSync, readlinkSync } from 'node:fs';

/**
 * What can be told of the process that an identity names: `alive` or `dead`; `hidden`: it was started on this boot of
 * this host, but in another PID namespace (the harness in a container), where nobody here can see it; `unknown`: of
 * another boot or another host.
 */
export type OwnerState = 'alive' | 'dead' | 'hidden' | 'unknown';

const NO_BOOT_ID = 'no-boot-id';

/**
 * `<boot id>:<pid>:<start ticks>:<pid namespace>`: names one process of one boot of one host, also after its pid is used
 * again, and not that of another container on the host that happens to have the same pid.
 */
export function processIdentity(pid: number = process.pid): string {
  return `${bootId()}:${pid}:${startTicks(pid) ?? 0}:${pidNamespace()}`;
}

/** Whether the process an identity names is still there, as far as it can be told from here. */
export function identityState(identity: string): OwnerState {
  const [boot, pid, ticks, namespace = pidNamespace()] = identity.split(':');
  if (boot === undefined || pid === undefined || ticks === undefined) return 'unknown';
  if (boot !== bootId()) return 'unknown';
  if (namespace !== pidNamespace()) return 'hidden';
  return startTicks(Number(pid)) === Number(ticks) ? 'alive' : 'dead';
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return NO_BOOT_ID;
  }
}

/** Inode of this process's PID namespace; 0 where there is none. */
function pidNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    return '0';
  }
}

/** Field 22 of /proc/<pid>/stat; undefined when the process is gone or a zombie. Without a /proc 0 for whoever is there. */
function startTicks(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : Number(fields[19]);
  } catch {
    return bootId() === NO_BOOT_ID && isThere(pid) ? 0 : undefined;
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
