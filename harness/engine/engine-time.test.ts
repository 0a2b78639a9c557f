import { describe, expect, it } from 'vitest';
import { engineTimeNs } from './engine-time.ts';

describe('engineTimeNs', () => {
  it.each([
    ['2026-11-30T13:15:41.761271774Z', 1796044541_761271774n],
    ['2026-11-30T13:15:41.92324139Z', 1796044541_923241390n],
    ['2026-11-30T13:15:41Z', 1796044541_000000000n],
    ['2026-11-30T14:15:41.5+01:00', 1796044541_500000000n],
  ])('reads %s to the nanosecond', (text, ns) => {
    expect(engineTimeNs(text)).toBe(ns);
  });

  it.each(['0001-01-01T00:00:00Z', '', undefined, 'yesterday', '2026-13-41T00:00:00Z'])('%s is no time', (text) => {
    expect(engineTimeNs(text)).toBeUndefined();
  });
});
