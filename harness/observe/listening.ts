import { BlockList, isIPv4 } from 'node:net';
import type { ProcessFact } from '../model/observation.ts';
import { processesIn, snapshotLines } from './snapshot.ts';

/** A TCP port that is listened on in a container. */
export interface Listener {
  readonly port: number;
  /** `reachable` where one of its addresses is one that others reach: its own, or all. */
  readonly from: 'reachable' | 'loopback';
}

/** What runs in a container and what it listens on, at one moment. */
export interface Standing {
  /** PID 1 first. */
  readonly processes: readonly ProcessFact[];
  /** A port once, in order. */
  readonly listeners: readonly Listener[];
}

interface Socket {
  readonly ev: 'socket';
  readonly state: 'listening' | 'established';
  readonly local: string;
  readonly localPort: number;
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Docker's own name server, which it puts into the network of every container: no process of the image listens there. */
const DOCKER_RESOLVER = '127.0.0.11';

/**
 * What the helper's `snapshot PID` says of a container: one JSON line a process and a socket. Throws for a snapshot without
 * its last line, which might lack some.
 */
export function standingIn(text: string): Standing {
  const lines = snapshotLines<{ readonly ev: string }>(text);
  const sockets = lines
    .filter((line): line is Socket => line.ev === 'socket')
    .filter(({ state, local }) => state === 'listening' && local !== DOCKER_RESOLVER);
  const reachable = new Set(sockets.filter(({ local }) => !isLoopback(local)).map(({ localPort }) => localPort));
  const ports = [...new Set(sockets.map(({ localPort }) => localPort))].toSorted((a, b) => a - b);
  return {
    processes: treeOf(processesIn(lines)),
    listeners: ports.map((port) => ({ port, from: reachable.has(port) ? 'reachable' : 'loopback' })),
  };
}

/** PID 1 and its descendants: what the engine put beside them, such as a HEALTHCHECK, comes and goes. */
function treeOf(processes: readonly ProcessFact[]): readonly ProcessFact[] {
  const within = new Set(processes.filter(({ nsPid }) => nsPid === 1).map(({ pid }) => pid));
  for (let size = 0; size !== within.size; ) {
    size = within.size;
    for (const { pid, ppid } of processes) if (within.has(ppid)) within.add(pid);
  }
  return processes.filter(({ pid }) => within.has(pid));
}

/** An IPv4 address of a socket that speaks both is written as IPv6: `::ffff:127.0.0.1`. */
function isLoopback(address: string): boolean {
  const bare = address.replace(/^::ffff:(?=\d+\.)/i, '');
  return loopback.check(bare, isIPv4(bare) ? 'ipv4' : 'ipv6');
}
