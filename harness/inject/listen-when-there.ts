import type { AddressInfo, Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Makes a server listen where the run's network reaches it: on the host's address there, or through a sidecar that hands
 * its connections over. Says where. Rejects with an Error that says why nothing can listen there.
 */
export type ListenThere = (server: Server) => Promise<{ readonly host: string; readonly port: number }>;

const RETRY_MS = 20;
const LIMIT_MS = 10_000;

/**
 * Listen on any free port of an address that may only come into being: the bridge of a Podman network appears with the
 * network's first container (engines.md). Tried again every 20 ms while the address is not there. Gives the port; throws
 * an Error that names the address where it is still missing after `limitMs`, and whatever else listening fails with.
 */
export async function listenWhenThere(server: Server, address: string, limitMs: number = LIMIT_MS): Promise<number> {
  const start = process.hrtime.bigint();
  for (;;) {
    const error = await listen(server, address);
    if (error === undefined) return (server.address() as AddressInfo).port;
    if (error.code !== 'EADDRNOTAVAIL') throw error;
    if (Number(process.hrtime.bigint() - start) / 1e6 >= limitMs) {
      throw new Error(`${address} is no address of this host, also after ${limitMs} ms: nothing can listen there`, {
        cause: error,
      });
    }
    await sleep(RETRY_MS);
  }
}

/** Listens on any free port of an address of this host, which may only come into being. */
export function listenAt(address: string): ListenThere {
  return async (server) => ({ host: address, port: await listenWhenThere(server, address) });
}

function listen(server: Server, address: string): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const failed = (error: NodeJS.ErrnoException): void => {
      server.off('listening', listening);
      resolve(error);
    };
    const listening = (): void => {
      server.off('error', failed);
      resolve(undefined);
    };
    server.once('error', failed);
    server.once('listening', listening);
    server.listen(0, address);
  });
}
