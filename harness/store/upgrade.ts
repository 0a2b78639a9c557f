import { StoreError } from '../model/errors.ts';

/** A parsed file before anything is known of its shape. */
export interface RawHistory {
  readonly header: Readonly<Record<string, unknown>>;
  readonly observations: readonly Readonly<Record<string, unknown>>[];
}

/** Turns format n into format n + 1; the key is n. */
export type UpgradeSteps<T> = Readonly<Record<number, (raw: T) => T>>;

/** Steps for histories. Empty while there is one format; never changed once released. */
export const historySteps: UpgradeSteps<RawHistory> = {};

/**
 * Brings what was read from its own format to the current one, a step at a time. Throws StoreError, beginning with
 * `what`, for a format that is newer, that is none, or that no step leads on from.
 */
export function upgrade<T>(raw: T, from: unknown, current: number, steps: UpgradeSteps<T>, what: string): T {
  if (typeof from !== 'number' || !Number.isSafeInteger(from) || from < 1) {
    throw new StoreError(`${what}: format ${JSON.stringify(from)} is not a format number`);
  }
  if (from > current) {
    throw new StoreError(
      `${what}: format ${from} is newer than the ${current} this version reads; use the lf-qualify that wrote it, or a newer one`,
    );
  }
  let upgraded = raw;
  for (let format = from; format < current; format++) {
    const step = steps[format];
    if (step === undefined) throw new StoreError(`${what}: format ${format} can no longer be read`);
    upgraded = step(upgraded);
  }
  return upgraded;
}
