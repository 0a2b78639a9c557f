import { describe } from 'vitest';
import { exit, GRACEFUL, line, logComplete, outerTimeout, ready, signal } from '../judge/testing/history-builder.ts';
import type { Entry } from '../judge/testing/history-builder.ts';
import { checkRows } from '../judge/testing/clause-rows.suite.ts';
import { heldWork, workEnded, workFailed } from '../judge/testing/held-work.ts';
import { dln3 } from './dln-expired.ts';

const busy = (...entries: readonly Entry[]): readonly Entry[] => [ready(), heldWork(), ...signal(), ...entries];
const outcome = (text: string, afterMs = 2004): Entry => line(afterMs, `shutdown completed outcome=${text}`);
const expired = (...more: readonly Entry[]): readonly Entry[] =>
  busy(workEnded(2003, 'reset'), ...more, ...exit(2010, 1));

describe('DLN-3', () => {
  checkRows(dln3, [
    [
      'an expired stop that says so passes',
      'pass',
      expired(outcome('deadline-exceeded'), logComplete()),
      /outcome deadline-exceeded/,
    ],
    ['an expired stop called graceful fails', 'fail', expired(line(2004, GRACEFUL), logComplete()), /outcome=graceful/],
    [
      'graceful once is enough',
      'fail',
      expired(outcome('graceful', 10), outcome('deadline-exceeded'), logComplete()),
      /outcome=graceful/,
    ],
    ['graceful fails with an incomplete log too', 'fail', expired(line(2004, GRACEFUL)), /outcome=graceful/],
    [
      'graceful fails where the harness had to kill it',
      'fail',
      busy(outcome('graceful'), ...outerTimeout(), logComplete()),
      /outcome=graceful/,
    ],
    [
      'an outcome from before the signal says nothing',
      'pass',
      expired(line(-100, GRACEFUL), logComplete()),
      /no outcome/,
    ],
    ['silence is not a lie', 'pass', expired(logComplete()), /no outcome was logged/],
    ['silence with an incomplete log is inconclusive', 'inconclusive', expired(), /was not read/],
    [
      'a log that could not be read is inconclusive',
      'inconclusive',
      expired(outcome('failed'), logComplete([], 'gone')),
      /could not be read/,
    ],
    [
      'a pattern without its group is inconclusive',
      'inconclusive',
      expired(outcome('failed'), logComplete()),
      /\?<outcome>/,
      { terms: { patterns: { outcome: 'shutdown completed' } } },
    ],
    [
      'an undeclared pattern is not exercised',
      'not exercised',
      expired(logComplete()),
      /no log pattern `outcome`/,
      { preset: 'openab-cp' },
    ],
    [
      'work that was answered in time is no expired stop',
      'not exercised',
      busy(workEnded(300, 'answered', { status: 200 }), outcome('graceful', 305), ...exit(310, 0), logComplete()),
      /answered before/,
    ],
    [
      'work that was lost early is no expired stop',
      'inconclusive',
      busy(workEnded(9, 'reset'), outcome('graceful', 9), ...exit(10, 0), logComplete()),
      /was lost \(reset\) 9 ms/,
    ],
    [
      'work lost on the deadline may be either',
      'inconclusive',
      busy(workEnded(1996, 'reset'), outcome('graceful', 1996), ...exit(2010, 0), logComplete()),
      /was lost/,
      {},
      'timing',
    ],
    ['an unknown end is inconclusive', 'inconclusive', busy(), /never confirmed/],
    ['no signal is inconclusive', 'inconclusive', [ready(), heldWork()], /nothing was sent/],
    ['no work is inconclusive', 'inconclusive', [ready(), ...signal(), ...exit(9, 0)], /no work was in flight/],
    ['work that cannot be held is not exercised', 'not exercised', [ready(), workFailed()], /could be held/],
  ]);
});
