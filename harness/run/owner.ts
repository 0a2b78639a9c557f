import { readFileSync } from 'node:fs';

/** `<boot id>:<pid>:<start ticks>`: names one process of one boot of one host, also after its pid is used again. */
export function processIdentity(pid: number = process.pid): string {
  return `${bootId()}:${pid}:${startTicks(pid) ?? 0}`;
}

/** Whether the process an identity names is still there. An identity of another host or boot cannot be told: `unknown`. */
export function identityState(identity: string): 'alive' | 'dead' | 'unknown' {
  const [boot, pid, ticks] = identity.split(':');
  if (boot === undefined || pid === undefined || ticks === undefined) return 'unknown';
  if (boot !== bootId()) return 'unknown';
  return startTicks(Number(pid)) === Number(ticks) ? 'alive' : 'dead';
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return 'no-boot-id';
  }
}

/** Field 22 of /proc/<pid>/stat; undefined when the process is gone or a zombie. */
function startTicks(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : Number(fields[19]);
  } catch {
    return undefined;
  }
}
