import type { Load } from '../model/scenario.ts';
import type { Endpoint } from '../model/target.ts';
import { requestHead } from '../wire/connection.ts';
import { endingInWords } from '../wire/ending.ts';
import { within } from '../wire/within.ts';
import { emptyBody } from './baseline.ts';
import type { Conversation } from './conversation.ts';
import { ANSWER_LIMIT_MS } from './conversation.ts';
import type { Holding } from './held-work.ts';
import { attemptAll, holdWork, started } from './held-work.ts';
import { ENDLESS_MS, pathWithMs, tellableFirst } from './slow-answer.ts';
import type { TrafficContext, TrafficShape } from './traffic.ts';

/** Pieces of one answer that was ready at once come closer together than this, on a busy machine too. */
const APART_NS = 100_000_000;

/**
 * Streaming answers that are being read, chunked or server-sent events. Proven by two pieces that came at different times
 * with the answer still going on.
 */
export const stream: TrafficShape<'stream'> = async (load, context) => {
  const { shape } = load;
  const sse = load.kind === 'sse';
  const endpoints = sse ? context.endpoints.sse : context.endpoints.stream;
  const holding = await holdStreams(endpoints, load, context, sse);
  const none = `no ${sse ? 'server-sent events are' : 'streaming answer is'} declared`;
  return started(context, shape, holding, {
    capability: 'stream',
    reason: endpoints.length === 0 ? none : 'no declared endpoint kept streaming',
    declare: sse ? "endpoints: { sse: ['GET /events?ms={ms}'] }" : "endpoints: { stream: ['GET /stream?ms={ms}'] }",
  });
};

async function holdStreams(
  endpoints: readonly Endpoint[],
  { shape, count, for: duration }: Extract<Load, { shape: 'stream' }>,
  context: TrafficContext,
  sse: boolean,
): Promise<Holding> {
  const ms = duration === undefined ? ENDLESS_MS : context.time(duration);
  const tried: string[] = [];
  for (const { method, path: declared } of tellableFirst(endpoints)) {
    const path = pathWithMs(declared, ms);
    const how = `declared ${method} ${path}, read as ${sse ? 'server-sent events' : 'a stream'}`;
    const ends = duration !== undefined && path !== declared ? ('itself' as const) : ('never' as const);
    const headers = { ...(sse ? { accept: 'text/event-stream' } : {}), ...emptyBody(method) };
    const request = requestHead(context.access, method, path, headers);
    const attempted = await attemptAll(context, { shape, how, count }, async (conversation, id) => {
      const refusal = await readUntilProven(conversation, request, sse);
      return refusal ?? holdWork(context, { id, shape, how, conversation, ends });
    });
    if (attempted.held) return attempted;
    tried.push(`${how}: ${attempted.reason}`);
    if (!attempted.reached) return { tried, reached: false };
  }
  return { tried, reached: true };
}

/** Undefined once the answer is proven to stream, else why it does not. */
async function readUntilProven(conversation: Conversation, request: string, sse: boolean): Promise<string | undefined> {
  let pieces = 0;
  let first: number | undefined;
  const proven = Promise.withResolvers<undefined>();
  conversation.onBody = (t) => {
    pieces += 1;
    first ??= t;
    if (t - first >= APART_NS) proven.resolve(undefined);
  };
  void conversation.write(request);
  const came = Promise.race([conversation.ended.then(endingInWords), proven.promise.then(() => 'streams')]);
  const outcome = await within(came, ANSWER_LIMIT_MS);
  conversation.onBody = undefined;
  const { status, headers } = conversation.received;
  const ended = conversation.over;
  if (ended) return `not held: ${endingInWords(ended)} after ${pieces} piece(s)`;
  if (status === undefined) return `not answered within ${ANSWER_LIMIT_MS} ms`;
  if (status >= 400) return `not held: answered ${status}`;
  const type = headers?.['content-type'] ?? 'no content type';
  if (sse && !type.startsWith('text/event-stream')) return `answered with ${type}, not with text/event-stream`;
  return outcome === undefined ? `only ${pieces} piece(s) within ${ANSWER_LIMIT_MS} ms` : undefined;
}
