import { describe, expect, it } from 'vitest';
import { judgeClause } from '../judge/testing/judge-clause.ts';
import type { Row } from '../judge/testing/judge-clause.ts';
import { at, exit, gracefulStop, outerTimeout, ready, signal, SIGNAL_AT } from '../judge/testing/history-builder.ts';
import type { Entry, Setting } from '../judge/testing/history-builder.ts';

function run(id: string, rows: readonly Row[]): void {
  for (const [promise, outcome, entries, seen, setting = {}] of rows) {
    it(promise, () => {
      const finding = judgeClause(id, setting, entries);
      expect(finding).toMatchObject({ outcome, seen: expect.stringMatching(seen) });
      if (outcome === 'not exercised') expect(finding.declare).toBe('ready: { log: "…" }');
    });
  }
}

describe('STA-1', () => {
  const edge = ready(SIGNAL_AT - 3);
  const alone: Setting = { cell: { lane: 'alone' } };
  run('STA-1', [
    [
      'a signal that takes effect passes',
      'pass',
      [edge, ...signal(), ...exit(12, 0)],
      /SIGTERM 1 ms after readiness: exit 0/,
    ],
    ['the status is not its business', 'pass', [edge, ...signal(), ...exit(12, 7)], /exit 7/],
    ['an end within grace + floor + tolerance passes', 'pass', [edge, ...signal(), ...exit(2290, 1)], /exit 1/],
    ['an end after it fails', 'fail', [edge, ...signal(), ...exit(2306, 1)], /not below 2300 ms/, alone],
    [
      'readiness that is only assumed tells nothing',
      'not exercised',
      [edge, ...signal(), ...outerTimeout()],
      /readiness is only assumed/,
      { ready: { kind: 'settled', afterMs: 1000, origin: 'default' } },
    ],
    ['an end at it is inconclusive', 'inconclusive', [edge, ...signal(), ...exit(2299, 1)], /lies inside/],
    ['a lost signal fails', 'fail', [edge, ...signal(), ...outerTimeout()], /was lost/],
    ['a kill from outside fails', 'fail', [edge, ...signal(), ...exit(20, 137)], /137 without/],
    ['an unknown end is inconclusive', 'inconclusive', [edge, ...signal()], /never confirmed/],
    ['no readiness is inconclusive', 'inconclusive', [...signal(), ...exit(12, 0)], /readiness was not seen/],
    ['no signal is inconclusive', 'inconclusive', [edge], /trigger/],
  ]);
});

describe('STA-8', () => {
  const looks = (untilMs: number, failAt = -1): readonly Entry[] =>
    Array.from({ length: Math.floor(untilMs / 250) }, (_, i) => i + 1).map((i) => ({
      kind: 'serving',
      t: at(500 + i * 250),
      ok: i !== failAt,
      detail: i === failAt ? 'connection refused' : '200',
    }));
  const later = signal('TERM', 500 + 3300);
  run('STA-8', [
    ['serving past the deadline passes', 'pass', [ready(), ...looks(3250), ...later], /13 of 13 looks/],
    ['a last look that is due a moment later is enough', 'pass', [ready(), ...looks(3000), ...later], /12 of 12 looks/],
    [
      'an end without a signal fails',
      'fail',
      [ready(), ...looks(1000), ...exit(2300, 1)],
      /ended 2800 ms after .* exit 1/,
    ],
    [
      'an end without a sighting fails',
      'fail',
      [ready(), ...looks(1000), ...exit(2300, 1).slice(1)],
      /ended .*without any signal/,
    ],
    [
      'a last look that failed fails',
      'fail',
      [ready(), ...looks(3250, 13), ...later],
      /ms after readiness: connection refused/,
    ],
    [
      'a short watch is inconclusive',
      'inconclusive',
      [ready(), ...looks(2000), ...signal('TERM', 2600)],
      /watched for 2000 ms only/,
    ],
    [
      'looks after the signal do not count',
      'inconclusive',
      [ready(), ...looks(3250), ...signal('TERM', 2600)],
      /2000 ms only/,
    ],
    ['no look is inconclusive', 'inconclusive', [ready(), ...later], /nobody looked/],
    ['no readiness is inconclusive', 'inconclusive', looks(3250), /trigger/],
    ['the end that our signal brought is none of its business', 'inconclusive', gracefulStop(), /nobody looked/],
    [
      'without a grace the stop bound and a second are watched',
      'pass',
      [ready(), ...looks(11_000), ...signal('TERM', 500 + 11_050)],
      /11000/,
      { preset: 'baseline' },
    ],
    [
      'without a grace an end inside the stop bound is looked for',
      'inconclusive',
      [ready(), ...looks(3250), ...later],
      /watched for 3250 ms only, 11000 ms/,
      { preset: 'baseline' },
    ],
  ]);
});
