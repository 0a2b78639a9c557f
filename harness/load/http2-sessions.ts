import type { TLSSocket } from 'node:tls';
import type { Endpoint } from '../model/target.ts';
import { openConnection } from '../wire/connection.ts';
import { endingInWords } from '../wire/ending.ts';
import type { Goaway } from '../wire/http2-session.ts';
import { Http2Session } from '../wire/http2-session.ts';
import type { Http2Stream } from '../wire/http2-stream.ts';
import { within } from '../wire/within.ts';
import { askAfterGoaway } from './http2-deaf.ts';
import { ANSWER_LIMIT_MS } from './conversation.ts';
import { bodyEndpoints } from './held-bodies.ts';
import { proofMs } from './held-work.ts';
import { heldSession, heldStream, trickle } from './http2-held.ts';
import type { HeldWork, Started, TrafficContext, TrafficShape } from './traffic.ts';

const SHAPE = 'http2-sessions';

type Missing = Extract<Started, { missing: unknown }>;
type Heard = (session: Http2Session, goaway: Goaway) => void;
type Normal = { readonly status: number; readonly bytes: number };

/**
 * HTTP/2 sessions (DRN-7): one with streams in flight by bodies that are sent slowly, one that was answered once and is
 * idle, and one that ignores GOAWAY: with a stream in flight it asks for new ones after it. The streams complete at
 * `finish`; the sessions are the service's to end.
 */
export const http2Sessions: TrafficShape<'http2-sessions'> = async (load, context) => {
  const { recorder, id } = context;
  const after = askAfterGoaway(context, `${id}-deaf`);
  const opened: Http2Session[] = [];
  const abandon = (missing: Missing): Missing => {
    for (const session of opened) session.giveUp();
    return missing;
  };
  const open = async (name: string, leaves: boolean, heard?: Heard): Promise<Http2Session | Missing> => {
    const session = await openSession(context, leaves, (by, goaway) => {
      recorder.record({ kind: 'h2.goaway', id: `${id}-${name}`, ...goaway });
      heard?.(by, goaway);
    }).catch((error: unknown) => {
      for (const other of opened) other.giveUp();
      throw error; // a fault of ours is no outcome
    });
    if (!('missing' in session)) opened.push(session);
    return session;
  };
  const busy = await open('busy', true);
  if ('missing' in busy) return busy;
  const idle = await open('idle', true);
  if ('missing' in idle) return abandon(idle);
  const deaf = await open('deaf', false, after.heard);
  if ('missing' in deaf) return abandon(deaf);

  for (const session of [busy, idle, deaf]) {
    const normal = await ask(session, { method: 'GET', path: '/' }, false);
    if ('status' in normal) continue;
    const reason = `a complete GET / over HTTP/2 was not answered: ${normal.problem}`;
    return abandon(noHttp2(context, 'http2', reason));
  }

  const tried: string[] = [];
  for (const endpoint of bodyEndpoints(context.endpoints)) {
    const how = `${endpoint.method} ${endpoint.path} with a body sent slowly`;
    const begin = recorder.now();
    const normal = await ask(busy, endpoint, true);
    const limitMs = proofMs((recorder.now() - begin) / 1e6);
    if ('problem' in normal) {
      tried.push(`${how}: a complete request of this form was not answered: ${normal.problem}`);
      continue;
    }
    const streams = inFlight(busy, endpoint, load.streams);
    const own = inFlight(deaf, endpoint, 1);
    const problem = await proof([busy, idle, deaf], [...streams, ...own], load.streams + 1, limitMs);
    if (problem !== undefined) {
      for (const stream of [...streams, ...own]) stream.giveUp();
      tried.push(`${how}: not held: ${problem}`);
      continue;
    }
    const pieces: HeldWork[] = [
      ...streams.map((stream, index) => heldStream(context, `${id}-busy-${index + 1}`, stream, how, normal)),
      ...own.map((stream) => heldStream(context, `${id}-deaf-1`, stream, how, normal)),
      heldSession(context, `${id}-busy`, busy, `a session with ${load.streams} streams in flight`),
      heldSession(context, `${id}-idle`, idle, 'a session that was answered once, nothing in flight'),
      heldSession(context, `${id}-deaf`, deaf, 'a session that ignores GOAWAY, with one stream in flight', after.stop),
    ];
    trickle(busy, streams);
    trickle(deaf, own);
    return { held: pieces };
  }
  const reason = `no stream is held by a body that is sent slowly: ${tried.join('; ')}`;
  recorder.record({ kind: 'work.failed', id, shape: SHAPE, tried, message: reason });
  return abandon({ missing: { capability: 'held work', reason, declare: "endpoints: { upload: ['POST /path'] }" } });
};

