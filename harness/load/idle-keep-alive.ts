import type { Endpoint } from '../model/target.ts';
import { endingInWords } from '../wire/ending.ts';
import { askOn, closedAfterAnswer } from './baseline.ts';
import type { Conversation } from './conversation.ts';
import type { Holding } from './held-work.ts';
import { attemptAll, holdWork, PROOF_MS, started } from './held-work.ts';
import type { Started, TrafficContext, TrafficShape } from './traffic.ts';

/**
 * Connections that were answered once and stay open with nothing in flight; over bare TCP, where nothing is known to ask,
 * ones that stand and say nothing. The fate of each is how the service closes it,
 * or what it says on it unasked. A service that closes after every answer keeps none, which is no failure of it.
 */
export const idleKeepAlive: TrafficShape<'idle-keep-alive'> = async ({ shape, count }, context) => {
  if (context.access.over === 'tcp') return await idleOverTcp(context, shape, count);
  const holding = await holdIdle(context, shape, count);
  const closes = holding.held ? undefined : holding.tried.find((line) => line.includes('keeps no connection alive'));
  return started(context, shape, holding, {
    capability: 'held work',
    reason: closes ?? 'no connection stayed open after an answer',
    declare: "endpoints: { control: ['GET /path'] }   # answered, with the connection kept alive",
  });
};

async function idleOverTcp(context: TrafficContext, shape: string, count: number): Promise<Started> {
  const how = 'a connection that stands and says nothing';
  const attempted = await attemptAll(context, { shape, how, count }, async (conversation, id) => {
    const early = await conversation.endedWithin(PROOF_MS);
    if (early) return `a silent connection is not held: ${endingInWords(early)}`;
    return holdWork(context, { id, shape, how, conversation, admitted: false, ends: 'never' });
  });
  const holding = attempted.held ? attempted : { tried: [`${how}: ${attempted.reason}`], reached: attempted.reached };
  return started(context, shape, holding, {
    capability: 'held work',
    reason: 'no silent connection stayed open',
    declare: 'tcp: [5432]   # one that keeps silent connections',
  });
}

async function holdIdle(context: TrafficContext, shape: string, count: number): Promise<Holding> {
  const root: Endpoint = { method: 'GET', path: '/' };
  const control = context.endpoints.control.filter(({ method }) => method === 'GET');
  const tried: string[] = [];
  for (const endpoint of [root, ...control]) {
    const how = `a connection that was answered ${endpoint.method} ${endpoint.path} and is idle`;
    const attempted = await attemptAll(context, { shape, how, count }, async (conversation, id) => {
      const refusal = await idleAfter(conversation, context, endpoint);
      return refusal ?? holdWork(context, { id, shape, how, conversation, admitted: false, ends: 'never' });
    });
    if (attempted.held) return attempted;
    tried.push(`${how}: ${attempted.reason}`);
    if (!attempted.reached) return { tried, reached: false };
  }
  return { tried, reached: true };
}

/** Undefined once the connection was answered and is idle, else why it is not. */
async function idleAfter(
  conversation: Conversation,
  context: TrafficContext,
  endpoint: Endpoint,
): Promise<string | undefined> {
  const asked = await askOn(conversation, context, endpoint);
  if (!asked.answer) return `not answered: ${asked.reason}`;
  if (asked.answer.status >= 500) return `answered ${asked.answer.status}`;
  const closes = closedAfterAnswer(conversation);
  if (closes !== undefined) return closes;
  conversation.next();
  const early = await conversation.endedWithin(PROOF_MS);
  if (early?.fate !== 'closed') return early && `not idle after its answer: ${endingInWords(early)}`;
  return `the service keeps no connection alive: it closes soon after its answer ${asked.answer.status}`;
}
