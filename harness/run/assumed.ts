import type { Assumption } from '../model/discovery.ts';
import type { Said } from './said.ts';

/** What was assumed and holds: nobody who goes before the look says anything under its key. */
export function assumptionsInForce(said: Said, assumptions: readonly Assumption[]): readonly Assumption[] {
  const { flags, file, image, label, bundled } = said;
  const overruled = new Set([
    ...[file, label, bundled].flatMap(({ declared = [] }) => declared),
    ...(flags.port === undefined ? [] : ['port']),
    ...((flags.ready ?? image.ready) === undefined ? [] : ['ready']),
  ]);
  return assumptions.filter(({ key }) => !overruled.has(key.split('.')[0] ?? key));
}
