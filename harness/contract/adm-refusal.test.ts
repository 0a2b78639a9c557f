import { checkWindowRows } from '../judge/testing/clause-rows.suite.ts';
import type { Entry } from '../judge/testing/history-builder.ts';
import { at, exit, ready, signal, SIGNAL_AT } from '../judge/testing/history-builder.ts';
import type { WindowRow } from '../judge/testing/window-builder.ts';
import {
  acknowledged,
  ALONE,
  controller,
  goodbye,
  probeEnded,
  probeStarted,
  REFUSAL,
  refusedConnects,
  sample,
  samples,
  served,
  stall,
  turnedAway,
} from '../judge/testing/window-builder.ts';
import { adm1, adm2 } from './adm-refusal.ts';

const plain: readonly Entry[] = [ready(), probeStarted(), served(-100, 0)];
const before: readonly Entry[] = [...controller(), ...plain];
const ending: readonly Entry[] = [
  goodbye(3),
  acknowledged(403),
  refusedConnects(406, 420),
  exit(420, 0),
  probeEnded(420),
];
const window = (...inside: readonly Entry[]): readonly Entry[] => [...before, signal(), ...inside, ...ending];
const reset = { outcome: 'reset', by: 'RST' } as const;
const race = { outcome: 'reset', by: 'FIN', race: true } as const;
const failed: Entry = { kind: 'probe.failed', t: at(800), message: 'the wrong CA', tried: ['GET /'] };
const neverReady: Entry = { kind: 'ready.failed', t: at(600), reason: 'timeout', message: 'no answer' };
const h2 = (headers: Readonly<Record<string, string>>): readonly Entry[] => [
  ...controller(),
  ready(),
  probeStarted({ over: 'h2' }),
  served(-100, 0),
  signal(),
  turnedAway(5, 400, headers),
  ...ending,
];

