import { describe } from 'vitest';
import { exit, outerTimeout, ready, signal } from '../judge/testing/history-builder.ts';
import type { Entry } from '../judge/testing/history-builder.ts';
import { checkRows } from '../judge/testing/clause-rows.suite.ts';
import { heldWork, workEnded, workFailed, workFinished } from '../judge/testing/held-work.ts';
import { dln7 } from './dln-connections.ts';

const busy = (...entries: readonly Entry[]): readonly Entry[] => [ready(), heldWork(), ...signal(), ...entries];
const endless = (...entries: readonly Entry[]): readonly Entry[] => [
  ready(),
  heldWork({ shape: 'stream', ends: 'never' }),
  ...signal(),
  ...entries,
  ...(entries.length > 1 ? [] : exit(2010, 1)),
];
const sized = (...entries: readonly Entry[]): readonly Entry[] => [
  ready(),
  heldWork({ shape: 'upload', normal: { status: 200, bytes: 1000 } }),
  ...signal(),
  workFinished(300),
  ...entries,
  ...exit(2010, 1),
];
const bare = { 'content-type': 'text/plain', connection: 'close' };
const chunked = { 'transfer-encoding': 'chunked' };
const answer = { status: 200, bytes: 400, by: 'FIN', headers: bare } as const;

describe('DLN-7, closed by the exit', () => {
  checkRows(dln7, [
    ['a reset at the deadline passes', 'pass', busy(workEnded(2003, 'reset'), ...exit(2010, 1)), /1 reset/],
    ['an end by the exit passes', 'pass', busy(workEnded(2012, 'closed'), ...exit(2010, 1)), /1 closed/],
    [
      'an idle connection counts too',
      'pass',
      [
        ready(),
        heldWork({ shape: 'idle-keep-alive', admitted: false, ends: 'never' }),
        ...signal(),
        workEnded(5, 'closed', { by: 'FIN' }),
        ...exit(12, 0),
      ],
      /1 closed/,
    ],
    [
      'one that the peer never learned of fails',
      'fail',
      busy(workEnded(2512, 'held'), ...exit(2010, 1)),
      /still open to its peer 502 ms after the exit/,
    ],
    ['a hung one fails', 'fail', busy(workEnded(2512, 'hung'), ...exit(2010, 1)), /still open to its peer/],
    [
      'one that nobody waited for is inconclusive',
      'inconclusive',
      busy(workEnded(2100, 'held'), ...exit(2010, 1)),
      /nobody waited long enough/,
    ],
    [
      'waiting in a stall is no waiting',
      'inconclusive',
      busy({ kind: 'stall', begin: 3100e6, t: 3400e6, lateMs: 300 }, workEnded(2512, 'held'), ...exit(2010, 1)),
      /nobody waited long enough/,
    ],
    ['a fate that is not on record is inconclusive', 'inconclusive', busy(...exit(2010, 1)), /not on record/],
    ['an unknown end is inconclusive', 'inconclusive', busy(workEnded(2003, 'reset')), /never confirmed/],
    ['open without any exit is inconclusive', 'inconclusive', busy(workEnded(2512, 'held')), /never confirmed/],
    [
      'open until the SIGKILL of the harness fails',
      'fail',
      busy(workEnded(10_004, 'closed'), ...outerTimeout()),
      /still open when the harness sent SIGKILL/,
    ],
    [
      'without a declared grace nobody knows when work that the harness never completed had to be cut',
      'not exercised',
      busy(workEnded(10_004, 'closed'), ...outerTimeout()),
      /w1 was still open when the harness sent SIGKILL; .*no grace is declared/,
      { preset: 'baseline' },
    ],
    [
      'without a declared grace too, work that was completed long before fails',
      'fail',
      busy(workFinished(300), workEnded(10_004, 'closed'), ...outerTimeout()),
      /still open when the harness sent SIGKILL/,
      { preset: 'baseline' },
    ],
    [
      'without a declared grace too, an idle connection fails',
      'fail',
      [
        ready(),
        heldWork({ shape: 'idle-keep-alive', admitted: false, ends: 'never' }),
        ...signal(),
        workEnded(10_004, 'closed'),
        ...outerTimeout(),
      ],
      /still open when the harness sent SIGKILL/,
      { preset: 'baseline' },
    ],
    ['closed long before a SIGKILL is closed', 'pass', busy(workEnded(2003, 'reset'), ...outerTimeout()), /1 reset/],
    ['nothing held is inconclusive', 'inconclusive', [ready(), ...signal(), ...exit(9, 0)], /no connection was held/],
    [
      'one that ended before the signal says nothing',
      'inconclusive',
      busy(workEnded(-20, 'closed'), ...exit(12, 0)),
      /no connection was held at the signal/,
    ],
    ['no signal is inconclusive', 'inconclusive', [ready(), heldWork()], /nothing was sent/],
    ['work that cannot be held is not exercised', 'not exercised', [ready(), workFailed()], /could be held/],
    [
      'a grace of 0 that is refused is not exercised',
      'not exercised',
      [],
      /does not start/,
      { preset: 'openab-cp', terms: { graceMs: 0 } },
    ],
  ]);
});

