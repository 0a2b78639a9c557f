import { UsageError } from '../model/errors.ts';

const unitsBytes: Readonly<Record<string, number>> = {
  B: 1,
  kB: 1000,
  KB: 1000,
  MB: 1_000_000,
  GB: 1_000_000_000,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
};

/**
 * An amount of memory as whole bytes: `256MiB`, `1.5GiB`, `64MB`, or a bare number of bytes. `256m` is refused: what it
 * means differs between tools. Throws UsageError naming the option and the value.
 */
export function parseSize(text: string | number, option: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*(B|kB|KB|MB|GB|KiB|MiB|GiB)?$/.exec(String(text).trim());
  const remedy = 'write whole bytes (67108864), or a number with a unit: 256MiB, 1GiB, 64MB';
  if (match === null) throw new UsageError(`${option}: ${JSON.stringify(text)} is not a size; ${remedy}`);
  const bytes = Number(match[1]) * (unitsBytes[match[2] ?? 'B'] ?? 1);
  if (!Number.isSafeInteger(bytes)) {
    throw new UsageError(`${option}: ${JSON.stringify(text)} is not a whole number of bytes; ${remedy}`);
  }
  return bytes;
}