/** Rows that hold for kept and for new connections alike. */
const both = (via: 'kept' | 'new'): readonly WindowRow[] => {
  const on = (from: number, to: number, more = {}): Entry => samples(via, from, to, more);
  const refusal = { status: 503, headers: REFUSAL };
  return [
    ['the whole refusal passes', 'pass', window(turnedAway(5, 400)), /\d+ requests on .* got 503 \+ Connection: close/],
    [
      'other tokens of Connection do no harm',
      'pass',
      window(turnedAway(5, 400, { connection: 'Keep-Alive, Close', 'retry-after': '0' })),
      /got 503/,
    ],
    [
      'one 503 without Connection: close fails',
      'fail',
      window(turnedAway(5, 400), sample(via, 50, { status: 503, headers: { 'retry-after': '0' } })),
      /1 of \d+ refusals .* without Connection: close$/,
    ],
    [
      'one 503 without Retry-After fails',
      'fail',
      window(turnedAway(5, 400), sample(via, 50, { status: 503, headers: { connection: 'close' } })),
      /without Retry-After: 0$/,
    ],
    [
      'another Retry-After fails',
      'fail',
      window(turnedAway(5, 400, { connection: 'close', 'retry-after': '30' })),
      /without Retry-After: 0$/,
    ],
    ['a bare 503 fails', 'fail', window(turnedAway(5, 400, {})), /without Connection: close and Retry-After: 0$/],
    [
      'headers that were not recorded are inconclusive',
      'inconclusive',
      window(on(5, 400, { status: 503, headers: undefined })),
      /headers .* not on record/,
    ],
    ['HTTP/2: 503 and Retry-After pass', 'pass', h2({ 'retry-after': '1' }), /got 503 \+ Retry-After/],
    ['HTTP/2: 503 alone fails', 'fail', h2({}), /without Retry-After$/],
    [
      'a 200 sent when a 503 had come fails, however early',
      'fail',
      window(turnedAway(5, 400), sample(via, 7)),
      /1 requests .* sent when a 503 had come already, were answered 200/,
    ],
    [
      'another refusal than 503 fails',
      'fail',
      window(turnedAway(5, 400), sample(via, 50, { status: 429 })),
      /answered 429/,
    ],
    [
      'a 200 between the signal and the tolerance counts neither way',
      'pass',
      window(on(0, 50), on(55, 400, refusal)),
      /got 503/,
    ],
    [
      '200 until the end fails, in company too',
      'fail',
      window(on(0, 400)),
      /answered 200 instead of 503, the last at least 39\d/,
    ],
    [
      '200 for 100 ms more is late: measured again',
      'timing',
      window(on(0, 100), on(100, 400, refusal)),
      /measured beside others/,
    ],
    [
      '200 for 100 ms more fails alone',
      'fail',
      window(on(0, 100), on(100, 400, refusal)),
      /at least 9\d.* ms after the signal \(50 ms allowed\)/,
      ALONE,
    ],
    [
      '200 within the uncertainty of the stamps counts neither way',
      'pass',
      window(on(0, 60), on(65, 400, refusal)),
      /got 503/,
      { ...ALONE, uncertainty: { hostMs: 15, engineMs: 40 } },
    ],
    [
      '200 during a stall of the harness counts neither way',
      'pass',
      window(stall(60, 60), on(0, 100), on(105, 400, refusal)),
      /got 503/,
      ALONE,
    ],
    [
      'a request left hanging fails',
      'fail',
      window(turnedAway(5, 400), sample(via, 100, { outcome: 'hung' })),
      /1 requests .* left hanging/,
    ],
    [
      'a probe that saw nothing for long in the middle is inconclusive',
      'inconclusive',
      window(turnedAway(5, 50), turnedAway(380, 400)),
      /got 503.*saw nothing for 3\d\d/,
    ],
    [
      'one left hanging before the gate had to be closed does not',
      'pass',
      window(turnedAway(5, 400), sample(via, 30, { outcome: 'hung' })),
      /got 503/,
    ],
    [
      'a stranger with another normal answer is served by it',
      'fail',
      [...controller(), ready(), probeStarted({ normal: 404 }), signal(), on(0, 400, { status: 404 }), ...ending],
      /answered 404 instead of 503/,
      { preset: 'baseline' },
    ],
    [
      '503 before the signal is inconclusive',
      'inconclusive',
      [...before, sample('new', -20, { status: 503 }), signal(), turnedAway(5, 400), ...ending],
      /before the signal already/,
    ],
    [
      'a process that died at the signal is inconclusive',
      'inconclusive',
      [...before, signal(), on(0, 30), exit(40, 0), probeEnded(40)],
      /no request .* answered after the signal: .*ended 40 ms/,
    ],
    [
      'a probe that broke off is inconclusive',
      'inconclusive',
      [...before, signal(), { ...failed, t: at(SIGNAL_AT + 2) }, ...ending],
      /the probe broke off: the wrong CA/,
    ],
    [
      'a probe that never began is inconclusive',
      'inconclusive',
      [...controller(), ready(), signal(), ...ending],
      /never under way/,
    ],
    [
      'a probe that could not begin is not exercised',
      'not exercised',
      [ready(), failed, signal(), exit(40, 0)],
      /nothing could be probed: the wrong CA \(tried GET \/\)/,
    ],
    [
      'a service that never became ready is inconclusive',
      'inconclusive',
      [neverReady],
      /trigger never happened: .*never became ready/,
    ],
    ['no signal is inconclusive', 'inconclusive', before, /trigger never happened/],
    [
      'without a controller an empty window is not exercised',
      'not exercised',
      [...plain, signal(), refusedConnects(2, 50), exit(50, 0), probeEnded(50, 16)],
      /window is empty without a deregistration; .*16 kept .*refused from 2 to/,
    ],
    [
      'without a controller a 503 is judged',
      'fail',
      [...plain, signal(), turnedAway(5, 50, {}), exit(50, 0), probeEnded(50)],
      /without Connection/,
    ],
    [
      'without a controller being served on fails',
      'fail',
      [...plain, signal(), on(0, 400), exit(420, 0), probeEnded(420)],
      /answered 200 instead/,
    ],
    [
      'without a controller a probe that broke off is inconclusive',
      'inconclusive',
      [...plain, signal(), exit(800, 0), probeEnded(2)],
      /saw nothing in the last/,
    ],
  ];
};

