import type { StalledKind } from '../model/scenario.ts';
import { holdConnection, notHeld, noWayIn, plainAccess } from './held-connection.ts';
import type { Stall, WayToStall } from './stalled-kinds.ts';
import { waysToStall } from './stalled-kinds.ts';
import type { HeldWork, Started, TrafficContext, TrafficShape } from './traffic.ts';
import { askOnce } from './watched-connection.ts';

const SHAPE = 'stalled';
/** What the kernel has kept for a reader that stopped is read off within this; an endless answer goes on longer. */
const CATCH_UP_MS = 250;
const READER_STOPPED = 'not read on: an end behind what was not read cannot be seen';

const DECLARE: Readonly<Record<StalledKind, string>> = {
  silent: 'port: 8080   # one that waits for a request',
  'half-request-line': 'port: 8080   # one that waits for a whole request line',
  'half-headers': 'port: 8080   # one that waits for whole headers',
  'half-body': "endpoints: { upload: ['POST /path'] }",
  'half-tls-handshake': 'tls: { port: 8443 }',
  'reader-stops': "endpoints: { stream: ['GET /path'] }",
  'half-closed': "endpoints: { slow: ['GET /path?ms={ms}'] }",
};

/**
 * One connection that does not go on, of one kind (DRN-6). A complete request over the same way in must be answered first;
 * then the kind's forms are tried in order until one is held. Nobody ends it.
 */
export const stalledSocket: TrafficShape<'stalled'> = async (load, context) => {
  const kind = load.kind as StalledKind; // `$column` is resolved
  const { recorder, endpoints } = context;
  const access = plainAccess(context.access);
  const absent = notDeclared(kind, context);
  if (absent) return absent;
  const normal = await askOnce(access, recorder.now, { method: 'GET', path: '/' });
  if ('problem' in normal) return noWayIn(context, SHAPE, normal.problem);

  const tried: string[] = [];
  let closedAtOnce = false;
  for (const way of waysToStall(kind, access, endpoints)) {
    const stall = await way.stall({ access, now: recorder.now });
    if ('problem' in stall) {
      tried.push(`${way.how}: ${stall.problem}`);
      closedAtOnce ||= stall.closed === true;
    } else return { held: [hold(context, kind, way, stall)] };
  }
  const reason =
    kind === 'half-closed' && closedAtOnce
      ? 'the service closes a half-closed connection at once'
      : `no connection of kind ${kind} is held: ${tried.join('; ')}`;
  return notHeld(context, SHAPE, tried, { reason, declare: DECLARE[kind] });
};

function hold(context: TrafficContext, kind: StalledKind, way: WayToStall, stall: Stall): HeldWork {
  const { recorder } = context;
  const { connection } = stall;
  const id = `${context.id}-1`;
  recorder.record({
    kind: 'work.held',
    begin: connection.begin,
    id,
    shape: SHAPE,
    how: `${kind}: ${way.how}`,
    over: kind === 'half-tls-handshake' ? 'tcp' : plainAccess(context.access).over,
    admitted: way.admitted,
    ends: 'never',
    ...(stall.normal === undefined ? {} : { normal: stall.normal }),
  });
  const stopped =
    kind === 'reader-stops' ? { beforeRelease: () => connection.readOn(CATCH_UP_MS), heldMessage: READER_STOPPED } : {};
  return holdConnection(context, { connection, id, shape: SHAPE, ...stopped });
}

/** What a kind cannot do without, besides a way in. */
function notDeclared(kind: StalledKind, context: TrafficContext): Started | undefined {
  const { access, endpoints, recorder, id } = context;
  const lacking = (capability: 'tls' | 'stream', reason: string): Started => {
    recorder.record({ kind: 'work.failed', id, shape: SHAPE, tried: [], message: reason });
    return { missing: { capability, reason, declare: DECLARE[kind] } };
  };
  if (kind === 'half-tls-handshake' && access.tls === undefined) return lacking('tls', 'no TLS port is declared');
  if (kind === 'reader-stops' && endpoints.stream.length + endpoints.sse.length === 0) {
    return lacking('stream', 'no endpoint is declared that streams');
  }
  return undefined;
}
