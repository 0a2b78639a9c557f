import { describe, expect, it } from 'vitest';
import { checkRows } from '../judge/testing/clause-rows.suite.ts';
import type { Entry, Setting } from '../judge/testing/history-builder.ts';
import { exit, history, outerTimeout, ready, signal, SIGNAL_AT } from '../judge/testing/history-builder.ts';
import { answered, finished, held, lost } from '../judge/testing/work-builder.ts';
import { sig5, sig6, sig6Close, sig7, sig9 } from './sig-second.ts';

const same = (apart: string, more: Setting = {}): Setting => ({ values: { signal: 'TERM', apart }, ...more });
const alone = (setting: Setting): Setting => ({ ...setting, cell: { lane: 'alone' } });

/** TERM with a request in flight, and a second signal so long after it. */
const twice = (second: string, apartMs: number, ...entries: readonly Entry[]): readonly Entry[] => [
  ready(),
  held('slow-body-1'),
  ...signal('TERM'),
  ...signal(second, SIGNAL_AT + apartMs, 'script', 2),
  ...entries,
];
const cutAt = (afterMs: number): Entry => lost('slow-body-1', afterMs, 'reset');
/** The harness's part done and answered, both so long after the first signal. */
const done = (afterMs: number): readonly Entry[] => [
  finished('slow-body-1', afterMs),
  answered('slow-body-1', afterMs + 3),
];

describe('SIG-6', () => {
  checkRows(sig6, [
    [
      'is judged by the distance achieved',
      'pass',
      twice('TERM', 14, cutAt(16), ...exit(20, 1)),
      /SIGTERM 14 ms after SIGTERM: exit 1/,
      same('10ms'),
    ],
    [
      'a distance that the engine is too slow for speaks for none',
      'not exercised',
      [
        ready(),
        held('slow-body-1'),
        ...signal(),
        ...signal('TERM', SIGNAL_AT + 40, 'script', 2).map((o) =>
          o.kind === 'signal.delivered' ? { ...o, begin: (SIGNAL_AT + 2) * 1e6 } : o,
        ),
        cutAt(42),
        ...exit(45, 1),
      ],
      /40 ms after SIGTERM, not 10 ms: the engine took 38 ms/,
      same('10ms'),
    ],
    [
      'a harness that was late is measured again',
      'inconclusive',
      twice('TERM', 120, cutAt(122), ...exit(130, 1)),
      /not 50 ms: the harness was late/,
      same('50ms'),
      'timing',
    ],
    [
      'a failure is one at any distance',
      'fail',
      twice('TERM', 120, ...done(1300), ...exit(1310, 0)),
      /not below 300 ms/,
      alone(same('50ms')),
    ],
    [
      'the last distance may be up to twice as far',
      'pass',
      twice('TERM', 700, cutAt(702), ...exit(710, 1)),
      /700 ms after/,
      same('500ms'),
    ],
  ]);
});

describe('SIG-6-close', () => {
  const cp: Setting = { preset: 'openab-cp' };
  checkRows(sig6Close, [
    [
      'two signals at once that end the stop as a second one does pass',
      'pass',
      twice('INT', 2, cutAt(6), ...exit(9, 1)),
      /SIGINT 2 ms after SIGTERM: exit 1/,
    ],
    ['so they do with the status of either', 'pass', twice('INT', 2, cutAt(6), ...exit(9, 130)), /exit 130/, cp],
    ['whichever came first', 'pass', twice('INT', 2, cutAt(6), ...exit(9, 143)), /exit 143/, cp],
    ['with that of neither they do not', 'fail', twice('INT', 2, cutAt(6), ...exit(9, 0)), /exit 0 instead of 130/, cp],
    [
      'a second signal that changes nothing fails',
      'fail',
      twice('INT', 2, ...done(1202), ...exit(1212, 0)),
      /not below 300 ms/,
      alone({}),
    ],
    [
      'signals that were not that close say nothing',
      'inconclusive',
      twice('INT', 14, cutAt(18), ...exit(20, 1)),
      /not within 10 ms/,
      {},
      'timing',
    ],
  ]);
});

describe('SIG-7', () => {
  checkRows(sig7, [
    [
      'an end by the grace before a second signal that was late is measured again',
      'inconclusive',
      [ready(), held('slow-body-1'), ...signal(), cutAt(1940), ...exit(1944, 1)],
      /had ended 1944 ms .*which was sent late/,
      {},
      'timing',
    ],
    [
      'an end by the first hard deadline passes',
      'pass',
      twice('TERM', 1700, cutAt(1950), ...exit(1960, 1)),
      /1700 ms after SIGTERM: exit 1 after 1960 ms/,
    ],
    [
      'a stop that begins anew fails',
      'fail',
      twice('TERM', 1700, cutAt(3700), ...exit(3720, 1)),
      /3720 ms .*not below 2300 ms/,
      alone({}),
    ],
    [
      'the outer timeout fails',
      'fail',
      twice('TERM', 1700, ...outerTimeout()),
      /still running .*the harness sent SIGKILL/,
    ],
    [
      'a second signal after the grace is measured again',
      'inconclusive',
      twice('TERM', 2010, cutAt(2015), ...exit(2020, 1)),
      /the grace may have run out/,
      {},
      'timing',
    ],
    [
      'without a grace it is not exercised',
      'not exercised',
      twice('TERM', 100, cutAt(104), ...exit(110, 1)),
      /no grace is declared/,
      { terms: { graceMs: null } },
    ],
    [
      'an end long before it is not exercised',
      'not exercised',
      [ready(), held('slow-body-1'), ...signal(), cutAt(5), ...exit(9, 0)],
      /had ended 9 ms/,
    ],
  ]);
});

