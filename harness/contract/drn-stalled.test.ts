import { describe, expect, it } from 'vitest';
import {
  at,
  exit,
  EXCEEDED,
  GRACEFUL,
  line,
  logComplete,
  outerTimeout,
  ready,
  signal,
  SIGNAL_AT,
} from '../judge/testing/history-builder.ts';
import type { Entry, Setting } from '../judge/testing/history-builder.ts';
import { checkRows } from '../judge/testing/clause-rows.suite.ts';
import { answered, held, lost, workFailed } from '../judge/testing/work-builder.ts';
import { drn5 } from './drn-idle.ts';
import { drn6 } from './drn-stalled.ts';
import { lightFabric } from './presets/light-fabric.ts';
import { resolveTerms } from './terms.ts';

const busy = (...entries: readonly Entry[]): readonly Entry[] => [ready(), ...signal(), ...entries];
const LATE = 'light-runtime: shutdown completed reason=Terminate outcome=deadline-exceeded duration_ms=2001';

describe('DRN-5', () => {
  const idle = (id: string, over: 'http' | 'https' = 'http'): Entry =>
    held(id, { admitted: false, ends: 'never', over });
  const two: readonly Entry[] = [idle('idle-keep-alive-1'), idle('idle-keep-alive-2', 'https')];
  checkRows(drn5, [
    [
      'a quick stop with idle connections passes',
      'pass',
      busy(...two, lost('idle-keep-alive-1', 2), ...exit(12, 0)),
      /2 idle connection\(s\) \(1 over http, 1 over https\) open/,
    ],
    [
      'a kind that could not be held is not counted',
      'pass',
      busy(idle('idle-keep-alive-1'), workFailed('idle-keep-alive', 'no TLS'), ...exit(12, 0)),
      /\(1 over http\)/,
    ],
    [
      'a connection that closed in the instant of the signal was open at it',
      'pass',
      busy(idle('idle-keep-alive-1'), lost('idle-keep-alive-1', -1), ...exit(12, 0)),
      /1 idle/,
    ],
    ['a stop that they hold fails', 'fail', busy(...two, ...exit(2000, 0)), /2000 ms.*not below 1000 ms.*2 idle/],
    ['exit 1 fails', 'fail', busy(...two, ...exit(12, 1)), /exit 1/],
    ['the outer timeout fails', 'fail', busy(...two, ...outerTimeout()), /still running/],
    ['a stop at the limit is inconclusive', 'inconclusive', busy(...two, ...exit(999, 0)), /lies inside/, {}, 'timing'],
    [
      'connections that were closed before the signal are inconclusive',
      'inconclusive',
      busy(idle('idle-keep-alive-1'), lost('idle-keep-alive-1', -50), ...exit(12, 0)),
      /none of 1 idle connections was open/,
    ],
    ['no connection at all is inconclusive', 'inconclusive', busy(...exit(12, 0)), /none of 0/],
    [
      'none that could be held is not exercised',
      'not exercised',
      busy(workFailed('idle-keep-alive', 'keeps no connection alive'), ...exit(12, 0)),
      /keeps no connection alive/,
    ],
    [
      'cp: the bound of a stop is no excuse',
      'fail',
      busy(...two, ...exit(5500, 0)),
      /not below 1000 ms/,
      { preset: 'openab-cp' },
    ],
  ]);
});

describe('DRN-6: sockets that were never admitted', () => {
  const values = { kind: 'half-headers' };
  const lf: Setting = { values };
  const socket = held('stalled-1', { admitted: false, ends: 'never' });
  const stop = (afterMs: number, code: number, ...more: readonly Entry[]): readonly Entry[] =>
    busy(socket, lost('stalled-1', afterMs - 2), ...more, ...exit(afterMs, code), logComplete());
  checkRows(drn6, [
    [
      'a graceful end with exit 0 passes',
      'pass',
      stop(12, 0, line(11, GRACEFUL)),
      /half-headers .*outcome graceful, exit 0/,
      lf,
    ],
    [
      'an expired one with exit 1 passes',
      'pass',
      stop(2005, 1, line(2002, LATE)),
      /outcome deadline-exceeded, exit 1/,
      lf,
    ],
    ['exit 1 that is called graceful fails', 'fail', stop(2005, 1, line(2002, GRACEFUL)), /contradict/, lf],
    ['exit 0 that is called expired fails', 'fail', stop(2005, 0, line(2002, LATE)), /contradict/, lf],
    ['another status fails', 'fail', stop(12, 3, line(11, GRACEFUL)), /neither an accepted status/, lf],
    ['a log without an outcome fails', 'fail', stop(12, 0), /no outcome was logged/, lf],
    [
      'a log that was not read is inconclusive',
      'inconclusive',
      busy(socket, lost('stalled-1', 10), ...exit(12, 0)),
      /was not read/,
      lf,
    ],
    ['an end past the hard bound fails', 'fail', stop(4000, 1, line(3999, LATE)), /not below 2300 ms/, lf],
    [
      'an end at the hard bound is inconclusive',
      'inconclusive',
      stop(2298, 1, line(2290, LATE)),
      /lies inside/,
      lf,
      'timing',
    ],
    [
      'the outer timeout fails and names the socket',
      'fail',
      busy(socket, ...outerTimeout()),
      /a half-headers socket held the process/,
      lf,
    ],
    [
      'a SIGKILL of the harness before the bound proves nothing',
      'inconclusive',
      busy(socket, ...outerTimeout(2250)),
      /before the limit of 2300 ms/,
      lf,
    ],
    ['137 fails', 'fail', stop(2005, 137), /held by a half-headers socket: 137/, lf],
    ['no end on record is inconclusive', 'inconclusive', busy(socket), /never confirmed/, lf],
    [
      'without a pattern an accepted status passes',
      'pass',
      stop(12, 0),
      /never admitted/,
      { values, preset: 'openab-cp' },
    ],
    ['baseline: exit 1 by the bound of a stop passes', 'pass', stop(9000, 1), /exit 1/, { values, preset: 'baseline' }],
    ['baseline: exit 3 fails', 'fail', stop(12, 3), /exit 3/, { values, preset: 'baseline' }],
    [
      'baseline: an end past the bound of a stop fails',
      'fail',
      stop(16_000, 0),
      /not below 10000 ms/,
      { values, preset: 'baseline', terms: { outerTimeoutMs: 20_000 } },
    ],
    [
      'one that was closed before the signal is inconclusive',
      'inconclusive',
      busy(socket, lost('stalled-1', -50), ...exit(12, 0)),
      /no half-headers socket was open/,
      lf,
    ],
    [
      'one that could not be held is not exercised',
      'not exercised',
      busy(workFailed('stalled', 'closed at once'), ...exit(12, 0)),
      /no half-headers socket was held: closed at once/,
      lf,
    ],
    ['no signal is inconclusive', 'inconclusive', [ready(), socket], /never happened/, lf],
  ]);
});

