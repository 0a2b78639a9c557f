import type { WebSocketEndpoint, WebSocketKind } from '../model/websocket.ts';
import { openConnection } from '../wire/connection.ts';
import { endingInWords } from '../wire/ending.ts';
import { WebSocketLine } from '../wire/web-socket.ts';
import { within } from '../wire/within.ts';
import { ANSWER_LIMIT_MS } from './conversation.ts';
import { http1, PROOF_MS } from './held-work.ts';
import type { TrafficContext } from './traffic.ts';
import type { ProvenSocket } from './web-sockets-held.ts';

/** Open and proven, or why not; `reached`: there was a connection. */
export type Opened =
  | Omit<ProvenSocket, 'id' | 'endpoint'>
  | { readonly problem: string; readonly reached: boolean; readonly line?: undefined };

/**
 * Open a WebSocket and bring it as far as its kind wants it; what cannot be proven is closed again. `askLate`: a refused one is
 * not asked for yet.
 */
export async function openWebSocket(
  kind: WebSocketKind,
  context: TrafficContext,
  endpoint: WebSocketEndpoint,
  more: { readonly askLate?: boolean } = {},
): Promise<Opened> {
  const { recorder } = context;
  const access = http1(context.access);
  const stays = kind === 'never-closes' || kind === 'stops-reading';
  const connected = await openConnection(access, { limitMs: ANSWER_LIMIT_MS, now: recorder.now, halfOpen: stays });
  if (!connected.socket) {
    return { problem: `no connection: ${connected.outcome} (${connected.message})`, reached: false };
  }
  const { socket, begin } = connected;
  const line = new WebSocketLine(socket, { begin, now: recorder.now, access, endpoint, answersClose: !stays });
  const proof = await prove(kind, line, endpoint, more.askLate ?? false);
  if (typeof proof !== 'string') return { line, ...proof };
  await line.destroy();
  return { problem: proof, reached: true };
}

type Proof = Pick<ProvenSocket, 'how' | 'webSocket'>;

async function prove(
  kind: WebSocketKind,
  line: WebSocketLine,
  endpoint: WebSocketEndpoint,
  askLate: boolean,
): Promise<Proof | string> {
  const { path, register, ask, flood, refused } = endpoint;
  const held = (words: string, more: Partial<Proof['webSocket']> = {}): Proof => {
    const registered = register === undefined ? {} : { registered: kind !== 'unregistered' && kind !== 'half-upgrade' };
    return { how: `${kind}: GET ${path} ${words}`, webSocket: { kind, path, ...registered, ...more } };
  };
  if (kind === 'half-upgrade') {
    line.sendHalf();
    return (await endedSoon(line)) ?? held('with an upgrade and no empty line');
  }
  const refusal = await upgraded(line);
  if (refusal !== undefined) return refusal;
  if (kind === 'unregistered') return (await endedSoon(line)) ?? held('upgraded, and nothing was said on it');
  const unregistered = register && (await line.ask(register, ANSWER_LIMIT_MS));
  if (unregistered !== undefined) return `not registered: ${unregistered}`;
  const known = register ? 'upgraded and registered' : 'upgraded';
  switch (kind) {
    case 'idle':
    case 'chatty':
    case 'never-closes': {
      const unanswered = await line.ask(ask, ANSWER_LIMIT_MS);
      if (unanswered !== undefined) return unanswered;
      return held(`${known}, ${ask ? 'a message' : 'a Ping'} was answered${OUTLOOK[kind]}`);
    }
    case 'stops-reading':
    case 'backlog': {
      if (flood === undefined) return 'no flood is declared';
      const free = await blocked(line, flood);
      return free ?? held(`${known}, and has ${flood.bytes} bytes coming that are not read`, { owed: flood.bytes });
    }
    case 'refused': {
      if (refused === undefined) return 'no message is declared upon which it is closed';
      const free = flood && (await blocked(line, flood));
      if (free !== undefined) return free;
      if (!flood) line.stopReading();
      if (!askLate) line.say(refused.send);
      const queue = flood ? `, behind ${flood.bytes} bytes that are not read` : '';
      return (await endedSoon(line)) ?? held(`${known}, and ${askLate ? 'will be' : 'was'} asked to close it${queue}`);
    }
  }
}

const OUTLOOK = { idle: '', chatty: ', and asks again', 'never-closes': ', and answers no Close' } as const;

/** Why the upgrade did not come about; undefined where it did. */
async function upgraded(line: WebSocketLine): Promise<string | undefined> {
  line.sendUpgrade();
  const how = await line.handshake(ANSWER_LIMIT_MS);
  if (how === 'upgraded') return undefined;
  if (how === 'hung') return `the upgrade was not answered within ${ANSWER_LIMIT_MS} ms`;
  if (how === 'over') return `the upgrade was not answered: ${line.over ? endingInWords(line.over) : 'closed'}`;
  return line.seen.problem ?? `the upgrade was answered ${line.status} instead of 101`;
}

/** How it ended right after it was brought so far; undefined where it is held. */
async function endedSoon(line: WebSocketLine): Promise<string | undefined> {
  const end = await within(line.ended, PROOF_MS);
  const { close } = line.seen;
  if (close) return `not held: closed with ${close.code} ${close.reason}`.trimEnd();
  return end && `not held: ${endingInWords(end)}`;
}

/**
 * Ask for the flood and read only its first bytes: after a while less than all of it has come, and the rest waits in the
 * service and in the kernels. Undefined where it does, else why not.
 */
async function blocked(
  line: WebSocketLine,
  flood: NonNullable<WebSocketEndpoint['flood']>,
): Promise<string | undefined> {
  const begun = Promise.withResolvers<true>();
  line.countFromHere();
  line.onBytes = () => {
    line.stopReading();
    begun.resolve(true);
  };
  line.say(flood.send);
  const came = await within(Promise.race([begun.promise, line.ended]), ANSWER_LIMIT_MS);
  line.onBytes = undefined;
  if (came === undefined) return `nothing of ${flood.bytes} bytes came within ${ANSWER_LIMIT_MS} ms`;
  const ended = await endedSoon(line);
  if (ended !== undefined) return ended;
  return line.received < flood.bytes ? undefined : `all of ${flood.bytes} bytes came at once: nothing is left to wait`;
}