describe('SIG-9', () => {
  const storm = (count: number, ...entries: readonly Entry[]): readonly Entry[] => [
    ready(),
    held('slow-body-1'),
    ...Array.from({ length: count }, (_, n) => signal('TERM', SIGNAL_AT + 8 * n, 'script', n + 1)).flat(),
    ...entries,
  ];
  checkRows(sig9, [
    [
      'a service that the second signal ended passes',
      'pass',
      storm(3, cutAt(10), ...exit(17, 1)),
      /^3 signals in 18 ms; SIGTERM 8 ms after SIGTERM: exit 1 11 ms/,
    ],
    [
      'one that leaves when the storm is over fails',
      'fail',
      storm(100, cutAt(850), ...exit(860, 1)),
      /^100 signals in 794 ms; .*not below 300 ms/,
      alone({}),
    ],
    [
      'one that drains through it passes where a second signal may do nothing',
      'pass',
      storm(100, ...done(1500), ...exit(1520, 0)),
      /^100 signals .*exit 0 17 ms/,
      { preset: 'baseline' },
    ],
    [
      'too few signals are no storm',
      'inconclusive',
      storm(4, ...done(1500), ...exit(1520, 0)),
      /^only 4 signals/,
      { preset: 'baseline' },
      'timing',
    ],
  ]);
});

describe('which cells speak', () => {
  const lf = history({}).header.basis.terms;
  const base = history({ preset: 'baseline' }).header.basis.terms;
  const quit = history({ preset: 'baseline', terms: { primarySignal: 'INT', gracefulSignals: ['INT'] } }).header.basis
    .terms;
  const of = (first: string, second: string) => ({ first, second, apart: '100ms' });
  it.each([
    ['equal signals', { signal: 'TERM', apart: '100ms' }, true, true],
    ['equal INTs', { signal: 'INT', apart: '100ms' }, true, false],
    ['another distance', { signal: 'TERM', apart: '20ms' }, false, false],
    ['INT after the primary signal', of('primary', 'INT'), true, true],
    ['the primary signal after INT', of('INT', 'primary'), true, false],
    ['HUP, where it is not graceful', of('primary', 'HUP'), false, false],
    ['equal ones by another name', of('primary', 'primary'), false, false],
    ['one signal', { signal: 'TERM' }, false, false],
  ])('about SIG-5: %s', (_, cell, ofLf, ofBase) => {
    expect([sig5.appliesTo?.(cell, lf), sig5.appliesTo?.(cell, base)]).toEqual([ofLf, ofBase]);
  });

  it('an image that stops by INT has no other kind', () => {
    expect(sig5.appliesTo?.(of('primary', 'INT'), quit)).toBe(false);
    expect(sig5.appliesTo?.({ signal: 'INT', apart: '100ms' }, quit)).toBe(true);
  });

  it('about SIG-5 with HUP in every order where it is graceful, and where it is not in none', () => {
    const cp = history({ preset: 'openab-cp' }).header.basis.terms;
    const cells = [
      { signal: 'HUP', apart: '100ms' },
      ...['primary', 'INT'].flatMap((other) => [of('HUP', other), of(other, 'HUP')]),
    ];
    expect(cells.map((cell) => sig5.appliesTo?.(cell, cp))).toEqual([true, true, true, true, true]);
    expect(cells.map((cell) => sig5.appliesTo?.(cell, lf))).toEqual([false, false, false, false, false]);
    expect(sig5.appliesTo?.(of('HUP', 'HUP'), cp)).toBe(false);
  });

  it.each([
    ['INT twice', { signal: 'INT' }],
    ['INT after the primary signal', { first: 'primary', second: 'INT' }],
    ['the primary signal after INT', { first: 'INT', second: 'primary' }],
  ])('about SIG-6: %s at the widest distances, with a grace', (_, signals) => {
    const steps = ['10ms', '20ms', '50ms', '100ms', '500ms'].map((apart) => ({ ...signals, apart }));
    expect(steps.map((cell) => sig6.appliesTo?.(cell, lf))).toEqual([true, false, false, true, true]);
    expect(steps.some((cell) => sig6.appliesTo?.(cell, base))).toBe(false);
  });

  it('about SIG-6: what was put in between, and no kinds that another clause compares', () => {
    const between = { apart: '35ms' };
    expect(sig6.appliesTo?.({ signal: 'TERM', ...between }, lf)).toBe(true);
    expect(sig6.appliesTo?.({ signal: 'TERM', ...between }, base)).toBe(true);
    expect(sig6.appliesTo?.({ first: 'primary', second: 'INT', ...between }, lf)).toBe(true);
    expect(sig6.appliesTo?.({ signal: 'HUP', ...between }, lf)).toBe(false);
    expect(sig6.appliesTo?.({ first: 'primary', second: 'HUP', apart: '10ms' }, lf)).toBe(false);
    expect(sig6.appliesTo?.({ first: 'primary', second: 'primary', apart: '10ms' }, lf)).toBe(false);
    expect(sig6.appliesTo?.({ first: 'primary', second: 'INT', apart: '10ms' }, quit)).toBe(false);
    expect(sig6.appliesTo?.({ signal: 'TERM' }, lf)).toBe(false);
  });

  it('about SIG-6: every distance with a grace, some without', () => {
    const steps = ['10ms', '20ms', '50ms', '100ms', '500ms'].map((apart) => ({ signal: 'TERM', apart }));
    expect(steps.map((cell) => sig6.appliesTo?.(cell, lf))).toEqual([true, true, true, true, true]);
    expect(steps.map((cell) => sig6.appliesTo?.(cell, base))).toEqual([false, true, false, true, true]);
  });
});
