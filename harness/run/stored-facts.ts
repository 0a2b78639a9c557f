import type { ImageFacts } from '../model/engine.ts';
import type { Mask } from '../model/mask.ts';

/** What names the image rather than says something of it. */
const names: ReadonlySet<string> = new Set([
  'reference',
  'digest',
  'repoDigests',
  'architecture',
  'os',
  'variant',
  'origin',
]);
const PROFILE_LABEL = 'io.lf-qualify.profile';

/** What an image says of itself as it may be written to disk: with secrets masked, and without a profile's env values. */
export function storedFacts(facts: ImageFacts, mask: Mask): ImageFacts {
  const { labels, ...rest } = mask.value(facts, names);
  return { ...rest, labels: PROFILE_LABEL in labels ? { ...labels, [PROFILE_LABEL]: '<set>' } : labels };
}
