import { within } from '../wire/within.ts';

/** A service that takes connections answers a whole request behind them sooner. */
const TAKEN_MS = 500;

/**
 * Between two batches of connections: asks once on a new one. A backlog is taken in order, so an answer says that all before
 * it were taken. A service whose workers are all busy gives none: then it is not asked again, since each question would only
 * queue as well. A failure of the question itself shows with the next batch.
 */
export function untilTaken(ask: () => Promise<unknown>): () => Promise<void> {
  let takes = true;
  return async () => {
    if (!takes) return;
    const answer = await within(
      ask()
        .then(() => true)
        .catch(() => false),
      TAKEN_MS,
    );
    takes = answer !== undefined;
  };
}
