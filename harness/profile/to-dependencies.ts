import type { DeclaredDependency } from '../model/profile.ts';
import { defined } from './defined.ts';
import type { Reading } from './reading.ts';
import type { ImageKeys } from './schema.ts';
import { setupOf } from './to-setup.ts';
import { readyOf } from './to-ready.ts';

/** How long a container may take to become ready where nothing is said, ms. */
export const START_TIMEOUT_MS = 30_000;

/** The dependencies in the order in which they are written. */
export function dependenciesOf(written: ImageKeys['dependencies'], reading: Reading): readonly DeclaredDependency[] {
  return Object.entries(written ?? {}).flatMap(([alias, keys]) => {
    const at = ['dependencies', alias];
    const setup = setupOf(keys, at, reading);
    const ready = readyOf(keys.ready, {}, [...at, 'ready'], reading);
    if (ready === undefined) return []; // what is missing has been told
    return [
      defined({
        alias,
        reference: reading.filled(keys.image, [...at, 'image']),
        ...setup,
        ready,
        startTimeoutMs: keys.startTimeout ?? START_TIMEOUT_MS,
        reset: keys.reset?.map((word, index) => reading.filled(word, [...at, 'reset', index])),
      }),
    ];
  });
}
