import { checkWindowRows } from '../judge/testing/clause-rows.suite.ts';
import type { Entry } from '../judge/testing/history-builder.ts';
import { at, exit, outerTimeout, ready, signal, SIGNAL_AT } from '../judge/testing/history-builder.ts';
import type { WindowRow } from '../judge/testing/window-builder.ts';
import {
  ALONE,
  controller,
  goodbye,
  probeEnded,
  probeStarted,
  refusedConnects,
  sample,
  samples,
  served,
  stall,
  turnedAway,
} from '../judge/testing/window-builder.ts';
import { adm3, adm5 } from './adm-gate.ts';

const plain: readonly Entry[] = [ready(), probeStarted(), served(-100, 0)];
const before: readonly Entry[] = [...controller('silent'), ...plain];
const neverReady: Entry = { kind: 'ready.failed', t: at(600), reason: 'exited', message: 'it ended' };
const failed: Entry = { kind: 'probe.failed', t: at(800), message: '404', tried: [] };
const ended = (afterMs: number): readonly Entry[] => [exit(afterMs, 0), probeEnded(afterMs)];
const silent = (...inside: readonly Entry[]): readonly Entry[] => [...before, signal(), ...inside, ...ended(2010)];
const window = (...inside: readonly Entry[]): readonly Entry[] => [...before, signal(), ...inside, ...ended(420)];
const alone = (...inside: readonly Entry[]): readonly Entry[] => [...plain, signal(), ...inside, ...ended(420)];

const order: readonly WindowRow[] = [
  [
    '503 at once and a goodbye afterwards pass',
    'pass',
    silent(goodbye(3), turnedAway(5, 2000)),
    /goodbye arrived 3 ms after the signal; the gate closed after 6 ms \[0\.\.13\]/,
  ],
  [
    'a request served that was sent after the goodbye fails',
    'fail',
    silent(goodbye(3), served(0, 20), turnedAway(25, 2000)),
    /[1-9] requests were served that were sent after the goodbye: the goodbye arrived 3 ms/,
  ],
  [
    'one served within the uncertainty of the goodbye does not',
    'pass',
    silent(goodbye(3), sample('new', 7), turnedAway(15, 2000)),
    /gate closed after/,
  ],
  [
    'a near miss that is served after the goodbye fails too',
    'fail',
    silent(goodbye(3), turnedAway(5, 2000), sample('new', 50, { purpose: 'near-miss', request: 'GET /health/' })),
    /1 requests were served that were sent after/,
  ],
  [
    'a control route may be served after it',
    'pass',
    silent(goodbye(3), turnedAway(5, 2000), sample('new', 50, { purpose: 'control', request: 'GET /live' })),
    /gate closed/,
  ],
  [
    'a gate that closes when the controller times out fails',
    'fail',
    silent(goodbye(3), served(0, 1900), turnedAway(1905, 2000)),
    /\d{3} requests were served that were sent after/,
  ],
  [
    'a gate that closes late, with a goodbye later still, is measured again',
    'timing',
    silent(served(0, 120), turnedAway(125, 2000), goodbye(130)),
    /gate closed after .*not below 50 ms, measured beside others/,
  ],
  ['alone it fails', 'fail', silent(served(0, 120), turnedAway(125, 2000), goodbye(130)), /not below 50 ms$/, ALONE],
  [
    'a gate that closes very late fails in company',
    'fail',
    silent(served(0, 500), turnedAway(505, 2000), goodbye(510)),
    /not below 50 ms$/,
  ],
  [
    'a gate that closes around the tolerance is measured again',
    'timing',
    silent(served(0, 44), turnedAway(48, 2000), goodbye(60)),
    /limit of 50 ms lies inside/,
    ALONE,
  ],
  [
    'a stall of the harness widens what is known of the gate',
    'timing',
    silent(stall(45, 42), turnedAway(40, 2000), goodbye(60)),
    /limit of 50 ms lies inside/,
    ALONE,
  ],
  [
    'no 503 while requests are served on fails',
    'fail',
    silent(served(0, 400), goodbye(405)),
    /requests were served and no 503 came, the last at least/,
  ],
  [
    'no 503 and nothing served is inconclusive',
    'inconclusive',
    silent(refusedConnects(2, 2000), goodbye(3)),
    /no 503 was seen/,
  ],
  ['no goodbye is no trigger', 'inconclusive', silent(turnedAway(5, 2000)), /no goodbye reached the controller/],
  [
    'a goodbye before the signal is none',
    'inconclusive',
    [...before, goodbye(-50), signal(), turnedAway(5, 400), ...ended(420)],
    /no goodbye/,
  ],
  [
    'a process that died at the signal is inconclusive',
    'inconclusive',
    [...before, signal(), goodbye(3), ...ended(40)],
    /no 503 was seen/,
  ],
  ['no signal is inconclusive', 'inconclusive', before, /trigger never happened/],
  ['a service that never became ready is inconclusive', 'inconclusive', [neverReady], /never became ready/],
  [
    '503 before the signal is inconclusive',
    'inconclusive',
    [...before, sample('kept', -50, { status: 503 }), signal(), goodbye(3), turnedAway(5, 100)],
    /before the signal already/,
  ],
];

