import { readdir, readFile, readlink } from 'node:fs/promises';
import type { ProcessFact } from '../model/observation.ts';

/** What /proc of the engine's host says about one container: read here, or by the helper in its sidecar. */
export interface ProcessReader {
  /** Every process of the container, PID 1 first; empty when none is left. Rejects where that cannot be told. */
  list(): Promise<readonly ProcessFact[]>;
  /** `oom_kill` of the container's memory cgroup; undefined when it cannot be read (it is gone with the container). */
  oomKills(): Promise<number | undefined>;
  /** How long all threads of what lives in the container have waited for a processor since they began, ms. Absent elsewhere. */
  waitedMs?(): Promise<number | undefined>;
  /** How long to leave between looks that are evidence, where one costs more than reading files here. */
  readonly everyMs?: number;
}

/** A reader for the container whose PID 1 has this pid on this host; root for other users' processes. */
export async function processReader(pid: number): Promise<ProcessReader> {
  const cgroups = await readFile(`/proc/${pid}/cgroup`, 'utf8').catch(() => '');
  const members = cgroupFiles(cgroups, 'pids', 'cgroup.procs');
  const memory = [
    ...cgroupFiles(cgroups, 'memory', 'memory.oom_control'),
    ...cgroupFiles(cgroups, 'memory', 'memory.events'),
  ];
  const namespace = await readlink(`/proc/${pid}/ns/pid`).catch(() => undefined);
  const listedPids = async (): Promise<number[]> =>
    (await firstReadable(members))?.split('\n').filter(Boolean).map(Number) ?? (await inNamespace(namespace));
  return {
    async list() {
      const listed = await listedPids();
      // a cgroup lists no zombies (IMG-4): each process is asked for its children besides
      const pids = [...new Set([...listed, ...(await Promise.all(listed.map(childrenOf))).flat()])];
      const facts = await Promise.all(pids.map(readProcess));
      return facts.filter((fact) => fact !== undefined).toSorted((a, b) => a.nsPid - b.nsPid);
    },
    async waitedMs() {
      const waited = await Promise.all((await listedPids()).map(waitedNs));
      return waited.length === 0 || waited.includes(undefined)
        ? undefined
        : waited.reduce<number>((sum, ns) => sum + (ns ?? 0), 0) / 1e6;
    },
    async oomKills() {
      const found = /^oom_kill (\d+)$/m.exec((await firstReadable(memory)) ?? '');
      return found ? Number(found[1]) : undefined;
    },
  };
}

/** Candidate paths of a file of the container's cgroup: the v1 controller's own tree, and the unified one. */
function cgroupFiles(cgroups: string, controller: string, file: string): string[] {
  const paths: string[] = [];
  for (const line of cgroups.split('\n')) {
    const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (path === undefined || controllers === undefined || path === '/') continue;
    if (controllers.split(',').includes(controller)) paths.push(`/sys/fs/cgroup/${controller}${path}/${file}`);
    if (controllers === '') paths.push(`/sys/fs/cgroup${path}/${file}`);
  }
  return paths;
}

async function firstReadable(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    const text = await readFile(path, 'utf8').catch(() => undefined);
    if (text !== undefined && text !== '') return text;
  }
  return undefined;
}

/** The children of a process, zombies among them: of every thread, since each may have forked. */
async function childrenOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => '')),
  );
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}

/** Of all threads; undefined where the kernel does not tell. */
async function waitedNs(pid: number): Promise<number | undefined> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const texts = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '')),
  );
  const waited = texts.map((text) => Number(/^\d+ (\d+) /.exec(text)?.[1]));
  return waited.some(Number.isNaN) ? undefined : waited.reduce((sum, ns) => sum + ns, 0);
}

async function inNamespace(namespace: string | undefined): Promise<number[]> {
  if (namespace === undefined) return [];
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const namespaces = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/ns/pid`).catch(() => undefined)));
  return pids.filter((_, index) => namespaces[index] === namespace);
}

async function readProcess(pid: number): Promise<ProcessFact | undefined> {
  try {
    const [status, cmdline, tasks] = await Promise.all([
      readFile(`/proc/${pid}/status`, 'utf8'),
      readFile(`/proc/${pid}/cmdline`, 'utf8'),
      readdir(`/proc/${pid}/task`),
    ]);
    const field = (name: string): string => new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1] ?? '';
    const threads = await Promise.all(
      tasks.map((task) => readFile(`/proc/${pid}/task/${task}/status`, 'utf8').catch(() => '')),
    );
    const blocked = threads.reduce(
      (mask, text) => mask | BigInt(`0x${/^SigBlk:\s*(\w+)$/m.exec(text)?.[1] ?? '0'}`),
      0n,
    );
    return {
      pid,
      nsPid: Number(field('NSpid').split(/\s+/).at(-1) ?? pid),
      ppid: Number(field('PPid')),
      comm: field('Name'),
      args: cmdline.split('\0').filter((part, index, all) => part !== '' || index < all.length - 1),
      state: field('State').slice(0, 1),
      threads: Number(field('Threads')),
      caught: field('SigCgt'),
      ignored: field('SigIgn'),
      blocked: blocked.toString(16).padStart(16, '0'),
    };
  } catch {
    return undefined; // it ended between listing and reading: absence is the fact
  }
}
