import { UsageError } from '../model/errors.ts';

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };

/**
 * A length of time as whole milliseconds: `2s`, `1500ms`, `1.5s`, `1m`, or a bare number of milliseconds. No rounding:
 * what is not a whole millisecond is refused, as is anything negative. Throws UsageError naming the option and the value.
 */
export function parseDuration(text: string | number, option: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|m)?$/.exec(String(text).trim());
  const remedy = 'write whole milliseconds (1500), or a number with a unit: 1500ms, 2s, 1m';
  if (match === null) throw new UsageError(`${option}: ${JSON.stringify(text)} is not a duration; ${remedy}`);
  // Rounded to microseconds first, since 1.1 * 1000 is not 1100 in binary.
  const ms = Math.round(Number(match[1]) * (unitsMs[match[2] ?? 'ms'] ?? 1) * 1000) / 1000;
  if (!Number.isSafeInteger(ms)) {
    throw new UsageError(`${option}: ${JSON.stringify(text)} is not a whole number of milliseconds; ${remedy}`);
  }
  return ms;
}
