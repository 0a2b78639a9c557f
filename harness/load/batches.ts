/** So many connections are made side by side: a listener's backlog may be no longer than 128, and other loads come beside. */
export const BATCH = 64;

/** What was tried of one number: its result, or that it was not tried at all, since those before it hung. */
export type Tried<T> = PromiseSettledResult<T> | { readonly status: 'not tried' };

/**
 * Try `count` pieces of work, some at a time, so that a listener's backlog is never overrun by us. `one` calls `connected`
 * as soon as its connection stands or cannot be made, with false where nobody answered: then no further batch is begun.
 * `between` is awaited between two batches: until the service has taken what it has. Never rejects.
 */
export async function inBatches<T>(
  count: number,
  one: (index: number, connected: (answered: boolean) => void) => Promise<T>,
  between: () => Promise<void> = async () => undefined,
): Promise<readonly Tried<T>[]> {
  const begun: Promise<PromiseSettledResult<T>[]>[] = [];
  let answered = true;
  let from = 0;
  for (; from < count && answered; from += BATCH) {
    if (from > 0) await between();
    const stands: Promise<void>[] = [];
    const mine = Array.from({ length: Math.min(BATCH, count - from) }, (_, index) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const work = one(from + index, (itsAnswer) => {
        answered &&= itsAnswer;
        resolve();
      });
      void work.then(
        () => resolve(),
        () => {
          answered = false;
          resolve();
        },
      );
      stands.push(promise);
      return work;
    });
    begun.push(Promise.allSettled(mine));
    await Promise.all(stands);
  }
  const settled = (await Promise.all(begun)).flat();
  const left = Array.from({ length: count - settled.length }, () => ({ status: 'not tried' }) as const);
  return [...settled, ...left];
}
