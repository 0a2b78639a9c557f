import { look } from '../observe/readiness.ts';
import type { ReadinessContext } from './reach-ready.ts';

/** A look at a serving service: longer than two retransmits of a lost SYN (1 s and 2 s), which a bridge may drop when a neighbour leaves. */
const SERVING_LOOK_LIMIT_MS = 5000;

/** Look every so often at a service that should be serving, and record how each look went, for so long or until it ends. */
export async function watchServing(context: ReadinessContext, forMs: number, everyMs: number): Promise<void> {
  const { recorder, life } = context;
  const until = recorder.now() + forMs * 1e6;
  let over = false;
  while (!over && !life.ended.aborted) {
    over = recorder.now() >= until;
    const begin = recorder.now();
    const seen = await look(context.target.ready, context.vantage, recorder, SERVING_LOOK_LIMIT_MS);
    recorder.record({ kind: 'serving', begin, ...seen });
    if (!over) await life.endedWithin(Math.min(everyMs, Math.max(1, (until - recorder.now()) / 1e6)));
  }
}
