import { describe } from 'vitest';
import type { Draft } from '../model/observation.ts';
import { at, exit, outerTimeout, ready, signal } from '../judge/testing/history-builder.ts';
import type { Entry } from '../judge/testing/history-builder.ts';
import { checkRows } from '../judge/testing/clause-rows.suite.ts';
import { answered, completed, finished, held, lost, workFailed } from '../judge/testing/work-builder.ts';
import { drn8 } from './drn-answers.ts';
import { drn9, drn9Fast } from './drn-exit.ts';

const run = (...entries: readonly Entry[]): readonly Entry[] => [ready(), ...signal(), ...entries];
const alone = { cell: { lane: 'alone' } } as const;
const drop = (list: readonly Draft[], kind: Draft['kind']): readonly Draft[] =>
  list.filter((draft) => draft.kind !== kind);

describe('DRN-8', () => {
  const answer = (id: string, connection?: string, afterMs = 503): readonly Draft[] => [
    held(id),
    finished(id, afterMs - 3),
    answered(id, afterMs, { headers: connection === undefined ? {} : { connection } }),
  ];
  checkRows(drn8, [
    [
      'Connection: close on every answer passes',
      'pass',
      run(answer('slow-body-1', 'close'), answer('slow-body-2', 'Close'), ...exit(510, 0)),
      /2 answer\(s\) in the drain, all/,
    ],
    [
      'close among other tokens passes',
      'pass',
      run(answer('slow-body-1', 'upgrade, close'), ...exit(510, 0)),
      /all with/,
    ],
    [
      'an answer without it fails',
      'fail',
      run(answer('slow-body-1', 'close'), answer('slow-body-2'), ...exit(510, 0)),
      /1 of 2 .* slow-body-2 had no Connection header 503 ms/,
    ],
    ['keep-alive fails', 'fail', run(answer('slow-body-1', 'keep-alive'), ...exit(510, 0)), /Connection: keep-alive/],
    [
      'an answer whose head came before the signal is none',
      'inconclusive',
      run(held('stream-1'), answered('stream-1', 300, { beganMs: -100, headers: {} }), ...exit(510, 0)),
      /no HTTP\/1.1 answer/,
    ],
    [
      'nor is one whose head may have been sent before it',
      'inconclusive',
      run(answer('slow-body-1', 'keep-alive', 40), ...exit(510, 0)),
      /no HTTP\/1.1 answer/,
    ],
    [
      'nor one that a stall of the harness may have stamped late',
      'inconclusive',
      run(
        { kind: 'stall', begin: at(990), t: at(1490), lateMs: 500 },
        answer('slow-body-1', 'keep-alive', 495),
        ...exit(510, 0),
      ),
      /no HTTP\/1.1 answer/,
    ],
    [
      'HTTP/2 has no such header',
      'inconclusive',
      run(held('h2-stream-1', { over: 'h2' }), answered('h2-stream-1', 503, { headers: {} }), ...exit(510, 0)),
      /no HTTP\/1.1/,
    ],
    [
      'HTTP/1.0 closes after each answer without saying so',
      'not exercised',
      run(
        held('slow-body-1'),
        finished('slow-body-1', 500),
        answered('slow-body-1', 503, { headers: { ':version': '1.0', 'content-length': '2' } }),
        ...exit(510, 0),
      ),
      /1 answer\(s\) of HTTP\/1\.0/,
    ],
    [
      'HTTP/1.0 that says keep-alive keeps it, and fails',
      'fail',
      run(
        held('slow-body-1'),
        finished('slow-body-1', 500),
        answered('slow-body-1', 503, { headers: { ':version': '1.0', connection: 'keep-alive' } }),
        ...exit(510, 0),
      ),
      /Connection: keep-alive/,
    ],
    [
      'a request that was not admitted does not count',
      'inconclusive',
      run(
        held('half-headers-1', { admitted: false }),
        answered('half-headers-1', 503, { headers: {} }),
        ...exit(510, 0),
      ),
      /no HTTP\/1.1/,
    ],
    [
      'an answer without headers on record does not count',
      'inconclusive',
      run(held('slow-body-1'), lost('slow-body-1', 503, 'answered'), ...exit(510, 0)),
      /no HTTP\/1.1/,
    ],
    [
      'nothing that could be held is not exercised',
      'not exercised',
      run(workFailed('slow-body', '404'), ...exit(12, 0)),
      /404/,
    ],
    ['no signal is inconclusive', 'inconclusive', [ready(), held('slow-body-1')], /never happened/],
  ]);
});

