import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { hostInUrl } from '../model/network.ts';
import type { ListenThere } from './listen-when-there.ts';

/** How long a closed server is waited for, ms: everything on it was destroyed before. */
const CLOSE_LIMIT_MS = 1000;

/** An HTTP server of the harness that a service of the run talks to. */
export interface PlayedServer {
  /** What the service is told: `http://address:port`. */
  readonly url: string;
  /**
   * Ends the server and all its connections, and waits for what else ends with them. Never throws, and leaves nothing
   * behind that keeps the process alive.
   */
  close(sessionEnds?: Iterable<Promise<void>>): Promise<void>;
}

/** Listens where `listen` says; `onError` is told what goes wrong with the server later. Rejects where nothing can listen. */
export async function openPlayedServer(
  server: Server,
  listen: ListenThere,
  onError: (error: Error) => void,
): Promise<PlayedServer> {
  const sockets = new Set<Duplex>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const { host, port } = await listen(server);
  server.on('error', onError);
  server.unref();
  return {
    url: `http://${hostInUrl(host)}:${port}`,
    close: async (sessionEnds = []) => {
      // one that never listened itself has nothing to close, and says so
      const ended = Promise.all([new Promise<void>((resolve) => server.close(() => resolve())), ...sessionEnds]);
      for (const socket of sockets) socket.destroy();
      await inTime(CLOSE_LIMIT_MS, ended, undefined);
    },
  };
}

/** The value, or `otherwise` once the time is over; its timer does not outlive it. */
export async function inTime<T, U>(limitMs: number, value: Promise<T>, otherwise: U): Promise<T | U> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<U>((resolve) => {
    timer = setTimeout(() => resolve(otherwise), limitMs);
  });
  try {
    return await Promise.race([value, late]);
  } finally {
    clearTimeout(timer);
  }
}
