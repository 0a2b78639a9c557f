import { requestHead } from '../wire/connection.ts';
import { endingInWords } from '../wire/ending.ts';
import { askOnce } from './baseline.ts';
import type { Holding } from './held-work.ts';
import { attemptAll, holdWork, PROOF_MS, started } from './held-work.ts';
import type { TrafficContext, TrafficShape } from './traffic.ts';

const HOW = 'GET / with some headers and no empty line';
/** The empty line and the header before it are what is missing. */
const REST = 'user-agent: lf-qualify\r\n\r\n';

/**
 * Connections whose headers are half sent: not admitted, complete at `finish` (ADM-9). Held means neither answered nor
 * closed for a while, although a complete request of the same form is answered.
 */
export const halfHeaders: TrafficShape<'half-headers'> = async ({ shape, count }, context) => {
  return started(context, shape, await holdHalfHeaders(context, shape, count), {
    capability: 'held work',
    reason: 'no connection was held with half its headers',
    declare: 'port: 8080   # one that waits for whole headers',
  });
};

async function holdHalfHeaders(context: TrafficContext, shape: string, count: number): Promise<Holding> {
  const normal = await askOnce(context, { method: 'GET', path: '/' });
  if (!normal.answer) return { tried: [`a complete GET / was not answered: ${normal.reason}`], reached: false };
  const { status, bytes = 0 } = normal.answer;
  const first = requestHead(context.access, 'GET', '/', { accept: '*/*' }).slice(0, -2);
  const attempted = await attemptAll(context, { shape, how: HOW, count }, async (conversation, id) => {
    void conversation.write(first);
    const early = await conversation.endedWithin(PROOF_MS);
    if (early) return `not held: ${endingInWords(early)}`;
    const work = { id, shape, how: HOW, conversation, admitted: false, ends: 'finish' } as const;
    return holdWork(context, { ...work, normal: { status, bytes }, rest: () => REST });
  });
  if (attempted.held) return attempted;
  return { tried: [`${HOW}: ${attempted.reason}`], reached: attempted.reached };
}
