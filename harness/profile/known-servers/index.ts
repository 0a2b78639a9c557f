import { childrenOf, roleOf } from '../../contract/evidence/process-tree.ts';
import type { ProcessFact } from '../../model/observation.ts';
import { applicationServers } from './application-servers.ts';
import { dataServers } from './data-servers.ts';
import type { KnownServer } from './known-server.ts';
import { otherServers } from './other-servers.ts';
import { webServers } from './web-servers.ts';

export type { KnownServer, ServerSignal } from './known-server.ts';

/** All of them; the first that matches a process counts: what is special before what is general. */
export const knownServers: readonly KnownServer[] = [
  ...webServers,
  ...dataServers,
  ...applicationServers,
  ...otherServers,
];

/** What a profile may write under `server`. */
export const serverNames: readonly string[] = knownServers.map(({ name }) => name);

/** A known server and the process that tells it. */
export interface FoundServer {
  readonly server: KnownServer;
  readonly process: ProcessFact;
}

/**
 * The known server that a container runs: PID 1 itself, or the first that is known on the way down through inits, shells,
 * launchers and placeholders, level by level. Undefined where the processes on that way are none that is known, and where
 * there is no PID 1: what a process starts that is no such thing is its own affair.
 */
export function findServer(processes: readonly ProcessFact[]): FoundServer | undefined {
  let level = processes.filter(({ nsPid }) => nsPid === 1);
  const seen = new Set<ProcessFact>();
  while (level.length > 0) {
    for (const process of level) {
      const server = knownServers.find((known) => known.matches(process));
      if (server !== undefined) return { server, process };
      seen.add(process);
    }
    level = level
      .filter((process) => roleOf(process) !== 'service')
      .flatMap((process) => childrenOf(process, processes))
      .filter((process) => !seen.has(process));
  }
  return undefined;
}

/** The known server that a container runs, by its processes; see findServer. */
export function knownServer(processes: readonly ProcessFact[]): KnownServer | undefined {
  return findServer(processes)?.server;
}

/** The known server of this name, as a profile writes it. */
export function serverByName(name: string): KnownServer | undefined {
  return knownServers.find((server) => server.name === name);
}
