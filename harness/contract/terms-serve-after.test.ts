import { describe, expect, it } from 'vitest';
import type { PresetName, Terms } from '../model/clause.ts';
import { UsageError } from '../model/errors.ts';
import { presetByName } from './presets/index.ts';
import { resolveTerms } from './terms.ts';

const resolve = (name: PresetName, terms: Partial<Terms>) =>
  resolveTerms(presetByName(name), { stopSignal: 'TERM', overrides: [{ origin: 'profile', terms }] });

describe('a service that may serve on after the signal', () => {
  it.each([
    ['baseline', { serveAfterMs: 5000 }, { stopGoalMs: 6000, stopBoundMs: 10_000, outerTimeoutMs: 11_000 }],
    ['baseline', { serveAfterMs: 20_000 }, { stopGoalMs: 21_000, stopBoundMs: 21_000, outerTimeoutMs: 22_000 }],
    ['light-fabric', { serveAfterMs: 1500 }, { stopGoalMs: 2500, stopBoundMs: 2500, graceMs: 2000 }],
    ['openab-cp', { serveAfterMs: 4000 }, { stopGoalMs: 5000, stopBoundMs: 6000 }],
    ['baseline', { serveAfterMs: 5000, stopGoalMs: 5500 }, { stopGoalMs: 5500, stopBoundMs: 10_000 }],
    ['baseline', { serveAfterMs: 5000, stopBoundMs: 5200 }, { stopGoalMs: 6000, stopBoundMs: 5200 }],
    ['baseline', { serveAfterMs: 0 }, { stopGoalMs: 1000, stopBoundMs: 10_000 }],
  ] as const)('%s, %j: stops so much later', (name, given, expected) => {
    expect(resolve(name, given).terms).toMatchObject(expected);
  });

  it('is where the goal, and a bound that it raises, come from', () => {
    const { origins } = resolve('baseline', { serveAfterMs: 20_000 });
    expect(origins).toMatchObject({ serveAfterMs: 'profile', stopGoalMs: 'profile', stopBoundMs: 'profile' });
    expect(resolve('baseline', { serveAfterMs: 5000 }).origins).toMatchObject({ stopBoundMs: 'preset' });
  });

  it.each([
    [
      'a bound that is over by then',
      'baseline',
      { serveAfterMs: 5000, stopBoundMs: 5000 },
      /stopBound 5000 ms leaves no/,
    ],
    ['a goal that is', 'baseline', { serveAfterMs: 5000, stopGoalMs: 1000 }, /stopGoal 1000 ms leaves no time/],
    ['a grace that is', 'light-fabric', { serveAfterMs: 2000 }, /serveAfter 2000 ms: .* grace 2000 ms leaves no time/],
    ['an outer timeout that is', 'baseline', { serveAfterMs: 20_000, outerTimeoutMs: 15_000 }, /hard bound of 21000/],
  ] as const)('%s is refused', (_, name, terms, message) => {
    expect(() => resolve(name, terms)).toThrow(UsageError);
    expect(() => resolve(name, terms)).toThrow(message);
  });
});
