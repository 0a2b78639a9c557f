import type { Endpoints } from '../model/target.ts';
import type { BodyForm } from './held-bodies.ts';
import { declaredForms, holdBodies } from './held-bodies.ts';
import type { Holding } from './held-work.ts';
import { started } from './held-work.ts';
import type { BodyPlan } from './sent-body.ts';
import { holdAnswers } from './slow-answer.ts';
import type { TrafficShape } from './traffic.ts';

/** How long a body lasts at its pace: a quarter of an hour, which is longer than any scenario. */
const LASTS_MS = 1_000_000;
/** Each byte is a packet that costs this host and the service: no more than a thousand a second, of all bodies together. */
const MOST_A_SECOND = 1000;

/** How `count` slow bodies are sent: a byte at a time, and few enough bytes to be sent at once when they are due. */
export function slowBodyPlan(count: number): BodyPlan {
  const everyMs = Math.max(50, (count * 1000) / MOST_A_SECOND);
  return { total: Math.ceil(LASTS_MS / everyMs), everyMs, pieceBytes: () => 1 };
}

/** Declared endpoints that take a body first, then POST, PUT and chunked (architecture.md). */
export function slowBodyForms({ slow, upload }: Endpoints): BodyForm[] {
  return [
    ...declaredForms([...slow, ...upload], 'a body sent slowly'),
    { how: 'POST / with a body sent slowly', method: 'POST', path: '/', chunked: false },
    { how: 'PUT / with a body sent slowly', method: 'PUT', path: '/', chunked: false },
    { how: 'POST / with a chunked body sent slowly', method: 'POST', path: '/', chunked: true },
  ];
}

/**
 * Requests whose body is sent slowly: the service holds them without helping, and `finish` completes them. Where it
 * answers before it has read the body, a declared slow endpoint holds them instead; those `finish` cannot end.
 */
export const slowBody: TrafficShape<'slow-body'> = async ({ shape, count }, context) => {
  const forms = slowBodyForms(context.endpoints);
  const bodies = await holdBodies(context, { shape, count, forms, plan: slowBodyPlan(count), warm: false });
  const holding = bodies.held || !bodies.reached ? bodies : await orAnswers(bodies.tried);
  return started(context, shape, holding, {
    capability: 'held work',
    reason: 'nothing held a request in flight',
    declare: "endpoints: { slow: ['POST /path'] }",
  });

  async function orAnswers(before: readonly string[]): Promise<Holding> {
    const answers = await holdAnswers(context, { shape, count });
    return answers.held ? answers : { tried: [...before, ...answers.tried], reached: answers.reached };
  }
};
