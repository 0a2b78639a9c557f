import type { Fate } from '../model/observation.ts';
import type { Ending } from '../wire/ending.ts';
import type { Goaway, Http2Session } from '../wire/http2-session.ts';
import { announcesOnly } from '../wire/http2-session.ts';
import type { Http2Stream } from '../wire/http2-stream.ts';
import type { TrafficContext } from './traffic.ts';

const SHAPE = 'h2-new-stream';
const EVERY_MS = 50;
const MOST = 20;

/**
 * The peer that ignores GOAWAY: from the first one that turns streams away it asks for a new stream every so often, until
 * the session is closed. Each is recorded with its fate: `refused` however it was turned away, also by the end of the
 * session; `answered`; or `hung` where nothing had come when it was given up. A GOAWAY that only announces lets new
 * streams in still, so nothing is asked after it.
 */
export function askAfterGoaway(
  context: TrafficContext,
  id: string,
): { heard(session: Http2Session, goaway: Goaway): void; stop(): Promise<void> } {
  const { recorder } = context;
  const asked: { readonly stream: Http2Stream; readonly recorded: Promise<void> }[] = [];
  let timer: NodeJS.Timeout | undefined;
  const next = (session: Http2Session, goaway: Goaway): void => {
    const stream = asked.length < MOST ? session.request('GET', '/', false) : undefined;
    if (stream === undefined) {
      clearInterval(timer);
      return;
    }
    const work = { id: `${id}-new-${asked.length + 1}`, shape: SHAPE, begin: stream.begin } as const;
    const recorded = stream.ended.then((end) => {
      const last = session.goaway?.lastStream ?? goaway.lastStream;
      const asks = `stream ${stream.id} after GOAWAY with last stream ${last}`;
      const message = end.message === undefined ? asks : `${asks}: ${end.message}`;
      recorder.record({ kind: 'work.ended', ...work, ...end, fate: fateOf(end), message });
    });
    asked.push({ stream, recorded });
  };
  return {
    heard(session, goaway) {
      if (timer !== undefined || goaway.lastStream === announcesOnly) return;
      timer = setInterval(() => next(session, goaway), EVERY_MS).unref();
      next(session, goaway);
      void session.ended.then(() => clearInterval(timer));
    },
    async stop() {
      clearInterval(timer);
      for (const { stream } of asked) stream.giveUp();
      await Promise.all(asked.map(({ recorded }) => recorded));
    },
  };
}

function fateOf({ fate }: Ending): Fate {
  if (fate === 'closed' || fate === 'reset') return 'refused';
  return fate === 'held' ? 'hung' : fate;
}