describe('DLN-7, no hidden cut', () => {
  checkRows(dln7, [
    [
      'an endless answer without a length that ends in order fails',
      'fail',
      endless(workEnded(2003, 'answered', answer)),
      /400 bytes, without Content-Length and chunks.*no client can tell/,
    ],
    ['so does one that ends with the signal', 'fail', endless(workEnded(20, 'answered', answer)), /no client can tell/],
    [
      'so does one that ends with the exit',
      'fail',
      endless(workEnded(2240, 'answered', answer), exit(2238, 1)),
      /no client can tell/,
    ],
    [
      'one that ends in between may have had an end of its own',
      'inconclusive',
      endless(workEnded(900, 'answered', answer)),
      /may have been whole/,
    ],
    ['the same called truncated fails', 'fail', endless(workEnded(2003, 'truncated', answer)), /no client can tell/],
    ['reset it shows', 'pass', endless(workEnded(2003, 'truncated', { ...answer, by: 'RST' })), /1 truncated/],
    ['chunked it shows', 'pass', endless(workEnded(2003, 'truncated', { ...answer, headers: chunked })), /1 truncated/],
    [
      'an endless stream may be ended with its last chunk',
      'pass',
      endless(workEnded(2003, 'answered', { ...answer, headers: chunked })),
      /1 answered/,
    ],
    [
      'a short length shows',
      'pass',
      sized(workEnded(2003, 'truncated', { ...answer, headers: { 'content-length': '1000' } })),
      /1 truncated/,
    ],
    [
      'fewer bytes than normal without a length fail',
      'fail',
      sized(workEnded(2003, 'answered', answer)),
      /400 bytes instead of 1000, without Content-Length/,
    ],
    [
      'nearly all of them may be all',
      'inconclusive',
      sized(workEnded(2003, 'answered', { ...answer, bytes: 990 })),
      /may have been whole/,
    ],
    ['all of them are whole', 'pass', sized(workEnded(2003, 'answered', { ...answer, bytes: 1000 })), /1 answered/],
    [
      'an error is an answer of its own',
      'pass',
      sized(workEnded(2003, 'answered', { ...answer, status: 503, bytes: 0 })),
      /1 answered/,
    ],
    [
      'without headers on record it cannot be told',
      'inconclusive',
      sized(workEnded(2003, 'answered', { status: 200, bytes: 400, by: 'FIN' })),
      /headers are not on record/,
    ],
    [
      'without the way it ended it cannot be told',
      'inconclusive',
      endless(workEnded(2003, 'answered', { status: 200, bytes: 400, headers: bare })),
      /how the connection ended is not on record/,
    ],
    [
      'over HTTP/2 a cut shows',
      'pass',
      [
        ready(),
        heldWork({ over: 'h2', ends: 'never' }),
        ...signal(),
        workEnded(2003, 'truncated', answer),
        ...exit(2010, 1),
      ],
      /1 truncated/,
    ],
    [
      'one hidden cut among others fails',
      'fail',
      [heldWork({ id: 'w2' }), workEnded(2512, 'held', { id: 'w2' }), ...endless(workEnded(2003, 'answered', answer))],
      /no client can tell|still open/,
    ],
  ]);
});