const readiness = { purpose: 'readiness', request: 'GET /health' } as const;
const nothingLate: readonly WindowRow[] = [
  [
    'nothing served once a 503 had come passes',
    'pass',
    window(turnedAway(5, 400)),
    /gate closed 0 to 8 ms .*; none of \d+ requests sent later was served/,
  ],
  [
    'one 2xx sent when a 503 had come fails',
    'fail',
    window(turnedAway(5, 400), sample('kept', 7, { status: 204 })),
    /1 requests were served \(204\) that were sent when a 503 had come already/,
  ],
  [
    'one sent before that, answered later, does not',
    'pass',
    window(turnedAway(5, 400), sample('kept', 3, { answeredAt: at(SIGNAL_AT + 300) })),
    /none of/,
  ],
  [
    'a 404 that is not the normal answer is not served',
    'pass',
    window(turnedAway(5, 400), sample('kept', 50, { status: 404 })),
    /none of/,
  ],
  [
    'the normal answer of a stranger is served, also a 404',
    'fail',
    [
      ...controller(),
      ready(),
      probeStarted({ normal: 404 }),
      signal(),
      turnedAway(5, 100),
      sample('new', 150, { status: 404 }),
      ...ended(420),
    ],
    /served \(404\)/,
    { preset: 'baseline' },
  ],
  [
    'a near miss that is served fails',
    'fail',
    window(turnedAway(5, 400), sample('new', 50, { purpose: 'near-miss', request: 'GET /health/x' })),
    /1 requests were served/,
  ],
  [
    'a readiness that is no control route and served fails',
    'fail',
    window(turnedAway(5, 400), sample('new', 50, readiness)),
    /1 requests were served/,
  ],
  [
    'one that is a control route may be',
    'pass',
    window(turnedAway(5, 400), sample('new', 50, readiness), sample('new', 52, { ...readiness, purpose: 'control' })),
    /none of/,
  ],
  [
    'never a 503 while requests are served until the end fails',
    'fail',
    window(served(0, 400)),
    /gate never closed: \d+ requests were served \(200\), the last at least 39/,
  ],
  ['the same without a controller', 'fail', alone(served(0, 400)), /gate never closed/, { preset: 'baseline' }],
  [
    'requests served 100 ms on kept connections without any 503 are measured again',
    'timing',
    alone(samples('kept', 0, 100), refusedConnects(2, 400)),
    /measured beside others/,
  ],
  ['alone they fail', 'fail', alone(samples('kept', 0, 100), refusedConnects(2, 400)), /gate never closed/, ALONE],
  [
    'a gate that closed late fails alone',
    'fail',
    window(served(0, 150), turnedAway(155, 400)),
    /the gate closed 14\d.* ms after the signal: \d+ requests were served/,
    ALONE,
  ],
  [
    'requests served within the allowance count neither way',
    'pass',
    alone(served(0, 45), refusedConnects(47, 400)),
    /no 503 came: new work was refused or dropped/,
    ALONE,
  ],
  [
    'requests served during a stall count neither way',
    'pass',
    alone(stall(60, 60), served(0, 100), refusedConnects(105, 400)),
    /none of/,
    ALONE,
  ],
  [
    'a probe that saw nothing for long in the middle is inconclusive',
    'inconclusive',
    [
      ...before,
      signal(),
      goodbye(3),
      turnedAway(5, 50),
      turnedAway(500, 700),
      refusedConnects(700, 900),
      exit(900, 0),
      probeEnded(900),
    ],
    /saw nothing for 4\d\d/,
  ],
  [
    'a probe that saw nothing of the end is inconclusive',
    'inconclusive',
    [...before, signal(), turnedAway(5, 100), exit(800, 0), probeEnded(100)],
    /saw nothing in the last 70\d/,
  ],
  [
    'refusals to the last are seeing enough',
    'pass',
    [...before, signal(), turnedAway(5, 100), refusedConnects(105, 120), exit(800, 0)],
    /none of/,
  ],
  [
    'a probe that broke off is inconclusive',
    'inconclusive',
    window(turnedAway(5, 100), { ...failed, t: at(SIGNAL_AT + 110) }),
    /broke off: 404/,
  ],
  [
    'a broken probe does not hide what it saw',
    'fail',
    window(turnedAway(5, 100), sample('new', 105), { ...failed, t: at(SIGNAL_AT + 110) }),
    /1 requests were served/,
  ],
  [
    'a process that died at the signal, with a controller, is inconclusive',
    'inconclusive',
    [...before, signal(), ...ended(40)],
    /nothing was asked .*ended 40 ms/,
  ],
  [
    'a gate that was seen closed by then is enough',
    'pass',
    [...before, signal(), turnedAway(5, 35), ...ended(40)],
    /gate closed 0 to 8 ms/,
    {},
  ],
  [
    'without one it is not exercised',
    'not exercised',
    [...plain, signal(), exit(40, 0), probeEnded(40, 4)],
    /window is empty .*4 kept connections/,
  ],
  [
    'a service killed in the end has been seen',
    'fail',
    [...before, signal(), turnedAway(5, 400), sample('new', 405), outerTimeout()],
    /1 requests were served/,
  ],
  [
    'nothing to probe is not exercised',
    'not exercised',
    [ready(), failed, signal(), ...ended(40)],
    /nothing could be probed: 404/,
  ],
  ['no signal is inconclusive', 'inconclusive', before, /trigger never happened/],
];

checkWindowRows(adm3, order);
checkWindowRows(adm5, nothingLate);
