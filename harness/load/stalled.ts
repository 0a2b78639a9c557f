import type { StalledKind } from '../model/scenario.ts';
import { askOnce } from './baseline.ts';
import { holdWork, started } from './held-work.ts';
import type { Stall, WayToStall } from './stalled-kinds.ts';
import { waysToStall } from './stalled-kinds.ts';
import type { HeldWork, Started, TrafficContext, TrafficShape } from './traffic.ts';

const SHAPE = 'stalled';
/** What the kernel has kept for a reader that stopped is read off within this; an endless answer goes on longer. */
const CATCH_UP_MS = 250;
const READER_STOPPED = 'not read on: an end behind what was not read cannot be seen';

const TCP = 'tcp: [5432]   # one that waits for what a client has to say';

const DECLARE: Readonly<Record<StalledKind, string>> = {
  silent: 'port: 8080   # one that waits for a request',
  'half-request-line': 'port: 8080   # one that waits for a whole request line',
  'half-headers': 'port: 8080   # one that waits for whole headers',
  'half-body': "endpoints: { upload: ['POST /path'] }",
  'half-tls-handshake': 'tls: { port: 8443 }',
  'reader-stops': "endpoints: { stream: ['GET /path'] }",
  'half-closed': "endpoints: { slow: ['GET /path?ms={ms}'] }",
  'half-sent': TCP,
  'one-line': TCP,
};

/**
 * One connection that does not go on, of one kind (DRN-6). Where HTTP is spoken, a complete request over the same way in must
 * be answered first; then the kind's forms are tried in order until one is held. Nobody ends it.
 */
export const stalledSocket: TrafficShape<'stalled'> = async (load, context) => {
  const kind = load.kind as StalledKind; // `$column` is resolved
  const absent = notDeclared(kind, context);
  if (absent) return absent;
  const bare = context.access.over === 'tcp';
  const missing = { capability: 'held work', declare: bare ? TCP : DECLARE[kind] } as const;
  const unanswered = bare ? undefined : await unansweredBefore(context);
  if (unanswered !== undefined) {
    const tried = [`a complete GET / was not answered: ${unanswered}`];
    return started(context, SHAPE, { tried, reached: false }, { ...missing, reason: unanswered });
  }
  const tried: string[] = [];
  let closedAtOnce = false;
  for (const way of waysToStall(kind, context)) {
    const stall = await way.stall(context);
    if (!('problem' in stall)) return { held: [hold(context, kind, way, stall)] };
    tried.push(`${way.how}: ${stall.problem}`);
    closedAtOnce ||= stall.closed === true;
  }
  if (kind === 'half-closed' && closedAtOnce) {
    const reason = 'the service closes a half-closed connection at once';
    context.recorder.record({ kind: 'work.failed', id: context.id, shape: SHAPE, tried, message: reason });
    return { missing: { ...missing, reason } };
  }
  const reason = `no connection of kind ${kind} is held`;
  return started(context, SHAPE, { tried, reached: true }, { ...missing, reason });
};

/** Why a complete request is not answered; undefined where one is. */
async function unansweredBefore(context: TrafficContext): Promise<string | undefined> {
  const normal = await askOnce(context, { method: 'GET', path: '/' });
  return normal.answer ? undefined : normal.reason;
}

function hold(context: TrafficContext, kind: StalledKind, way: WayToStall, stall: Stall): HeldWork {
  const { conversation, normal } = stall;
  const stopped = { beforeRelease: () => conversation.readOn(CATCH_UP_MS), heldMessage: READER_STOPPED };
  return holdWork(context, {
    id: `${context.id}-1`,
    shape: SHAPE,
    how: `${kind}: ${way.how}`,
    conversation,
    admitted: way.admitted,
    ends: 'never',
    ...(kind === 'half-tls-handshake' ? { over: 'tcp' } : {}),
    ...(kind === 'reader-stops' ? stopped : {}),
    ...(normal === undefined ? {} : { normal }),
  });
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
