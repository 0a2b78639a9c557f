/** A sample of numbers in a few words: `median [least..most] (n)`. */
export function spread(values: readonly number[]): string {
  if (values.length === 0) return 'no samples';
  const sorted = values.toSorted((a, b) => a - b);
  const text = (value: number): string => value.toFixed(1);
  return `${text(median(sorted))} [${text(sorted[0] ?? 0)}..${text(sorted.at(-1) ?? 0)}] (${sorted.length})`;
}

/** The middle value, or the mean of the two middle ones; 0 for none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const high = sorted[Math.floor(middle)] ?? 0;
  return Number.isInteger(middle) ? ((sorted[middle - 1] ?? 0) + high) / 2 : high;
}

/** Total length of the union of intervals, in the unit of their ends. */
export function unionLength(intervals: readonly (readonly [begin: number, end: number])[]): number {
  let total = 0;
  let reached = Number.NEGATIVE_INFINITY;
  for (const [begin, end] of intervals.toSorted((a, b) => a[0] - b[0])) {
    if (end <= reached) continue;
    total += end - Math.max(begin, reached);
    reached = end;
  }
  return total;
}