const kept: readonly WindowRow[] = [
  [
    'a race or two on kept connections count for nothing',
    'pass',
    window(turnedAway(5, 400), sample('kept', 100, race), sample('kept', 105, race)),
    /got 503/,
  ],
  [
    'races beside refusals are races, however many',
    'pass',
    window(turnedAway(5, 400), samples('kept', 60, 100, race)),
    /got 503/,
  ],
  [
    'connections that all end under the request fail',
    'fail',
    window(samples('new', 5, 400, { status: 503, headers: REFUSAL }), samples('kept', 60, 100, race)),
    /none of 8 requests .* answered: each connection ended/,
  ],
  [
    'a few such ends without any answer are inconclusive',
    'inconclusive',
    window(samples('kept', 60, 75, race)),
    /3 keep-alive races/,
  ],
  [
    'such ends around the exit are nobody’s fault',
    'inconclusive',
    window(samples('kept', 405, 420, race)),
    /no request/,
  ],
  [
    'without a controller such ends are the close of the service',
    'not exercised',
    [...plain, signal(), samples('kept', 60, 100, race), exit(110, 0), probeEnded(110)],
    /8 keep-alive races/,
  ],
];

const fresh: readonly WindowRow[] = [
  [
    'a new connection reset while the listener is up fails',
    'fail',
    window(turnedAway(5, 400), sample('new', 100, reset)),
    /1 new connections ended without an answer while the listener was up/,
  ],
  [
    'connections accepted, never answered, and dropped with the listener fail, though no connect came after them',
    'fail',
    window(
      samples('kept', 5, 150, { status: 503, headers: REFUSAL }),
      samples('new', 60, 240, { ...reset, by: 'FIN', t: at(SIGNAL_AT + 396) }),
      refusedConnects(404, 410),
    ),
    /\d+ new connections ended without an answer while the listener was up/,
  ],
  [
    'so does a reset of one that had waited far longer than a backlog is left',
    'fail',
    window(
      turnedAway(5, 380),
      sample('new', 60, { ...reset, by: 'RST', t: at(SIGNAL_AT + 396) }),
      refusedConnects(404, 410),
    ),
    /1 new connections ended without an answer/,
  ],
  [
    'connections reset by the close of the listener do not',
    'pass',
    window(
      turnedAway(5, 200),
      sample('new', 205, reset),
      sample('new', 206, { ...reset, t: at(SIGNAL_AT + 230) }),
      refusedConnects(231, 400),
    ),
    /got 503/,
  ],
  [
    'a reset after the acknowledgement does not',
    'pass',
    window(turnedAway(5, 400), sample('new', 404, reset)),
    /got 503/,
  ],
  [
    'a reset before the gate had to be closed does not',
    'pass',
    window(sample('new', 20, reset), turnedAway(25, 400)),
    /got 503/,
  ],
  [
    'a reset between the acknowledgement and the exit does not',
    'pass',
    [
      ...before,
      signal(),
      turnedAway(5, 400),
      goodbye(3),
      acknowledged(403),
      sample('new', 404, reset),
      sample('new', 408, reset),
      exit(420, 0),
      probeEnded(420),
    ],
    /got 503/,
  ],
  [
    'a reset around the acknowledgement does not, though a later connect succeeded',
    'pass',
    [...before, signal(), turnedAway(5, 420), sample('new', 402.5, reset), ...ending],
    /got 503/,
  ],
  [
    'without a controller a reset before a connect that succeeded fails',
    'fail',
    [...plain, signal(), turnedAway(5, 100), sample('new', 70, reset), exit(110, 0), probeEnded(110)],
    /1 new connections ended without an answer/,
  ],
  [
    'without a controller a reset by the close of the listener does not',
    'pass',
    [...plain, signal(), turnedAway(5, 100), sample('new', 101, reset), exit(110, 0), probeEnded(110)],
    /got 503/,
  ],
  [
    'a connection left hanging after the acknowledgement is ADM-4’s',
    'pass',
    window(turnedAway(5, 400), sample('new', 410, { outcome: 'hung' })),
    /got 503/,
  ],
  [
    'connects refused from the signal on are inconclusive',
    'inconclusive',
    window(refusedConnects(2, 400)),
    /refused from 2 to/,
  ],
];

const clausesWithRows = [
  [adm1, [...both('kept'), ...kept]],
  [adm2, [...both('new'), ...fresh]],
] as const;

for (const [clause, rows] of clausesWithRows) checkWindowRows(clause, rows, /registry: |port: /);
