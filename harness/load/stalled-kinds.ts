import type { StalledKind } from '../model/scenario.ts';
import type { Endpoint } from '../model/target.ts';
import { clientHello } from '../wire/client-hello.ts';
import { requestHead } from '../wire/connection.ts';
import { endingInWords } from '../wire/ending.ts';
import { askOnce, emptyBody } from './baseline.ts';
import type { Conversation } from './conversation.ts';
import { ANSWER_LIMIT_MS, converse } from './conversation.ts';
import { bodyEndpoints } from './held-bodies.ts';
import { http1, PROOF_MS, proofMs } from './held-work.ts';
import type { TrafficContext } from './traffic.ts';

/** Longer than any outer timeout: what takes this long has no end of its own. */
const ENDLESS_MS = '600000';
/** More than the kernels on both sides keep for one connection (tcp_rmem and tcp_wmem at most 6 and 4 MiB). */
const MORE_THAN_KEPT_BYTES = 16 * 1024 * 1024;
const HALF_BODY = 'x'.repeat(1000);

/** A connection that is proven not to go on. */
export interface Stall {
  readonly conversation: Conversation;
  /** What a complete request of the same form was answered. */
  readonly normal?: { readonly status: number; readonly bytes: number };
}

/** Why it is not held; `closed`: the service closed it in an orderly way. */
interface NotStalled {
  readonly problem: string;
  readonly closed?: boolean;
}

/** One form of a kind, in words, and how it is brought about. `admitted`: the gate let a request in. */
export interface WayToStall {
  readonly how: string;
  readonly admitted: boolean;
  stall(context: TrafficContext): Promise<Stall | NotStalled>;
}

/** A connection of its own, or why there is none. */
async function open(context: TrafficContext, halfOpen = false): Promise<Conversation | NotStalled> {
  const conversation = await converse(http1(context.access), context.recorder.now, halfOpen);
  return typeof conversation === 'string' ? { problem: conversation } : conversation;
}

/**
 * The forms of a kind over bare TCP. What the protocol is nobody knows: text that no line ends, or the first byte of what
 * counts its length in binary; nothing of it is work.
 */
function waysOverTcp(kind: StalledKind): readonly WayToStall[] {
  switch (kind) {
    case 'silent':
      return [sends('connected, nothing sent', '')];
    case 'half-sent':
      return [sends('three letters and no end of the line', 'lfq'), sends('one byte, a zero', '\0')];
    case 'one-line':
      return [sends('one line and nothing more', 'lfq\r\n')];
    case 'half-closed':
      return [
        sends('connected, nothing sent, then FIN', '', true),
        sends('three letters and no end of the line, then FIN', 'lfq', true),
      ];
    case 'half-request-line':
    case 'half-headers':
    case 'half-body':
    case 'half-tls-handshake':
    case 'reader-stops':
      return [];
  }
}

/** The forms of a kind, the most telling first; none where the way in knows no such kind. */
export function waysToStall(kind: StalledKind, { access, endpoints }: TrafficContext): readonly WayToStall[] {
  if (access.over === 'tcp') return waysOverTcp(kind);
  const head = requestHead(access, 'GET', '/').slice(0, -2);
  switch (kind) {
    case 'silent':
      return [sends(access.tls ? 'TLS handshake done, then nothing sent' : 'connected, nothing sent', '')];
    case 'half-request-line':
      return [sends('GET /he and nothing more', 'GET /he')];
    case 'half-headers':
      return [sends('GET / with one header and no empty line', head)];
    case 'half-body':
      return bodyEndpoints(endpoints).map(halfBody);
    case 'half-tls-handshake':
      return [halfHandshake];
    case 'reader-stops':
      return [...endpoints.stream, ...endpoints.sse].map(readerStops);
    case 'half-closed':
      return [
        ...endpoints.slow.map(halfClosedRequest),
        sends('connected, nothing sent, then FIN', '', true),
        sends('GET / with one header and no empty line, then FIN', head, true),
      ];
    case 'half-sent':
    case 'one-line':
      return [];
  }
}