describe('DRN-6: admitted work that does not go on', () => {
  const values = { kind: 'half-body' };
  const lf: Setting = { values };
  const socket = held('stalled-1', { ends: 'never' });
  checkRows(drn6, [
    [
      'cut at the deadline with exit 1 passes',
      'pass',
      busy(socket, lost('stalled-1', 2001), ...exit(2005, 1)),
      /half-body .*admitted, closed 2001 ms/,
      lf,
    ],
    [
      'of two sockets the one that was held longest decides',
      'fail',
      busy(
        socket,
        held('stalled-2', { ends: 'never', over: 'https' }),
        lost('stalled-1', 500),
        lost('stalled-2', 2001),
        ...exit(2005, 0),
      ),
      /closed 2001 ms.*not the status of an expired grace/,
      lf,
    ],
    [
      'one that was answered excuses no cut',
      'pass',
      busy(
        socket,
        held('stalled-2', { ends: 'never', over: 'https' }),
        answered('stalled-1', 500, { status: 408 }),
        lost('stalled-2', 2001),
        ...exit(2005, 1),
      ),
      /admitted, closed 2001 ms/,
      lf,
    ],
    [
      'a loss that a stall may have stamped late is not one of its own for certain',
      'inconclusive',
      busy(
        socket,
        { kind: 'stall', begin: at(SIGNAL_AT + 1), t: at(SIGNAL_AT + 301), lateMs: 300 },
        lost('stalled-1', 302),
        ...exit(310, 0),
      ),
      /closed 302 ms.*may have been cut at the signal/,
      lf,
      'timing',
    ],
    [
      'cut at the deadline with exit 0 fails',
      'fail',
      busy(socket, lost('stalled-1', 2001), ...exit(2005, 0)),
      /closed 2001 ms.*not the status of an expired grace/,
      lf,
    ],
    [
      'cut at the signal with exit 0 fails',
      'fail',
      busy(socket, lost('stalled-1', 10), ...exit(12, 0)),
      /closed 10 ms/,
      lf,
    ],
    [
      'a timeout of its own in between, exit 0, passes',
      'pass',
      busy(socket, lost('stalled-1', 900), ...exit(905, 0)),
      /closed 900 ms/,
      lf,
    ],
    [
      'a timeout of its own in between, exit 3, fails',
      'fail',
      busy(socket, lost('stalled-1', 900), ...exit(905, 3)),
      /neither an accepted/,
      lf,
    ],
    [
      'a 408 within the grace, exit 0, passes',
      'pass',
      busy(socket, answered('stalled-1', 900, { status: 408 }), ...exit(905, 0)),
      /answered 408 900 ms/,
      lf,
    ],
    [
      'a 408 within the grace, exit 1, fails',
      'fail',
      busy(socket, answered('stalled-1', 900, { status: 408 }), ...exit(905, 1)),
      /answered 408/,
      lf,
    ],
    [
      'a 503 at the deadline, exit 1, passes',
      'pass',
      busy(socket, answered('stalled-1', 2000, { status: 503 }), ...exit(2005, 1)),
      /answered 503/,
      lf,
    ],
    [
      'a reader that stopped sees its end only after the exit',
      'fail',
      busy(socket, lost('stalled-1', 2200, 'truncated'), ...exit(40, 0)),
      /truncated 40 ms/,
      { values: { kind: 'reader-stops' } },
    ],
    [
      'still held when the record stopped it was cut by the exit',
      'pass',
      busy(socket, lost('stalled-1', 2500, 'held'), ...exit(2005, 1)),
      /cut 2005 ms/,
      lf,
    ],
    [
      'cp: an expired drain exits 0',
      'pass',
      busy(socket, lost('stalled-1', 5001), ...exit(5005, 0)),
      /exit 0/,
      { values, preset: 'openab-cp' },
    ],
    [
      'baseline: any status but 137',
      'pass',
      busy(socket, lost('stalled-1', 5001), ...exit(5005, 7)),
      /exit 7/,
      { values, preset: 'baseline' },
    ],
    [
      'what the log says does not matter here',
      'pass',
      busy(socket, lost('stalled-1', 2001), line(2002, EXCEEDED), ...exit(2005, 1)),
      /exit 1/,
      lf,
    ],
  ]);

  it('asks for every row of its scenario', () => {
    const { terms } = resolveTerms(lightFabric, { stopSignal: 'SIGTERM', overrides: [] });
    expect([values, { signal: 'TERM' }].map((cell) => drn6.appliesTo?.(cell, terms))).toEqual([true, false]);
  });
});
