import { isRequired } from '../contract/index.ts';
import type { Level, Preset } from '../model/clause.ts';
import { UsageError } from '../model/errors.ts';

/**
 * The clauses a preset requires, by id, and those that profile or `--require` ask for on top: ids, or families, which ask
 * for their M clauses. Throws UsageError for one that asks for nothing that the preset judges.
 */
export function requiredClauses(
  preset: Preset,
  levels: Readonly<Record<string, Level>>,
  extra: readonly string[],
  speaksHttp: boolean,
): string[] {
  const wanted = [...preset.required, ...(speaksHttp ? preset.requiredOfHttp : []), ...extra];
  const judged = Object.entries(levels).filter(([, level]) => level !== '-');
  const unknown = extra.find((entry) => !judged.some(([id, level]) => isRequired(id, level, [entry])));
  if (unknown !== undefined) {
    const there = judged.map(([id]) => id).join(', ');
    throw new UsageError(
      `required clause "${unknown}" is not judged in this run under preset ${preset.name}; there are ${there}`,
    );
  }
  return judged.filter(([id, level]) => isRequired(id, level, wanted)).map(([id]) => id);
}
