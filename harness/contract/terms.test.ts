import { describe, expect, it } from 'vitest';
import { UsageError } from '../model/errors.ts';
import { presetByName } from './presets/index.ts';
import { resolveTerms, withGrace } from './terms.ts';

const resolve = (
  name: 'light-fabric' | 'openab-cp' | 'baseline',
  ...overrides: Parameters<typeof resolveTerms>[1]['overrides']
) => resolveTerms(presetByName(name), { stopSignal: 'SIGQUIT', overrides });

describe('terms of the presets', () => {
  it.each([
    [
      'light-fabric',
      { graceMs: 2000, stopBoundMs: 1000, outerTimeoutMs: 10_000, idleWatchMs: 3250, primarySignal: 'TERM' },
    ],
    [
      'openab-cp',
      { graceMs: 5000, stopBoundMs: 6000, outerTimeoutMs: 10_000, idleWatchMs: 7000, primarySignal: 'TERM' },
    ],
    [
      'baseline',
      { graceMs: null, stopBoundMs: 10_000, outerTimeoutMs: 11_000, idleWatchMs: 11_000, primarySignal: 'QUIT' },
    ],
  ] as const)('%s', (name, expected) => {
    const { terms, origins } = resolve(name);
    expect(terms).toMatchObject(expected);
    expect(new Set(Object.values(origins))).toEqual(new Set(['preset']));
    expect(terms.gracefulSignals).toContain(terms.primarySignal);
  });
});

describe('overrides', () => {
  it('the later place wins and each term says where it is from', () => {
    const { terms, origins } = resolve(
      'openab-cp',
      { origin: 'image label', terms: { graceMs: 3000, toleranceMs: 80 } },
      { origin: 'command line', terms: { graceMs: 20_000 } },
    );
    expect(terms).toMatchObject({
      graceMs: 20_000,
      toleranceMs: 80,
      stopBoundMs: 21_000,
      outerTimeoutMs: 22_000,
      idleWatchMs: 22_000,
    });
    expect(origins).toMatchObject({
      graceMs: 'command line',
      toleranceMs: 'image label',
      stopBoundMs: 'command line',
      outerTimeoutMs: 'command line',
      idleWatchMs: 'command line',
      floorMs: 'preset',
    });
  });

  it('the stop bound of light-fabric does not follow the grace, the outer timeout does', () => {
    const { terms, origins } = resolve('light-fabric', { origin: 'profile', terms: { graceMs: 30_000 } });
    expect(terms).toMatchObject({ stopBoundMs: 1000, outerTimeoutMs: 31_250 });
    expect(origins).toMatchObject({ stopBoundMs: 'preset', outerTimeoutMs: 'profile' });
  });

  it('an outer timeout that is given stays as it is given', () => {
    const { terms, origins } = resolve('light-fabric', { origin: 'command line', terms: { outerTimeoutMs: 4000 } });
    expect([terms.outerTimeoutMs, origins.outerTimeoutMs]).toEqual([4000, 'command line']);
  });

  it.each([
    ['command line', 'light-fabric', { outerTimeoutMs: 2000 }, '--timeout 2000 ms'],
    ['profile', 'openab-cp', { outerTimeoutMs: 5999 }, 'outerTimeout 5999 ms'],
    ['command line', 'light-fabric', { outerTimeoutMs: 4000, graceMs: 5000 }, '--timeout 4000 ms'],
  ] as const)('an outer timeout (%s, %s) below the hard bound is refused', (origin, name, terms, said) => {
    const bound = resolve(name, { origin, terms: { ...terms, outerTimeoutMs: 60_000 } }).terms;
    const boundMs = Math.max(bound.stopBoundMs, (bound.graceMs ?? 0) + bound.floorMs + bound.toleranceMs);
    expect(() => resolve(name, { origin, terms })).toThrow(UsageError);
    expect(() => resolve(name, { origin, terms })).toThrow(new RegExp(`^${said}: .* ${boundMs} ms.*give at least`));
    expect(resolve(name, { origin, terms: { ...terms, outerTimeoutMs: boundMs } }).terms.outerTimeoutMs).toBe(boundMs);
  });

  it('the outer timeout leaves the tolerance of a long grace too', () => {
    const long = { graceMs: 30_000, allowanceMs: 0 };
    expect(resolve('light-fabric', { origin: 'profile', terms: long }).terms.outerTimeoutMs).toBe(30_300);
  });

  it('accepted statuses and patterns add up', () => {
    const { terms } = resolve(
      'baseline',
      {
        origin: 'profile',
        terms: { acceptedStatuses: [{ status: 143, reason: 'a JVM' }], patterns: { lastLine: 'bye' } },
      },
      {
        origin: 'command line',
        terms: { acceptedStatuses: [{ status: 130, reason: 'INT' }], patterns: { outcome: 'x' } },
      },
    );
    expect(terms.acceptedStatuses.map((entry) => entry.status)).toEqual([0, 143, 130]);
    expect(terms.patterns).toEqual({ lastLine: 'bye', outcome: 'x' });
  });

  it('137 can never be accepted', () => {
    const terms = { acceptedStatuses: [{ status: 137, reason: 'we like it' }] };
    expect(() => resolve('baseline', { origin: 'profile', terms })).toThrow(UsageError);
  });
});

describe('a cell with a grace of its own', () => {
  const cell = (
    name: Parameters<typeof resolve>[0],
    terms: Parameters<typeof resolve>[1]['terms'],
    graceMs: number,
  ) => {
    const resolved = resolve(name, { origin: 'profile', terms });
    const basis = {
      preset: name,
      presetOrigin: '',
      clauseSet: '',
      levels: {},
      required: [],
      waivers: [],
      judgedOn: '2026-01-01',
      ...resolved,
    };
    return withGrace(basis, graceMs).terms;
  };

  it.each([
    ['what is derived follows the grace', 'openab-cp', {}, { stopBoundMs: 1700, idleWatchMs: 2700 }],
    [
      'what a profile sets stays',
      'openab-cp',
      { stopBoundMs: 4000, idleWatchMs: 9000 },
      { stopBoundMs: 4000, idleWatchMs: 9000 },
    ],
    ['a floor of the profile counts', 'openab-cp', { floorMs: 100 }, { stopBoundMs: 800, idleWatchMs: 1800 }],
    ['a bound of the preset stays', 'light-fabric', {}, { stopBoundMs: 1000, idleWatchMs: 1950 }],
    ['without a grace before', 'baseline', {}, { stopBoundMs: 10_000, idleWatchMs: 1700 }],
    ['with a watch of the profile', 'baseline', { idleWatchMs: 5000 }, { idleWatchMs: 5000 }],
  ] as const)('%s', (_, name, terms, expected) => {
    expect(cell(name, terms, 700)).toMatchObject({ graceMs: 700, ...expected });
  });
});
