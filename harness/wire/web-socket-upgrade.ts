import type { UpgradeObservation, WebSocketEndpoint } from '../model/websocket.ts';
import type { Nanoseconds } from '../model/time.ts';
import type { WebSocketLine } from './web-socket.ts';
import { within } from './within.ts';

/** No answer for this long: hung, as for the requests of the admission probe. */
export const UPGRADE_LIMIT_MS = 1000;
/** An upgraded socket is looked at for so long: whether it is served, and how it ends. */
const LOOK_MS = 1000;

type Seen = Omit<UpgradeObservation, 'kind' | 'id' | 'via' | 'path'> & { readonly t: Nanoseconds };

/**
 * What came of a request for an upgrade that is completely sent (WSS-6). An upgraded socket is asked what a new one would
 * be: whether it is served shows only where an answer is declared, since any message may be a farewell.
 */
export async function upgradeOutcome(
  line: WebSocketLine,
  endpoint: WebSocketEndpoint,
  now: () => Nanoseconds,
): Promise<Seen> {
  const how = await line.handshake(UPGRADE_LIMIT_MS);
  const { sentBegin, sentAt, answeredAt, status } = line;
  const stamps = {
    ...(sentBegin === undefined ? {} : { sentBegin }),
    ...(sentAt === undefined ? {} : { sentAt }),
    ...(answeredAt === undefined ? {} : { answeredAt }),
  };
  const said = line.over?.message === undefined ? {} : { message: line.over.message };
  switch (how) {
    case 'over': {
      const outcome = line.over?.by === 'timeout' ? 'hung' : 'reset';
      return { t: line.over?.t ?? now(), outcome, ...stamps, ...said };
    }
    case 'hung':
      return { t: now(), outcome: 'hung', ...stamps, message: `no answer within ${UPGRADE_LIMIT_MS} ms` };
    case 'answered': {
      const { problem } = line.seen;
      const what = problem === undefined ? { status: status ?? 0 } : { message: problem };
      return { t: answeredAt ?? now(), outcome: 'answered', ...stamps, ...what };
    }
    case 'upgraded': {
      const telling = [endpoint.register, endpoint.ask].find((exchange) => exchange?.answer !== undefined);
      const looked = now();
      const served = telling && (await line.ask(telling, LOOK_MS)) === undefined;
      await within(line.ended, Math.max(1, LOOK_MS - (now() - looked) / 1e6));
      const end = endOf(line);
      return {
        t: answeredAt ?? now(),
        outcome: 'upgraded',
        status: 101,
        ...stamps,
        ...(served === undefined ? {} : { served }),
        ...(end === undefined ? {} : { end }),
      };
    }
  }
}

/** The end of the connection, or the Close frame before it. */
function endOf({ over, seen }: WebSocketLine): UpgradeObservation['end'] {
  const t = over?.t ?? seen.close?.t;
  if (t === undefined) return undefined;
  const by = over?.by === undefined || over.by === 'GOAWAY' ? {} : { by: over.by };
  return { ...seen, ...by, t };
}
