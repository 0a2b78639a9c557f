import { describe } from 'vitest';
import { exit, outerTimeout, ready, signal } from '../judge/testing/history-builder.ts';
import type { Entry } from '../judge/testing/history-builder.ts';
import { checkRows } from '../judge/testing/clause-rows.suite.ts';
import { answered, completed, held, lost, workFailed } from '../judge/testing/work-builder.ts';
import { drn4 } from './drn-streams.ts';

const endless = (id = 'stream-1'): Entry => held(id, { ends: 'never' });
const finite = (id = 'stream-1'): Entry => held(id, { ends: 'itself' });
const busy = (...entries: readonly Entry[]): readonly Entry[] => [ready(), ...signal(), ...entries];
const whole = (afterMs: number, id = 'stream-1'): Entry => answered(id, afterMs, { beganMs: -150 });

describe('DRN-4: streams with an end of their own', () => {
  checkRows(drn4, [
    [
      'one that ends whole passes',
      'pass',
      busy(finite(), whole(600), ...exit(610, 0)),
      /1 ended whole; exit 0 after 610/,
    ],
    [
      'one that is truncated inside the grace fails',
      'fail',
      busy(finite(), finite('stream-2'), whole(600), lost('stream-2', 20, 'truncated'), ...exit(610, 0)),
      /1 of 2 streams .* stream-2 was truncated 20 ms/,
    ],
    [
      'one that was cut at the deadline, when its own end is not known, leaves as an expired grace does',
      'pass',
      busy(finite(), lost('stream-1', 2001, 'truncated'), ...exit(2005, 1)),
      /1 cut; exit 1 after 2005/,
    ],
    [
      'one that had come to its own end when the harness was ready for the signal is tried again',
      'inconclusive',
      busy(finite(), answered('stream-1', -30, { beganMs: -150 }), ...exit(12, 0)),
      /no stream was being read/,
      {},
      'timing',
    ],
    ['exit 1 after whole streams fails', 'fail', busy(finite(), whole(600), ...exit(610, 1)), /exit 1 although all 1/],
    [
      'exit 1 after whole streams is right where other work was cut',
      'pass',
      busy(finite(), whole(600), held('slow-body-1'), lost('slow-body-1', 2001), ...exit(2005, 1)),
      /1 ended whole; exit 1/,
    ],
  ]);
});

describe('DRN-4: streams without an end', () => {
  checkRows(drn4, [
    [
      'cut by the deadline, with the status of an expired grace, passes',
      'pass',
      busy(
        endless(),
        endless('stream-2'),
        lost('stream-1', 2001, 'truncated'),
        lost('stream-2', 2001, 'reset'),
        ...exit(2005, 1),
      ),
      /2 cut; exit 1 after 2005/,
    ],
    [
      'ended whole by the service, exit 0, passes',
      'pass',
      busy(endless(), whole(15), ...exit(20, 0)),
      /1 ended whole; exit 0/,
    ],
    [
      'ended whole at the deadline, exit 1, passes',
      'pass',
      busy(endless(), whole(2000), ...exit(2005, 1)),
      /1 ended whole; exit 1/,
    ],
    ['ended whole early, exit 1, fails', 'fail', busy(endless(), whole(15), ...exit(20, 1)), /exit 1 although all/],
    [
      'cut with exit 0 fails',
      'fail',
      busy(endless(), lost('stream-1', 2001, 'truncated'), ...exit(2005, 0)),
      /exit 0 although 1 stream\(s\) were cut \(stream-1 truncated 2001 ms/,
    ],
    [
      'one of two cut with exit 0 fails',
      'fail',
      busy(endless(), endless('stream-2'), whole(15), lost('stream-2', 30, 'truncated'), ...exit(31, 0)),
      /stream-2 truncated 30 ms/,
    ],
    ['still held when the record stopped it was cut too', 'pass', busy(endless(), ...exit(2005, 1)), /1 cut; exit 1/],
    [
      'held to the outer timeout fails',
      'fail',
      busy(endless(), lost('stream-1', 10_004, 'truncated'), ...outerTimeout()),
      /with 1 stream\(s\) in flight at it; the harness sent SIGKILL/,
    ],
    [
      'an end past the hard deadline fails',
      'fail',
      busy(endless(), lost('stream-1', 4000, 'truncated'), ...exit(4001, 1)),
      /not below 2300 ms/,
    ],
    [
      'an end at the hard deadline is inconclusive',
      'inconclusive',
      busy(endless(), lost('stream-1', 2295, 'truncated'), ...exit(2298, 1)),
      /2300 ms lies inside/,
      {},
      'timing',
    ],
    ['137 fails', 'fail', busy(endless(), lost('stream-1', 2001, 'truncated'), ...exit(2005, 137)), /137/],
    [
      'without a grace any status but 137 will do, by the bound of a stop',
      'pass',
      busy(endless(), lost('stream-1', 9000, 'truncated'), ...exit(9005, 3)),
      /1 cut; exit 3/,
      { preset: 'baseline' },
    ],
    [
      'without a grace an end past the bound of a stop fails',
      'fail',
      busy(endless(), lost('stream-1', 16_000, 'truncated'), ...exit(16_005, 0)),
      /not below 10000 ms/,
      { preset: 'baseline', terms: { outerTimeoutMs: 20_000 } },
    ],
  ]);
});

describe('DRN-4: without a stream', () => {
  checkRows(drn4, [
    [
      'none that could be held is not exercised',
      'not exercised',
      busy(workFailed('stream', 'none is declared'), completed('slow-body-1'), ...exit(510, 0)),
      /none is declared/,
    ],
    [
      'one of two kinds that could be held is judged',
      'pass',
      busy(workFailed('stream', 'no SSE is declared'), endless(), whole(15), ...exit(20, 0)),
      /1 ended whole/,
    ],
    [
      'one that had ended before the signal is inconclusive',
      'inconclusive',
      busy(endless(), lost('stream-1', -50, 'truncated'), ...exit(20, 0)),
      /no stream was being read/,
    ],
    ['no signal is inconclusive', 'inconclusive', [ready(), endless()], /never happened/],
  ]);
});
