/**
 * The id of a run: UTC time to the second and a random part, `20260802-101112-a1b2c3`, so that ids sort by time and two
 * runs that start together differ. `random` is the caller's, of lower-case letters and digits.
 */
export function runId(now: Date, random: string): string {
  if (!/^[a-z0-9]{4,16}$/.test(random))
    throw new RangeError(`random part ${JSON.stringify(random)}: want 4 to 16 of a-z, 0-9`);
  const [date = '', time = ''] = now.toISOString().split(/[T.]/);
  return `${date.replaceAll('-', '')}-${time.replaceAll(':', '')}-${random}`;
}

/** Whether a directory name is a run id: only such directories are ever pruned. */
export function isRunId(name: string): boolean {
  return /^\d{8}-\d{6}-[a-z0-9]{4,16}$/.test(name);
}
