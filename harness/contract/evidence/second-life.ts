import type { History } from '../../model/history.ts';
import type { Observation } from '../../model/observation.ts';
import { ofKind } from './queries.ts';

/**
 * The second life of the container, which was started again after its own end, as a history of its own: every query can be
 * asked of it. Sequence numbers are those of the whole. Empty where it was not started again.
 */
export function secondLife(history: History): History {
  const observations = ofKind(history, 'second.life').map(({ seen, seq }) => ({ ...seen, seq }) as Observation);
  return { ...history, observations };
}
