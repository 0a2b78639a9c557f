import { describe, expect, it } from 'vitest';
import type { Entry, Setting } from '../judge/testing/history-builder.ts';
import {
  at,
  exit,
  gracefulStop,
  history,
  line,
  logComplete,
  outerTimeout,
  ready,
  RECEIVED,
  signal,
  SIGNAL_AT,
} from '../judge/testing/history-builder.ts';
import { judgeClause as judge } from '../judge/testing/judge-clause.ts';
import type { Row } from '../judge/testing/judge-clause.ts';
import { clauseById } from './index.ts';

const refused: Entry = {
  kind: 'signal.failed',
  t: at(1000),
  n: 1,
  signal: 'TERM',
  purpose: 'script',
  message: 'gone',
  ended: true,
};
const notReady: Entry = { kind: 'ready.failed', t: at(900), reason: 'exited', message: 'exit 1 while starting' };

const counted = (atMs: number, kills: number): Entry => ({ kind: 'oom', source: 'cgroup', kills, t: at(atMs) });

const stuck = (afterMs: number): Entry => ({
  kind: 'fault',
  t: at(SIGNAL_AT + afterMs),
  where: 'engine',
  message: 'PID 1 is still there 10 s after SIGKILL: engine or kernel does not end it',
});

const STOPS: readonly Row[] = [
  ['a fast stop with exit 0 passes', 'pass', gracefulStop(), /exit 0 after 12 ms/],
  ['a wrong status fails, however fast', 'fail', [ready(), ...signal(), ...exit(12, 1)], /exit 1 .*not an accepted/],
  ['143 is no accepted status of its own', 'fail', [ready(), ...signal(), ...exit(12, 143)], /exit 143/],
  [
    'the SIGKILL after the outer timeout fails',
    'fail',
    [ready(), ...signal(), ...outerTimeout()],
    /harness sent SIGKILL/,
  ],
  [
    '137 without a SIGKILL of ours fails',
    'fail',
    [ready(), ...signal(), ...exit(40, 137)],
    /137 without a SIGKILL of ours/,
  ],
  [
    'one that not even the SIGKILL ends is no fault of the image',
    'inconclusive',
    [ready(), ...signal(), ...signal('KILL', SIGNAL_AT + 10_000, 'outer-timeout', 9), stuck(20_001)],
    /still there 10 s after SIGKILL/,
  ],
  [
    'nor is it where the engine ended it later all the same',
    'inconclusive',
    [
      ready(),
      ...signal(),
      ...signal('KILL', SIGNAL_AT + 10_000, 'outer-timeout', 9),
      stuck(20_001),
      ...exit(25_000, 137),
    ],
    /still there 10 s after SIGKILL/,
  ],
  [
    'a fault of the engine after the end by our SIGKILL takes nothing back',
    'fail',
    [ready(), ...signal(), ...outerTimeout(), stuck(20_001)],
    /harness sent SIGKILL/,
  ],
  ['137 by OOM says so', 'fail', [ready(), ...signal(), ...exit(40, 137, { oom: true })], /OOMKilled/],
  [
    'OOM of a child fails although the status is 0',
    'fail',
    [ready(), ...signal(), ...exit(12, 0, { oom: true })],
    /OOMKilled/,
  ],
  [
    'OOM of a child long before the signal is told, and is none of the stop',
    'pass',
    [counted(900, 1), ready(), ...signal(), counted(1001, 1), ...exit(12, 0, { oom: true })],
    /exit 0 \(1 OOM kill\(s\) of children before the signal, none since\)/,
  ],
  [
    'one more OOM kill in the stop fails',
    'fail',
    [counted(900, 1), ready(), ...signal(), counted(1001, 2), ...exit(12, 0, { oom: true })],
    /exit 0, but/,
  ],
  [
    'OOM that the engine tells of in the stop fails',
    'fail',
    [
      ...[counted(900, 1), ready(), ...signal()],
      { kind: 'engine.event', action: 'oom', at: at(1005), t: at(1200) } as Entry,
      ...exit(12, 0, { oom: true }),
    ],
    /exit 0, but/,
  ],
  [
    'SIGKILL as the stop signal is named',
    'fail',
    [ready(), ...signal('KILL'), ...exit(9, 137)],
    /the stop signal is SIGKILL/,
  ],
  ['a slow stop fails', 'fail', [ready(), ...signal(), ...exit(1500, 0)], /not below 1000 ms/],
  ['no signal is inconclusive', 'inconclusive', [ready()], /trigger never happened/],
  ['a service that never got ready is inconclusive', 'inconclusive', [notReady], /never became ready \(exit 1 while/],
  ['a process that was gone already is inconclusive', 'inconclusive', [ready(), refused], /gone already/],
  [
    'a service that ended before it was signalled is inconclusive',
    'inconclusive',
    [ready(), ...exit(-300, 0)],
    /ended by itself before/,
  ],
  [
    'an end that was seen before the signal was sent is inconclusive',
    'inconclusive',
    [ready(), ...exit(-300, 0), ...signal()],
    /ended by itself before the signal was sent/,
  ],
  [
    'an end that only the engine saw before the signal was sent is inconclusive',
    'inconclusive',
    [ready(), ...signal(), ...exit(20, 1, { finishedMs: -300 }).slice(1)],
    /ended by itself before the signal was sent/,
  ],
  ['an end that nobody saw is inconclusive', 'inconclusive', [ready(), ...signal()], /never confirmed/],
  [
    'a container that we removed ourselves is inconclusive',
    'inconclusive',
    [ready(), ...signal(), ...signal('KILL', 1500, 'clean-up', 9), ...exit(503, 137)],
    /cleaned it up/,
  ],
];

describe.each(['SIG-1', 'SIG-2', 'SIG-3'])('%s', (id) => {
  for (const [promise, outcome, entries, seen] of STOPS) {
    it(promise, () => {
      const finding = judge(id, { preset: 'light-fabric' }, entries);
      expect(finding).toMatchObject({ outcome, seen: expect.stringMatching(seen) });
    });
  }
});

describe('limits and uncertainty', () => {
  it.each([
    [950, 5, 'pass'],
    [990, 5, 'pass'],
    [1010, 5, 'fail'],
    [1050, 5, 'fail'],
    [998, 5, 'inconclusive'],
    [950, 15, 'pass'],
    [990, 15, 'inconclusive'],
    [1010, 15, 'inconclusive'],
    [1050, 15, 'fail'],
  ] as const)('a stop of %d ms measured to ±%d ms against 1000 ms: %s', (took, hostMs, outcome) => {
    const setting: Setting = { uncertainty: { hostMs, engineMs: 12 }, cell: { lane: 'alone' } };
    const finding = judge('SIG-1', setting, [ready(), ...signal(), ...exit(took, 0)]);
    expect(finding.outcome).toBe(outcome);
    expect(finding.timing ?? false).toBe(outcome === 'inconclusive');
    expect(finding.measured).toMatchObject({ by: 'host', lowMs: took - hostMs, highMs: took + hostMs });
  });

  it.each([
    [1200, 'shared', 'inconclusive'],
    [1200, 'alone', 'fail'],
    [1500, 'shared', 'fail'],
  ] as const)('a stop of %d ms against 1000 ms in the lane %s: %s', (took, lane, outcome) => {
    const finding = judge('SIG-1', { cell: { lane } }, [ready(), ...signal(), ...exit(took, 0)]);
    expect(finding).toMatchObject({ outcome, seen: expect.stringContaining('not below 1000 ms') });
    expect(finding.timing ?? false).toBe(outcome === 'inconclusive');
  });

  it('an accepted status comes with its reason', () => {
    const setting: Setting = { preset: 'baseline', terms: { acceptedStatuses: [{ status: 143, reason: 'a JVM' }] } };
    const finding = judge('SIG-1', setting, [ready(), ...signal(), ...exit(9000, 143)]);
    expect(finding).toMatchObject({ outcome: 'pass', limitMs: 10_000 });
    expect(finding.accepted).toContain('exit 143 (a JVM)');
  });

  it('the goal of a -fast clause is its own limit', () => {
    const entries = [ready(), ...signal(), ...exit(1500, 0)];
    expect(judge('SIG-1', { preset: 'openab-cp' }, entries)).toMatchObject({ outcome: 'pass', limitMs: 6000 });
    expect(judge('SIG-1-fast', { preset: 'openab-cp' }, entries)).toMatchObject({ outcome: 'fail', limitMs: 1000 });
    expect(judge('SIG-2-fast', { preset: 'openab-cp' }, gracefulStop())).toMatchObject({ outcome: 'pass' });
    expect(judge('SIG-3-fast', { preset: 'openab-cp' }, gracefulStop())).toMatchObject({ outcome: 'pass' });
  });

  it.each([
    ['SIG-1', 'TERM', 'TERM', true],
    ['SIG-1', 'INT', 'TERM', false],
    ['SIG-1', 'QUIT', 'QUIT', true],
    ['SIG-2', 'INT', 'TERM', true],
    ['SIG-3', 'HUP', 'TERM', true],
    ['SIG-3', 'INT', 'TERM', false],
  ])('%s in a cell of %s with primary signal %s: %s', (id, sent, primarySignal, expected) => {
    const { basis } = history({ terms: { primarySignal } }).header;
    expect(clauseById(id)?.appliesTo?.({ signal: sent }, basis.terms)).toBe(expected);
  });
});

const second = 'light-runtime: second shutdown signal received; cancelling graceful drain reason=Interrupt';
const planned: Setting = { values: { first: 'TERM', second: 'INT' } };
const stop = (...lines: readonly Entry[]): readonly Entry[] => [ready(), ...signal(), ...lines, ...exit(30, 0)];

describe('SIG-4', () => {
  const rows: readonly Row[] = [
    ['one receipt with the right reason passes', 'pass', stop(line(1, RECEIVED), logComplete()), /reason Terminate/],
    [
      'a wrong reason fails',
      'fail',
      stop(line(1, RECEIVED.replace('Terminate', 'Interrupt')), logComplete()),
      /Interrupt was/,
    ],
    ['two receipts fail', 'fail', stop(line(1, RECEIVED), line(2, RECEIVED), logComplete()), /2 lines/],
    ['no receipt fails', 'fail', stop(line(1, 'bye'), logComplete()), /no line .*last line: "bye"/],
    ['a receipt before the signal does not count', 'fail', stop(line(-100, RECEIVED), logComplete()), /no line/],
    ['no receipt and a log that was not completed is inconclusive', 'inconclusive', stop(), /was not read/],
    [
      'one receipt and a log that was not completed is inconclusive',
      'inconclusive',
      stop(line(1, RECEIVED)),
      /but the stored/,
    ],
    ['silence until the outer timeout fails', 'fail', [ready(), ...signal(), ...outerTimeout()], /no line at all/],
    ['no signal is inconclusive', 'inconclusive', [ready(), logComplete()], /trigger/],
    [
      'a second signal neither counts nor changes the reason',
      'pass',
      stop(line(1, RECEIVED), ...signal('INT', SIGNAL_AT + 10, 'script', 2), line(11, second), logComplete()),
      /reason Terminate; the second signal was SIGINT/,
    ],
    [
      'a reason that follows the second signal fails',
      'fail',
      stop(
        line(1, RECEIVED.replace('Terminate', 'Interrupt')),
        ...signal('INT', SIGNAL_AT + 10, 'script', 2),
        logComplete(),
      ),
      /Interrupt was logged for SIGTERM/,
    ],
    [
      'a late service may get both at once, the lower number first: measured again',
      'inconclusive',
      stop(
        ...signal('INT', SIGNAL_AT + 5, 'script', 2),
        line(8, RECEIVED.replace('Terminate', 'Interrupt')),
        logComplete(),
      ),
      /may have got both at once/,
    ],
    [
      'a second signal that was planned and came passes',
      'pass',
      stop(line(1, RECEIVED), ...signal('INT', SIGNAL_AT + 10, 'script', 2), logComplete()),
      /reason Terminate; the second signal was SIGINT/,
      planned,
    ],
    [
      'the reason of the first is asked for, whichever the cell names',
      'fail',
      stop(line(1, RECEIVED), ...signal('INT', SIGNAL_AT - 10, 'script', 0), logComplete()),
      /Terminate was logged for SIGINT/,
      { values: { first: 'INT', second: 'TERM' } },
    ],
    [
      'a second signal that was never sent is inconclusive',
      'inconclusive',
      stop(line(1, RECEIVED), logComplete()),
      /the second signal was never sent: the service had ended/,
      planned,
    ],
    [
      'a second signal that found nobody is inconclusive',
      'inconclusive',
      stop(line(1, RECEIVED), { ...refused, t: at(1040), n: 2, signal: 'INT' } as Entry, logComplete()),
      /the second signal was never/,
      planned,
    ],
    [
      'a wrong reason fails without the second signal',
      'fail',
      stop(line(1, RECEIVED.replace('Terminate', 'Interrupt')), logComplete()),
      /Interrupt was logged for SIGTERM/,
      planned,
    ],
    [
      'without a declared pattern it is not exercised',
      'not exercised',
      stop(line(1, RECEIVED), logComplete()),
      /no log pattern/,
      { preset: 'openab-cp' },
    ],
    [
      'a pattern without the group is inconclusive',
      'inconclusive',
      stop(line(1, RECEIVED), logComplete()),
      /no group/,
      { terms: { patterns: { signalReceived: 'signal received' } } },
    ],
  ];
  for (const [promise, outcome, entries, seen, setting = {}] of rows) {
    it(promise, () => {
      const finding = judge('SIG-4', setting, entries);
      expect(finding).toMatchObject({ outcome, seen: expect.stringMatching(seen) });
      if (outcome === 'not exercised') expect(finding.declare).toContain('signalReceived');
    });
  }

  it('INT is Interrupt', () => {
    const entries = [
      ready(),
      ...signal('INT'),
      line(1, RECEIVED.replace('Terminate', 'Interrupt')),
      ...exit(9, 0),
      logComplete(),
    ];
    expect(judge('SIG-4', { values: { signal: 'INT' } }, entries).outcome).toBe('pass');
  });
});
