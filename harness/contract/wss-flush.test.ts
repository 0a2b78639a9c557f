import { describe } from 'vitest';
import { checkRows } from '../judge/testing/clause-rows.suite.ts';
import type { Entry } from '../judge/testing/history-builder.ts';
import { exit, ready, signal, SIGNAL_AT } from '../judge/testing/history-builder.ts';
import { noSocket, readOn, socket, socketEnd } from '../judge/testing/web-socket-builder.ts';
import { ALONE, stall } from '../judge/testing/window-builder.ts';
import { wss4 } from './wss-flush.ts';

const owed = 4_194_304;
const part = { bytes: 65_536, messages: 1 };
const all = { bytes: owed, messages: 64 };
const backlog = socket('backlog', 1, { owed });
const stopped = (endMs: number, ...entries: readonly Entry[]): readonly Entry[] => [
  ready(),
  ...signal(),
  backlog,
  ...entries,
  ...exit(endMs, 0),
];

describe('WSS-4', () => {
  checkRows(wss4, [
    [
      'all that is owed, then a Close, passes',
      'pass',
      stopped(230, readOn(1, 200), socketEnd(1, 225, { ...all, code: 1001 })),
      /1 of 1 got all that was queued: 4194304 bytes, then a Close 1001/,
    ],
    [
      'more than that passes',
      'pass',
      stopped(230, readOn(1, 200), socketEnd(1, 225, { ...all, bytes: owed + 5, code: 1001 })),
      /4194309/,
    ],
    [
      'without a Close it is flushed all the same',
      'pass',
      stopped(230, readOn(1, 200), socketEnd(1, 225, all)),
      /no Close frame/,
    ],
    [
      'a queue that is dropped at the signal fails',
      'fail',
      stopped(12, socketEnd(1, 13, { ...part, fate: 'reset' }), readOn(1, 14)),
      /web-sockets-1 got 65536 of 4194304 bytes, reset 13 ms/,
    ],
    [
      'a Close past the queue fails',
      'fail',
      stopped(230, readOn(1, 200), socketEnd(1, 225, { ...part, code: 1001 })),
      /closed with 1001/,
    ],
    [
      'a frame that is cut fails, however many bytes came',
      'fail',
      stopped(230, readOn(1, 200), socketEnd(1, 225, { ...all, fate: 'truncated', partialFrame: true })),
      /the last frame cut, truncated/,
    ],
    [
      'what breaks the protocol fails',
      'fail',
      stopped(230, readOn(1, 200), socketEnd(1, 225, { ...all, problem: 'MASK must be clear' })),
      /MASK/,
    ],
    [
      'cut by the exit fails, seen or not',
      'fail',
      stopped(230, readOn(1, 200), socketEnd(1, 730, { ...part, fate: 'held' })),
      /65536 of/,
    ],
    [
      'cut with the grace, although it was read early, fails',
      'fail',
      stopped(2003, readOn(1, 200), socketEnd(1, 2003, part)),
      /65536 of/,
    ],
    [
      'cut with the grace, read too late to tell, is inconclusive',
      'inconclusive',
      stopped(2003, readOn(1, 2000), socketEnd(1, 2003, part)),
      /not read in time/,
    ],
    [
      'cut with the grace, read narrowly before, is inconclusive',
      'inconclusive',
      stopped(2003, readOn(1, 1700), socketEnd(1, 2003, part)),
      /little time/,
      {},
      'timing',
    ],
    [
      'narrowly in company',
      'inconclusive',
      stopped(2003, readOn(1, 1300), socketEnd(1, 2003, part)),
      /little time/,
      {},
      'timing',
    ],
    ['and alone it fails', 'fail', stopped(2003, readOn(1, 1300), socketEnd(1, 2003, part)), /65536/, ALONE],
    [
      'but not where the harness stood still',
      'inconclusive',
      stopped(2003, readOn(1, 1300), stall(1900, 400), socketEnd(1, 2003, part)),
      /little time/,
      ALONE,
      'timing',
    ],
    [
      'never read, cut with the grace, is inconclusive',
      'inconclusive',
      stopped(2003, socketEnd(1, 2503, { ...part, fate: 'held' })),
      /not read in time/,
    ],
    [
      'after a second signal it is inconclusive',
      'inconclusive',
      stopped(230, ...signal('TERM', SIGNAL_AT + 10, 'script', 2), readOn(1, 200), socketEnd(1, 225, part)),
      /after a second signal/,
    ],
    [
      'without a declared flood it is not exercised',
      'not exercised',
      [ready(), ...signal(), noSocket('no flood'), ...exit(12, 0)],
      /no flood/,
    ],
    [
      'without a backlog it is inconclusive',
      'inconclusive',
      [ready(), ...signal(), socket('idle', 2), ...exit(12, 0)],
      /none of 0/,
    ],
  ]);
});
