import { describe, expect, it } from 'vitest';
import type { Row } from '../judge/testing/judge-clause.ts';
import { judgeClause } from '../judge/testing/judge-clause.ts';
import type { Entry, Setting } from '../judge/testing/history-builder.ts';
import { at, exit, outerTimeout, processFact, ready, SIGNAL_AT, signal } from '../judge/testing/history-builder.ts';
import type { ProcessFact } from '../model/observation.ts';

const CAUGHT = { caught: '4000' };
const shell = processFact(1, 0, ['/bin/sh', '/start.sh']);
const server = processFact(1, 0, ['/server'], CAUGHT);

/** Created, and started by the engine, so many ms before the signal. */
const started = (beforeMs: number, startTookMs = 60): Entry => {
  const t = at(SIGNAL_AT - 2 - beforeMs);
  return [
    { kind: 'container.created', t: t - at(startTookMs), id: 'c', name: 'n' },
    { kind: 'engine.call', begin: t - at(startTookMs), t, call: 'create and start' },
    { kind: 'container.started', t, pid: 100, vantage: 'direct' },
  ];
};
const sample = (
  afterMs: number,
  process: ProcessFact,
  moment: 'before-signal' | 'during-stop' = 'during-stop',
): Entry => ({
  kind: 'processes',
  t: at(SIGNAL_AT + afterMs),
  moment,
  list: [process],
});
const before = (process: ProcessFact): Entry => sample(-3, process, 'before-signal');
const quiet: Entry = { kind: 'cpu.pressure', of: 'machine', begin: 0, t: at(SIGNAL_AT - 5), waitedMs: 1 };
/** It comes up 800 ms after the signal, and a second signal 1 s later ends it. */
const cameUp: Entry = [...([ready(SIGNAL_AT + 800)] as const), ...signal('TERM', SIGNAL_AT + 1800, 'script', 2)];
const retried: Entry = [cameUp, exit(1812, 0)].flat();
/** A shell without a trap, which becomes the server. */
const lostByShell: readonly Entry[] = [before(shell), ...[signal()], sample(1, shell), sample(1700, server), retried];
const alone: Setting = { cell: { lane: 'alone' } };
const baseline: Setting = { preset: 'baseline', ...alone };
const offset = (setting: Setting = {}): Setting => ({ values: { offset: '600ms' }, ...setting });