/** Nothing of this was admitted: it waits for what never comes. */
function sends(how: string, text: string, fin = false): WayToStall {
  return {
    how,
    admitted: false,
    async stall(context) {
      const conversation = await open(context, fin);
      if ('problem' in conversation) return conversation;
      if (text !== '') void conversation.write(text);
      if (fin) conversation.endOurSide();
      return proven(conversation);
    },
  };
}

function halfBody({ method, path }: Endpoint): WayToStall {
  const length = String(2 * HALF_BODY.length);
  return {
    how: `${method} ${path} with half of a body of ${length} bytes`,
    admitted: true,
    async stall(context) {
      const headers = { 'content-length': String(HALF_BODY.length) };
      const begin = context.recorder.now();
      const normal = await askOnce(context, { method, path, headers, body: HALF_BODY });
      const tookMs = (context.recorder.now() - begin) / 1e6;
      if (!normal.answer) return { problem: `a complete request of this form was not answered: ${normal.reason}` };
      const conversation = await open(context);
      if ('problem' in conversation) return conversation;
      void conversation.write(requestHead(context.access, method, path, { 'content-length': length }) + HALF_BODY);
      const { status, bytes = 0 } = normal.answer;
      return proven(conversation, proofMs(tookMs), { status, bytes });
    },
  };
}

const halfHandshake: WayToStall = {
  how: 'half of a TLS ClientHello',
  admitted: false,
  async stall(context) {
    const { tls: _, ...clear } = context.access;
    const hello = await clientHello(context.access);
    const conversation = await open({ ...context, access: { ...clear, over: 'http' } });
    if ('problem' in conversation) return conversation;
    void conversation.write(hello.subarray(0, hello.length / 2));
    return proven(conversation);
  },
};

/** First somebody reads it, to see that it does not end by itself; then somebody stops reading after the head. */
function readerStops(endpoint: Endpoint): WayToStall {
  const { method, path } = endless(endpoint);
  const ask = async (context: TrafficContext): Promise<Conversation | NotStalled> => {
    const conversation = await open(context);
    if ('problem' in conversation) return conversation;
    void conversation.write(requestHead(context.access, method, path, emptyBody(method)));
    if (await conversation.answerBegun(ANSWER_LIMIT_MS)) return conversation;
    const end = conversation.over;
    await conversation.destroy();
    return { problem: end ? `not held: ${endingInWords(end)}` : `no answer begun within ${ANSWER_LIMIT_MS} ms` };
  };
  return {
    how: `${method} ${path}, whose answer is read no further than its head`,
    admitted: true,
    async stall(context) {
      const reader = await ask(context);
      if ('problem' in reader) return reader;
      const end = await reader.endedWithin(PROOF_MS);
      await reader.destroy();
      if (end && (end.bytes ?? 0) <= MORE_THAN_KEPT_BYTES)
        return { problem: `not held: ${endingInWords(end)} when it was read` };
      const conversation = await ask(context);
      if ('problem' in conversation) return conversation;
      conversation.stopReading();
      return proven(conversation);
    },
  };
}

/** Our FIN after a complete request whose answer is still due. */
function halfClosedRequest(endpoint: Endpoint): WayToStall {
  const { method, path } = endless(endpoint);
  return {
    how: `${method} ${path}, then FIN before its answer is due`,
    admitted: true,
    async stall(context) {
      const conversation = await open(context, true);
      if ('problem' in conversation) return conversation;
      void conversation.write(requestHead(context.access, method, path, emptyBody(method)));
      conversation.endOurSide();
      return proven(conversation);
    },
  };
}

function endless({ method, path }: Endpoint): Endpoint {
  return { method, path: path.replaceAll('{ms}', ENDLESS_MS) };
}

async function proven(
  conversation: Conversation,
  limitMs: number = PROOF_MS,
  normal?: Stall['normal'],
): Promise<Stall | NotStalled> {
  const end = await conversation.endedWithin(limitMs);
  if (end === undefined) return { conversation, ...(normal === undefined ? {} : { normal }) };
  await conversation.destroy();
  return { problem: `not held: ${endingInWords(end)}`, closed: end.fate === 'closed' };
}
