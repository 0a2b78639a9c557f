const NS_PER_MS = 1_000_000n;

/**
 * RFC 3339 as the engines write it, with 0 to 9 digits of fraction, in ns since the epoch. Undefined for the engines'
 * "never", `0001-01-01T00:00:00Z`, and for anything that is no time.
 */
export function engineTimeNs(text: string | undefined): bigint | undefined {
  const parts = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/.exec(text ?? '');
  if (!parts || parts[1]?.startsWith('0001-')) return undefined;
  const seconds = Date.parse(`${parts[1]}${parts[3]}`);
  if (Number.isNaN(seconds)) return undefined;
  return BigInt(seconds) * NS_PER_MS + BigInt((parts[2] ?? '').padEnd(9, '0'));
}