describe('DRN-9', () => {
  const work = completed('slow-body-1');
  checkRows(drn9, [
    [
      'an exit right after the last answer passes',
      'pass',
      run(work, ...exit(510, 0)),
      /exit 0, 7 ms .* after the last answer/,
    ],
    ['the last of several counts', 'pass', run(work, completed('upload-1', 1500), ...exit(1600, 0)), /97 ms/],
    ['waiting out the grace fails', 'fail', run(work, ...exit(2060, 0)), /1557 ms .*not below 1000 ms/],
    [
      'narrowly beyond beside others is measured again',
      'inconclusive',
      run(work, ...exit(1600, 0)),
      /beside others/,
      {},
      'timing',
    ],
    ['narrowly beyond alone fails', 'fail', run(work, ...exit(1600, 0)), /1097 ms/, alone],
    [
      'at the limit is inconclusive',
      'inconclusive',
      run(work, ...exit(1504, 0)),
      /1000 ms lies inside/,
      alone,
      'timing',
    ],
    [
      'a stall of the harness around the last answer widens the reading',
      'inconclusive',
      run(work, { kind: 'stall', begin: at(1450), t: at(1510), lateMs: 60 }, ...exit(1490, 0)),
      /1000 ms lies inside/,
      alone,
      'timing',
    ],
    [
      'a stall that was over just before the last answer was stamped widens it too',
      'inconclusive',
      run(work, { kind: 'stall', begin: at(1200), t: at(1502.9), lateMs: 302.9 }, ...exit(1490, 0)),
      /1000 ms lies inside/,
      alone,
      'timing',
    ],
    [
      'by the engine alone it is judged with its error',
      'pass',
      run(work, ...drop(exit(510, 0), 'exit.seen')),
      /by the engine clock/,
    ],
    [
      'clocks that contradict each other around the limit decide nothing',
      'inconclusive',
      run(work, ...exit(510, 0, { finishedMs: 2500 })),
      /disagree/,
      {},
      'timing',
    ],
    ['no reading of the end is inconclusive', 'inconclusive', run(work), /never confirmed/],
    ['the outer timeout fails', 'fail', run(work, ...outerTimeout()), /still running 9495 ms after the last answer/],
    [
      'the outer timeout soon after late work is inconclusive',
      'inconclusive',
      run(completed('slow-body-1', 9500), ...outerTimeout()),
      /still running 495 ms/,
    ],
    ['137 fails', 'fail', run(work, ...exit(510, 137)), /137/],
    [
      'a process that leaves with work cut is not judged by it',
      'inconclusive',
      run(work, held('slow-body-2'), lost('slow-body-2', 2001), ...exit(2005, 1)),
      /slow-body-2: closed/,
    ],
    [
      'work without a fate on record is inconclusive',
      'inconclusive',
      run(work, held('slow-body-2'), ...exit(510, 0)),
      /no end on record/,
    ],
    [
      'work that was answered before the signal is inconclusive',
      'inconclusive',
      run(held('slow-body-1'), answered('slow-body-1', -50), ...exit(510, 0)),
      /no work was in flight/,
    ],
    [
      'what the harness itself held open longer is inconclusive',
      'inconclusive',
      run(work, held('half-headers-1', { admitted: false }), lost('half-headers-1', 2001), ...exit(2005, 0)),
      /never completed its part of half-headers-1/,
    ],
    [
      'a half-sent request that was closed at the signal does not matter',
      'pass',
      run(work, held('half-headers-1', { admitted: false }), lost('half-headers-1', 3), ...exit(510, 0)),
      /7 ms/,
    ],
    [
      'a half-sent request that got its 503 is work too',
      'pass',
      run(
        held('half-headers-1', { admitted: false }),
        work,
        finished('half-headers-1', 1600),
        answered('half-headers-1', 1603, { status: 503 }),
        ...exit(1610, 0),
      ),
      /7 ms/,
    ],
    [
      'nothing that could be held is not exercised',
      'not exercised',
      run(workFailed('slow-body', '404'), ...exit(12, 0)),
      /404/,
    ],
    ['no signal is inconclusive', 'inconclusive', [ready(), held('slow-body-1')], /never happened/],
  ]);
});

describe('DRN-9-fast', () => {
  const work = completed('slow-body-1');
  checkRows(drn9Fast, [
    ['an exit within a quarter of a second passes', 'pass', run(work, ...exit(700, 0)), /197 ms/],
    ['a slower one fails the goal only', 'fail', run(work, ...exit(1100, 0)), /597 ms .*not below 250 ms/],
    [
      'beside others less than a quarter of a second over is measured again',
      'inconclusive',
      run(work, ...exit(980, 0)),
      /477 ms .*not below 250 ms, measured beside others/,
      {},
      'timing',
    ],
    [
      'at the goal it is inconclusive',
      'inconclusive',
      run(work, ...exit(754, 0)),
      /250 ms lies inside/,
      alone,
      'timing',
    ],
  ]);
});
