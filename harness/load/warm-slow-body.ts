import { holdBodies } from './held-bodies.ts';
import { started } from './held-work.ts';
import { slowBodyForms, slowBodyPlan } from './slow-body.ts';
import type { TrafficShape } from './traffic.ts';

/**
 * Slow bodies on connections that carried one complete request before: a service must not take such a connection for an
 * idle one. One that closes after each answer cannot be held in this way, which is no failure of it.
 */
export const warmSlowBody: TrafficShape<'warm-slow-body'> = async ({ shape, count }, context) => {
  const forms = slowBodyForms(context.endpoints);
  const bodies = await holdBodies(context, { shape, count, forms, plan: slowBodyPlan(count), warm: true });
  const closes = bodies.held ? undefined : bodies.tried.find((line) => line.includes('keeps no connection alive'));
  return started(context, shape, bodies, {
    capability: 'held work',
    reason: closes ?? 'nothing held a request on a connection that was used before',
    declare: "endpoints: { slow: ['POST /path'] }",
  });
};
