import type { Endpoints } from '../model/target.ts';
import type { BodyForm } from './held-bodies.ts';
import { declaredForms, holdBodies } from './held-bodies.ts';
import type { Holding } from './held-work.ts';
import { started } from './held-work.ts';
import type { BodyPlan } from './sent-body.ts';
import { holdAnswers } from './slow-answer.ts';
import type { TrafficShape } from './traffic.ts';

/** 20,000 bytes last a quarter of an hour at this pace, and are few enough to be sent at once when they are due. */
export const SLOW_BODY: BodyPlan = { total: 20_000, everyMs: 50, pieceBytes: () => 1 };
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
  const bodies = await holdBodies(context, { shape, count, forms, plan: SLOW_BODY, warm: false });
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
