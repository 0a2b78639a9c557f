import { firstOf } from '../contract/evidence/queries.ts';
import type { History } from '../model/history.ts';

/**
 * From where an image was looked at on one engine, and why: `direct`, or each other vantage in the order it was seen.
 * Addresses differ from cell to cell, so the reason of a direct one is left out. Undefined where nothing was started.
 */
export function seenFrom(histories: readonly History[]): readonly string[] | undefined {
  const all = histories.flatMap((history) => firstOf(history, 'container.started')?.vantage ?? []);
  const places = new Set(all.map((vantage) => (vantage.startsWith('direct:') ? 'direct' : vantage)));
  return places.size === 0 ? undefined : [...places];
}
