import type { Access } from '../wire/connection.ts';
import type { HeldWork, Started, TrafficContext } from './traffic.ts';
import type { WatchedConnection } from './watched-connection.ts';

type Missing = Extract<Started, { missing: unknown }>;

/** The same way in for HTTP/1.1 written by hand: where HTTP/2 was asked for, TLS without it. */
export function plainAccess(access: Access): Access {
  return access.over === 'h2' ? { ...access, over: 'https' } : access;
}

/** A watched connection as held work: records its end. `finish` is what completes our part, where something does. */
export function holdConnection(
  context: TrafficContext,
  piece: {
    readonly connection: WatchedConnection;
    readonly id: string;
    readonly shape: string;
    /** Bytes that complete the harness's part. */
    readonly rest?: string;
    /** What is done before it is given up. */
    readonly beforeRelease?: () => Promise<void>;
    /** Said of it where nothing had happened to it. */
    readonly heldMessage?: string;
  },
): HeldWork {
  const { connection, id, shape, rest } = piece;
  const { recorder } = context;
  const { begin } = connection;
  const ended = connection.ended.then((end) => {
    recorder.record({ kind: 'work.ended', begin, id, shape, ...end });
  });
  let finished = rest === undefined;
  return {
    ended,
    finish() {
      if (finished || rest === undefined || connection.end !== undefined) return;
      finished = true;
      const sendBegin = recorder.now();
      void connection.send(rest).then((t) => {
        if (t !== undefined) recorder.record({ kind: 'work.finished', begin: sendBegin, t, id, shape });
      });
    },
    async release() {
      if (connection.end === undefined) await piece.beforeRelease?.();
      connection.giveUp(piece.heldMessage);
      await ended;
    },
  };
}

/** Say that nothing could be held, with everything that was tried. */
export function notHeld(
  context: TrafficContext,
  shape: string,
  tried: readonly string[],
  missing: { readonly reason: string; readonly declare: string },
): Missing {
  context.recorder.record({ kind: 'work.failed', id: context.id, shape, tried, message: missing.reason });
  return { missing: { capability: 'held work', ...missing } };
}

/** Say that the way in itself does not work: a complete request over it was not answered. */
export function noWayIn(context: TrafficContext, shape: string, problem: string): Missing {
  const { recorder, id, access } = context;
  const tried = [`GET / with its whole head: ${problem}`];
  const tls = access.tls !== undefined;
  const reason = `a complete GET / over ${tls ? 'TLS' : 'HTTP'} on port ${access.port} was not answered: ${problem}`;
  recorder.record({ kind: 'work.failed', id, shape, tried, message: reason });
  return {
    missing: tls
      ? { capability: 'tls', reason, declare: `tls: { port: ${access.port}, ca: ca.pem }` }
      : { capability: 'http', reason, declare: 'port: 8080   # or --port 8080' },
  };
}
