import { describe, expect, it } from 'vitest';
import { exit, GRACEFUL, line, logComplete, outerTimeout, ready, signal } from '../judge/testing/history-builder.ts';
import type { Entry, Setting } from '../judge/testing/history-builder.ts';
import { checkRows } from '../judge/testing/clause-rows.suite.ts';
import { heldWork, workEnded, workFailed } from '../judge/testing/held-work.ts';
import { dln4 } from './dln-zero.ts';

const zero = (more: Setting = {}): Setting => ({ values: { grace: 0 }, terms: { graceMs: 0 }, ...more });
const refuse: Setting = zero({ preset: 'openab-cp' });
const busy = (...entries: readonly Entry[]): readonly Entry[] => [ready(), heldWork(), ...signal(), ...entries];
const idle = (...entries: readonly Entry[]): readonly Entry[] => [ready(), ...signal(), ...entries];
const outcome = (text: string): Entry => line(8, `shutdown completed outcome=${text}`);
const notReady = (reason: 'exited' | 'timeout'): Entry => ({
  kind: 'ready.failed',
  t: 900e6,
  reason,
  message: `it ${reason}`,
});

describe('DLN-4, warned, with work', () => {
  checkRows(dln4, [
    [
      'cut at once with exit 1 passes',
      'pass',
      busy(workEnded(9, 'reset'), ...exit(12, 1)),
      /exit 1 .* after 12/,
      zero(),
    ],
    ['by the floor passes', 'pass', busy(workEnded(245, 'reset'), ...exit(250, 1)), /after 250 ms/, zero()],
    ['exit 0 fails', 'fail', busy(workEnded(9, 'reset'), ...exit(12, 0)), /exit 0 although work was cut/, zero()],
    [
      'the default grace instead fails',
      'fail',
      busy(workEnded(2003, 'reset'), ...exit(2010, 1)),
      /not below 300 ms/,
      zero(),
    ],
    ['no deadline at all fails', 'fail', busy(...outerTimeout()), /still running .*grace of 0/, zero()],
    ['an outside kill fails', 'fail', busy(...exit(12, 137)), /137/, zero()],
    [
      'at the limit is inconclusive',
      'inconclusive',
      busy(workEnded(290, 'reset'), ...exit(298, 1)),
      /300 ms lies inside/,
      zero(),
      'timing',
    ],
    [
      'narrowly beyond beside others is measured again',
      'inconclusive',
      busy(workEnded(330, 'reset'), ...exit(340, 1)),
      /beside others/,
      zero(),
      'timing',
    ],
    [
      'narrowly beyond alone fails',
      'fail',
      busy(workEnded(330, 'reset'), ...exit(340, 1)),
      /not below/,
      zero({ cell: { lane: 'alone' } }),
    ],
    [
      'answered work is no trigger',
      'inconclusive',
      busy(workEnded(9, 'answered', { status: 200 }), ...exit(12, 0)),
      /all work was answered/,
      zero(),
    ],
    [
      'a late end fails although the work was answered',
      'fail',
      busy(workEnded(9, 'answered', { status: 200 }), ...exit(2010, 0)),
      /not below 300 ms/,
      zero(),
    ],
    ['an unknown end is inconclusive', 'inconclusive', busy(), /never confirmed/, zero()],
    ['work that cannot be held is not exercised', 'not exercised', [ready(), workFailed()], /could be held/, zero()],
  ]);
});

describe('DLN-4, warned, with nothing in flight', () => {
  checkRows(dln4, [
    ['exit 0 and graceful passes', 'pass', idle(line(8, GRACEFUL), ...exit(12, 0)), /outcome graceful, exit 0/, zero()],
    [
      'exit 1 and deadline-exceeded passes',
      'pass',
      idle(outcome('deadline-exceeded'), ...exit(12, 1)),
      /deadline-exceeded, exit 1/,
      zero(),
    ],
    ['exit 1 and failed passes', 'pass', idle(outcome('failed'), ...exit(12, 1)), /failed, exit 1/, zero()],
    ['exit 1 and graceful fails', 'fail', idle(line(8, GRACEFUL), ...exit(12, 1)), /contradict/, zero()],
    ['exit 0 and failed fails', 'fail', idle(outcome('failed'), ...exit(12, 0)), /contradict/, zero()],
    [
      'two outcomes fail',
      'fail',
      idle(outcome('failed'), line(8, GRACEFUL), ...exit(12, 1)),
      /different outcomes/,
      zero(),
    ],
    ['no outcome fails', 'fail', idle(...exit(12, 0), logComplete()), /no outcome was logged/, zero()],
    ['no outcome in a log with a gap is inconclusive', 'inconclusive', idle(...exit(12, 0)), /was not read/, zero()],
    ['a late end fails', 'fail', idle(line(8, GRACEFUL), ...exit(2010, 0)), /not below 300 ms/, zero()],
    ['no end fails', 'fail', idle(...outerTimeout()), /still running/, zero()],
    ['no signal is inconclusive', 'inconclusive', [ready()], /nothing was sent/, zero()],
  ]);
});

describe('DLN-4, refused', () => {
  checkRows(dln4, [
    ['ending before ready with exit 1 passes', 'pass', [notReady('exited'), ...exit(-100, 1)], /exit 1/, refuse],
    [
      'a profile may say refuse',
      'pass',
      [notReady('exited'), ...exit(-100, 78)],
      /exit 78/,
      zero({ terms: { graceMs: 0, zeroGrace: 'refuse' } }),
    ],
    ['exit 0 fails', 'fail', [notReady('exited'), ...exit(-100, 0)], /a refusal is nonzero/, refuse],
    ['becoming ready fails', 'fail', idle(...exit(12, 1)), /became ready/, refuse],
    ['becoming ready fails with work too', 'fail', busy(workEnded(9, 'reset'), ...exit(12, 1)), /became ready/, refuse],
    ['neither is inconclusive', 'inconclusive', [notReady('timeout')], /neither became ready nor ended/, refuse],
    ['no status is inconclusive', 'inconclusive', [notReady('exited')], /never confirmed/, refuse],
    ['137 is no refusal', 'inconclusive', [notReady('exited'), ...exit(-100, 137)], /cannot be told: 137/, refuse],
    [
      'an end that the harness had a hand in is none',
      'inconclusive',
      [...signal('TERM', 700), notReady('exited'), ...exit(-100, 1)],
      /something was sent/,
      refuse,
    ],
    ['no evidence is inconclusive', 'inconclusive', [], /nobody saw/, refuse],
  ]);
});

describe('DLN-4', () => {
  checkRows(dln4, [
    [
      'an undeclared meaning is not exercised',
      'not exercised',
      idle(...exit(12, 0)),
      /not declared/,
      zero({ terms: { graceMs: 0, zeroGrace: null } }),
    ],
    ['another grace in force is inconclusive', 'inconclusive', idle(...exit(12, 0)), /2000 ms, not 0/, {}],
  ]);

  it('speaks for a grace of 0 only', () => {
    const cells = [{}, { grace: 0 }, { grace: '0' }, { grace: 700 }];
    expect(cells.map((cell) => dln4.appliesTo?.(cell, {} as never))).toEqual([true, true, true, false]);
  });
});
