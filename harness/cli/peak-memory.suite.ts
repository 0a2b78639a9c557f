import { readdirSync, readFileSync } from 'node:fs';

/** What the kernel noted as the most memory that each process below one ever had, MB; it is exact however late it is read. */
export interface PeakMemory {
  /** By command line; of processes that have ended the last that was read. */
  readonly megabytes: ReadonlyMap<string, number>;
  stop(): void;
}

const LOOK_MS = 100;

/** Look at a process and all below it until stopped. */
export function watchPeakMemory(root: number): PeakMemory {
  const megabytes = new Map<string, number>();
  const look = (): void => {
    const parents = new Map<number, number>();
    const peaks = new Map<number, number>();
    for (const pid of readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)) {
      const status = read(pid, 'status');
      parents.set(pid, Number(/^PPid:\s+(\d+)/m.exec(status)?.[1] ?? 0));
      peaks.set(pid, Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024);
    }
    for (const [pid, peak] of peaks) {
      if (!isBelow(pid, root, parents)) continue;
      const name = `${pid} ${read(pid, 'cmdline').replaceAll('\0', ' ').trim()}`;
      megabytes.set(name, Math.max(peak, megabytes.get(name) ?? 0));
    }
  };
  const timer = setInterval(look, LOOK_MS);
  return { megabytes, stop: () => clearInterval(timer) };
}

function isBelow(pid: number, root: number, parents: ReadonlyMap<number, number>): boolean {
  for (let at = pid; at > 1; at = parents.get(at) ?? 0) if (at === root) return true;
  return false;
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return ''; // it has ended
  }
}