const rows: readonly Row[] = [
  [
    'a signal that ends it by itself passes, ready or not',
    'pass',
    [started(60), before(server), signal(), exit(12, 0)],
    /^SIGTERM 60\.\.122 ms after the start of PID 1 \[server\] took effect: exit 0$/,
  ],
  [
    'one on the edge of readiness passes, and that is said',
    'pass',
    [started(300), ready(SIGNAL_AT - 9), before(server), signal(), exit(12, 0)],
    /\[server, ready\] took effect/,
  ],
  [
    'an end by the signal’s own action was heard',
    'pass',
    [started(60), signal(), exit(12, 143)],
    /took effect: exit 143/,
  ],
  [
    'so was one with any status by a handler that was there',
    'pass',
    [started(60), before(server), signal(), exit(12, 3)],
    /took effect: exit 3/,
  ],
  [
    'an end with a status that a start which fails has is inconclusive',
    'inconclusive',
    [started(60), before(shell), signal(), exit(12, 1)],
    /exit 1, by the signal or by itself/,
  ],
  [
    'an end of what had no handler before and after is none by the signal',
    'inconclusive',
    [started(60), before(shell), signal(), sample(1, shell), exit(400, 0)],
    /ended by itself \(exit 0\), without a handler/,
  ],
  [
    'a loss that was early is allowed, and says what PID 1 was then and later',
    'pass',
    [started(60), ...lostByShell],
    /60\.\.122 ms .*\[sh \(shell\)\] was lost \(no handler 1 ms after it, one only later\); once it was ready as server, a second one ended it; inside the 500 ms/,
  ],
  [
    'a loss half a second after the start fails',
    'fail',
    [started(600), quiet, ...lostByShell],
    /600\.\.662 ms .* lost/,
    alone,
  ],
  [
    'beside others it is to be measured again',
    'inconclusive',
    [started(600), quiet, ...lostByShell],
    /measured beside others/,
  ],
  [
    'on a machine that was busy for so long too',
    'inconclusive',
    [
      started(600),
      { kind: 'cpu.pressure', of: 'machine', begin: 0, t: at(SIGNAL_AT - 5), waitedMs: 120 },
      ...lostByShell,
    ],
    /up to 120 ms of it was waiting for a processor/,
    alone,
  ],
  [
    'and where the kernel does not tell, by what the harness was late itself',
    'inconclusive',
    [started(600), { kind: 'stall', begin: 0, t: at(SIGNAL_AT - 50), lateMs: 130 }, ...lostByShell],
    /up to 130 ms of it/,
    alone,
  ],
  [
    'a loss that may have been before the limit leaves it to a later offset',
    'not exercised',
    [started(450), quiet, ...lostByShell],
    /450\.\.512 ms .*a later offset/,
    alone,
  ],
  [
    'a loss while PID 1 was the engine’s runtime still is none of the image',
    'not exercised',
    [
      started(600),
      before(processFact(1, 0, ['runc', 'init'], { comm: 'runc:[2:INIT]' })),
      signal(),
      sample(1, shell),
      sample(1700, server),
      retried,
    ],
    /\[runc:\[2:INIT\]\] was lost .*own program had not begun/,
    alone,
  ],
  [
    'a shell that catches the signal and becomes another program has lost it',
    'fail',
    [
      started(600),
      quiet,
      before({ ...shell, ...CAUGHT }),
      signal(),
      sample(1, { ...shell, ...CAUGHT }),
      { kind: 'process.exec', t: at(SIGNAL_AT + 700), pid: 100, comm: 'postgres' },
      sample(1700, server),
      retried,
    ],
    /lost \(PID 1 became postgres 700 ms after the signal\)/,
    alone,
  ],
  [
    'a signal that is blocked waits for the next program',
    'inconclusive',
    [
      started(600),
      before({ ...shell, blocked: '4000' }),
      signal(),
      sample(1, { ...shell, blocked: '4000' }),
      { kind: 'process.exec', t: at(SIGNAL_AT + 700), pid: 100, comm: 'server' },
      sample(1700, server),
      retried,
    ],
    /may have heard it/,
    alone,
  ],
  [
    'a handler of the runtime’s own that is gone after the signal, and another one later, is a loss, whatever threads block',
    'fail',
    [
      started(600),
      quiet,
      before(processFact(1, 0, ['node'], { ...CAUGHT, threads: 7, blocked: '4000' })),
      signal(),
      sample(1, processFact(1, 0, ['node'], { threads: 7, blocked: '4000' })),
      sample(1700, processFact(1, 0, ['node'], { ...CAUGHT, threads: 7, blocked: '4000' })),
      retried,
    ],
    /no handler 1 ms after it, one only later/,
    alone,
  ],
  [
    'a handler that was there all the time may have heard the first and been slow',
    'inconclusive',
    [started(600), quiet, before(server), signal(), sample(1, server), sample(1700, server), retried],
    /may have heard it and been stopping/,
    alone,
  ],
  [
    'a handler for one signal only, gone after it, may have heard it too',
    'inconclusive',
    [started(600), quiet, before(server), signal(), sample(1, shell), sample(1700, shell), retried],
    /may have heard it/,
    alone,
  ],
  [
    'living on for longer than a stop may take is a loss without any masks',
    'fail',
    [
      started(600),
      quiet,
      signal(),
      ready(SIGNAL_AT + 800),
      signal('TERM', SIGNAL_AT + 10_060, 'script', 2),
      exit(10_070, 0),
    ],
    /lost \(it lived on for 10058 ms\)/,
    baseline,
  ],
  [
    'without masks and with less patience it is not known',
    'inconclusive',
    [started(600), quiet, signal(), retried],
    /may have heard it/,
    baseline,
  ],
  [
    'where a second signal does not end it either, that is no matter of the start-up',
    'inconclusive',
    [started(60), before(shell), signal(), sample(1, shell), cameUp, outerTimeout(4800)],
    /a second SIGTERM did not end it either/,
  ],
  [
    'one that never becomes ready tells nothing',
    'inconclusive',
    [started(600), before(shell), signal(), signal('TERM', SIGNAL_AT + 1800, 'script', 2), exit(1812, 0)],
    /never became ready/,
    alone,
  ],
  [
    'one that ended before anything was sent tells nothing',
    'inconclusive',
    [started(60), exit(-500, 1)],
    /had ended by itself/,
  ],
  [
    'an emulated image proves nothing about time',
    'inconclusive',
    [started(600), quiet, ...lostByShell],
    /emulated/,
    { ...alone, architecture: 'amd64', image: { architecture: 'arm64' } },
  ],
];

describe('STA-9', () => {
  for (const [promise, outcome, entries, seen, setting = {}] of rows) {
    it(promise, () => {
      expect(judgeClause('STA-9', offset(setting), entries)).toMatchObject({
        outcome,
        seen: expect.stringMatching(seen),
      });
    });
  }

  it('is measured again only where time is what is in doubt', () => {
    const timing = (entries: readonly Entry[], setting: Setting = {}) =>
      judgeClause('STA-9', offset(setting), entries).timing ?? false;
    expect(timing([started(600), quiet, ...lostByShell])).toBe(true);
    expect(timing([started(600), quiet, signal(), retried], baseline)).toBe(false);
  });
});
