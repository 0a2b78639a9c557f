import type { Http2Session } from '../wire/http2-session.ts';
import type { Http2Stream } from '../wire/http2-stream.ts';
import type { HeldWork, TrafficContext } from './traffic.ts';

const STREAM = 'h2-stream';
const SESSION = 'h2-session';
const STEP_MS = 50;

/** One more byte of every body now and then, so that nobody takes it for dead. Ends with the session. */
export function trickle(session: Http2Session, streams: readonly Http2Stream[]): void {
  const timer = setInterval(() => {
    for (const stream of streams) stream.trickle();
  }, STEP_MS).unref();
  void session.ended.then(() => clearInterval(timer));
}

/** A stream as held work: records that it is held, later its end. */
export function heldStream(
  context: TrafficContext,
  id: string,
  stream: Http2Stream,
  how: string,
  normal: { readonly status: number; readonly bytes: number },
): HeldWork {
  const { recorder } = context;
  const { begin } = stream;
  const work = { id, shape: STREAM } as const;
  recorder.record({ kind: 'work.held', begin, ...work, how, over: 'h2', admitted: true, ends: 'finish', normal });
  const ended = stream.ended.then((end) => {
    recorder.record({ kind: 'work.ended', begin, ...work, ...end });
  });
  return {
    ended,
    finish() {
      const sendBegin = recorder.now();
      void stream.finish().then((t) => {
        if (t !== undefined) recorder.record({ kind: 'work.finished', begin: sendBegin, t, ...work });
      });
    },
    async release() {
      stream.giveUp();
      await ended;
    },
  };
}

/** A session as held work: nobody of ours ends it. `stop` is what must end before it. */
export function heldSession(
  context: TrafficContext,
  id: string,
  session: Http2Session,
  how: string,
  stop?: () => Promise<void>,
): HeldWork {
  const { recorder } = context;
  const { begin } = session;
  const work = { id, shape: SESSION } as const;
  recorder.record({ kind: 'work.held', begin, ...work, how, over: 'h2', admitted: false, ends: 'never' });
  const ended = session.ended.then((end) => {
    recorder.record({ kind: 'work.ended', begin, ...work, ...end });
  });
  return {
    ended,
    finish: () => undefined,
    async release() {
      await stop?.();
      session.giveUp();
      await ended;
    },
  };
}
