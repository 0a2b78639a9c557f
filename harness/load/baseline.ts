import { requestHead } from '../wire/connection.ts';
import type { Ending } from '../wire/ending.ts';
import { endingInWords } from '../wire/ending.ts';
import type { Conversation } from './conversation.ts';
import { ANSWER_LIMIT_MS, converse } from './conversation.ts';
import { http1 } from './held-work.ts';
import type { TrafficContext } from './traffic.ts';

/** A complete request of some form. */
export interface WholeRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** As it goes over the wire, with its framing. */
  readonly body?: string;
}

/** Its whole answer, or why there was none; `reached` says whether there was a connection at all. */
export type Asked =
  | { readonly answer: Ending & { readonly status: number } }
  | { readonly answer?: undefined; readonly reason: string; readonly reached: boolean };

/** Ask once on a connection of its own: what holds for this form when nothing is held back. */
export async function askOnce(context: TrafficContext, request: WholeRequest): Promise<Asked> {
  const conversation = await converse(http1(context.access), context.recorder.now);
  if (typeof conversation === 'string') return { reason: conversation, reached: false };
  const asked = await askOn(conversation, context, {
    ...request,
    headers: { ...request.headers, connection: 'close' },
  });
  await conversation.destroy();
  return asked;
}

/** Ask on a connection that stands; it is left as the service leaves it. */
export async function askOn(
  conversation: Conversation,
  { access }: TrafficContext,
  request: WholeRequest,
): Promise<Asked> {
  const head = requestHead(access, request.method, request.path, request.headers);
  void conversation.write(`${head}${request.body ?? ''}`);
  const end = await conversation.endedWithin(ANSWER_LIMIT_MS);
  if (!end) return { reason: `no whole answer within ${ANSWER_LIMIT_MS} ms`, reached: true };
  const { fate, status } = end;
  if (fate === 'answered' && status !== undefined) return { answer: { ...end, status } };
  return { reason: endingInWords(end), reached: true };
}

/** Why a connection carries no other request after its whole answer; undefined where it can. */
export function closedAfterAnswer(conversation: Conversation): string | undefined {
  if (conversation.persistent) return undefined;
  return `the service keeps no connection alive: it closes after its answer ${conversation.received.status}`;
}

/** What a request to a declared endpoint carries when it has nothing to say. */
export function emptyBody(method: string): Readonly<Record<string, string>> {
  return ['GET', 'HEAD', 'DELETE', 'OPTIONS'].includes(method) ? {} : { 'content-length': '0' };
}