/** A session over TLS that agreed on HTTP/2, or what is missing for that. */
async function openSession(context: TrafficContext, leaves: boolean, onGoaway: Heard): Promise<Http2Session | Missing> {
  const { access, recorder } = context;
  if (access.tls === undefined) return noHttp2(context, 'http2', `port ${access.port} is not declared to speak TLS`);
  const way = { ...access, over: 'h2' } as const;
  const connected = await openConnection(way, { limitMs: ANSWER_LIMIT_MS, now: recorder.now });
  if (connected.socket === undefined) {
    // OpenSSL's alert where the service knows none of the protocols that we offer
    const otherProtocol = /NO_APPLICATION_PROTOCOL/.test(connected.message);
    if (otherProtocol) return noHttp2(context, 'http2', `port ${access.port} does not offer HTTP/2`);
    return noHttp2(context, 'tls', `no TLS on port ${access.port}: ${connected.outcome} (${connected.message})`);
  }
  const { socket, begin } = connected;
  if ((socket as TLSSocket).alpnProtocol !== 'h2') {
    socket.destroy();
    return noHttp2(context, 'http2', `port ${access.port} does not offer HTTP/2`);
  }
  return new Http2Session(socket, way, { begin, now: recorder.now, leaves, onGoaway });
}

function noHttp2(context: TrafficContext, capability: 'tls' | 'http2', reason: string): Missing {
  const { recorder, id } = context;
  recorder.record({ kind: 'work.failed', id, shape: SHAPE, tried: [reason], message: reason });
  const declare = capability === 'tls' ? 'tls: { port: 8443, ca: ca.pem }' : 'tls: { port: 8443, http2: true }';
  return { missing: { capability, reason, declare } };
}

/** The normal answer to one complete request. */
async function ask(
  session: Http2Session,
  { method, path }: Endpoint,
  body: boolean,
): Promise<Normal | { readonly problem: string }> {
  const stream = session.request(method, path, body);
  if (stream === undefined)
    return { problem: `the session ended: ${session.end ? endingInWords(session.end) : 'closed'}` };
  if (body) {
    stream.trickle();
    void stream.finish();
  }
  const end = await within(stream.ended, ANSWER_LIMIT_MS);
  if (end === undefined) stream.giveUp();
  if (end?.fate === 'answered' && end.status !== undefined) return { status: end.status, bytes: end.bytes ?? 0 };
  return { problem: end === undefined ? `no answer within ${ANSWER_LIMIT_MS} ms` : endingInWords(end) };
}

function inFlight(session: Http2Session, { method, path }: Endpoint, count: number): readonly Http2Stream[] {
  return Array.from({ length: count }, () => session.request(method, path, true)).filter(
    (stream) => stream !== undefined,
  );
}

/** Why not all of them are held after a while; undefined where they are. */
async function proof(
  sessions: readonly Http2Session[],
  streams: readonly Http2Stream[],
  wanted: number,
  limitMs: number,
): Promise<string | undefined> {
  for (const stream of streams) stream.trickle();
  const all = [...sessions, ...streams];
  await within(Promise.race(all.map(({ ended }) => ended)), limitMs);
  const end = all.find((one) => one.end !== undefined)?.end;
  if (end) return endingInWords(end);
  return streams.length < wanted ? 'the session takes no more streams' : undefined;
}
