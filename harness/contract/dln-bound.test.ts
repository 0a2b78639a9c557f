import { describe, expect, it } from 'vitest';
import {
  at,
  basisOf,
  exit,
  GRACEFUL,
  line,
  logComplete,
  outerTimeout,
  ready,
  signal,
  SIGNAL_AT,
} from '../judge/testing/history-builder.ts';
import type { Entry } from '../judge/testing/history-builder.ts';
import { checkRows } from '../judge/testing/clause-rows.suite.ts';
import { heldWork, workEnded, workFailed } from '../judge/testing/held-work.ts';
import { dln5, dln6 } from './dln-bound.ts';

const listening: Entry = { kind: 'controller.listening', t: at(100), url: 'http://10.0.0.1:9', behaviour: 'late' };
const registered: Entry = {
  kind: 'controller.answered',
  t: at(400),
  session: 1,
  method: 'service/register',
  outcome: 'registered',
};
const goodbye = (afterMs: number): Entry => ({
  kind: 'controller.received',
  t: at(SIGNAL_AT + afterMs),
  session: 1,
  method: 'service/deregister',
  reason: 'terminate',
});
const busy = (...entries: readonly Entry[]): readonly Entry[] => [ready(), heldWork(), ...signal(), ...entries];
const cut = workEnded(2003, 'reset');
const slow = (...entries: readonly Entry[]): readonly Entry[] => [
  listening,
  registered,
  ...busy(goodbye(5), ...entries),
];

it('DLN-6 asks for each declared fault', () => {
  const { terms } = basisOf();
  expect(dln6.appliesTo?.({ fault: 'stuck-thread' }, terms)).toBe(true);
  expect(dln6.appliesTo?.({}, terms)).toBe(false);
});

describe('DLN-5', () => {
  checkRows(dln5, [
    [
      'a SIGKILL of the harness before the limit proves nothing',
      'inconclusive',
      slow(cut, ...outerTimeout(2260)),
      /killed it .* before the limit of 2300 ms/,
    ],
    ['everything slow and over by the hard deadline passes', 'pass', slow(cut, ...exit(2240, 1)), /exit 1 .* 2240 ms/],
    [
      'past the hard deadline fails',
      'fail',
      slow(cut, ...exit(4000, 1)),
      /not below 2300 ms/,
      { cell: { lane: 'alone' } },
    ],
    ['far past it fails in company too', 'fail', slow(cut, ...exit(4000, 1)), /not below 2300 ms/],
    ['past it fails without the goodbye too', 'fail', [registered, ...busy(cut, ...exit(4000, 1))], /not below/],
    [
      'narrowly past it beside others is measured again',
      'inconclusive',
      slow(cut, ...exit(2600, 1)),
      /beside others/,
      {},
      'timing',
    ],
    ['at the limit is inconclusive', 'inconclusive', slow(cut, ...exit(2298, 1)), /lies inside/, {}, 'timing'],
    ['exit 0 fails', 'fail', slow(cut, ...exit(2240, 0)), /exit 0 although work was cut/],
    ['the SIGKILL of the outer timeout fails', 'fail', slow(...outerTimeout()), /everything slow; the harness/],
    ['137 fails', 'fail', slow(cut, ...exit(2240, 137)), /137/],
    [
      'without a registration nothing is proven',
      'inconclusive',
      [listening, ...busy(goodbye(5), cut, ...exit(2240, 1))],
      /never registered/,
    ],
    [
      'a service without a controller has no goodbye to be slow: the rest must end in time',
      'pass',
      busy(cut, ...exit(2240, 1)),
      /without a deregistration/,
    ],
    ['without a controller too late is too late', 'fail', busy(cut, ...exit(4000, 1)), /not below 2300 ms/],
    [
      'without a goodbye nothing is proven',
      'inconclusive',
      [listening, registered, ...busy(cut, ...exit(2240, 1))],
      /the goodbye never came/,
    ],
    [
      'a goodbye from before the signal is none',
      'inconclusive',
      [listening, registered, ...busy(goodbye(-100), cut, ...exit(2240, 1))],
      /the goodbye never came/,
    ],
    [
      'without a goodbye a narrow end is not measured again in vain',
      'inconclusive',
      [listening, registered, ...busy(cut, ...exit(2298, 1))],
      /the goodbye never came/,
    ],
    [
      'work that did not last proves nothing',
      'inconclusive',
      slow(workEnded(300, 'reset'), ...exit(400, 0)),
      /no work was in flight any more/,
    ],
    ['no work is inconclusive', 'inconclusive', [ready(), ...signal(), ...exit(9, 0)], /no work was in flight at/],
    ['no signal is inconclusive', 'inconclusive', [registered, ready(), heldWork()], /nothing was sent/],
    ['an unknown end is inconclusive', 'inconclusive', slow(cut), /never confirmed/],
    ['work that cannot be held is not exercised', 'not exercised', [ready(), workFailed()], /could be held/],
    ['without a grace it is not exercised', 'not exercised', slow(), /no grace/, { preset: 'baseline' }],
    [
      'cp: exit 0 is the status',
      'pass',
      slow(workEnded(5003, 'closed'), ...exit(5900, 0)),
      /exit 0/,
      { preset: 'openab-cp' },
    ],
  ]);
});

describe('DLN-6', () => {
  const stuck = (...entries: readonly Entry[]): readonly Entry[] => [ready(), ...signal(), ...entries];
  const exceeded = line(2240, 'shutdown completed outcome=deadline-exceeded');
  checkRows(dln6, [
    ['an end by the hard deadline passes', 'pass', stuck(exceeded, ...exit(2245, 1)), /deadline-exceeded, exit 1/],
    ['so does one at once, if the log agrees', 'pass', stuck(line(8, GRACEFUL), ...exit(12, 0)), /graceful, exit 0/],
    ['no outcome is OBS-3’s business', 'pass', stuck(...exit(2245, 1), logComplete()), /no outcome was logged/],
    [
      'without a pattern the end alone decides',
      'pass',
      stuck(...exit(2245, 1)),
      /exit 1 with stuck/,
      { terms: { patterns: { outcome: undefined } } as never, preset: 'openab-cp' },
    ],
    ['stuck for ever fails', 'fail', stuck(...outerTimeout()), /stuck clean-up; the harness sent SIGKILL/],
    ['an end past the hard deadline fails', 'fail', stuck(exceeded, ...exit(5000, 1)), /not below 2300 ms/],
    ['at the limit is inconclusive', 'inconclusive', stuck(exceeded, ...exit(2297, 1)), /lies inside/, {}, 'timing'],
    ['137 fails', 'fail', stuck(...exit(2245, 137)), /137/],
    ['a status against the log fails', 'fail', stuck(exceeded, ...exit(2245, 0)), /contradict/],
    ['graceful with exit 1 fails', 'fail', stuck(line(8, GRACEFUL), ...exit(12, 1)), /contradict/],
    ['a log with a gap is inconclusive', 'inconclusive', stuck(...exit(2245, 1)), /was not read/],
    ['an unknown end is inconclusive', 'inconclusive', stuck(), /never confirmed/],
    ['no signal is inconclusive', 'inconclusive', [ready()], /nothing was sent/],
    ['without a grace it is not exercised', 'not exercised', stuck(...exit(9, 0)), /no grace/, { preset: 'baseline' }],
  ]);
});
