import { expect, it } from 'vitest';
import { checkWindowRows } from '../judge/testing/clause-rows.suite.ts';
import { checkClause } from '../judge/testing/judge-clause.ts';
import type { Draft } from '../model/observation.ts';
import type { Entry } from '../judge/testing/history-builder.ts';
import { at, exit, outerTimeout, ready, signal, SIGNAL_AT } from '../judge/testing/history-builder.ts';
import type { WindowRow } from '../judge/testing/window-builder.ts';
import {
  acknowledged,
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
import { adm4, adm8 } from './adm-listener.ts';

const plain: readonly Entry[] = [ready(), probeStarted(), served(-100, 0)];
const before: readonly Entry[] = [...controller(), ...plain];
const held: Entry = { kind: 'work.held', t: at(650), id: 'w1', shape: 'slow-body', how: 'POST /', ends: 'finish' };
const failed: Entry = { kind: 'probe.failed', t: at(800), message: '404', tried: [] };
const neverReady: Entry = { kind: 'ready.failed', t: at(600), reason: 'timeout', message: 'no answer' };
const ended = (afterMs: number): readonly Entry[] => [exit(afterMs, 0), probeEnded(afterMs)];

const dereg: readonly Entry[] = [goodbye(3), acknowledged(203)];
const draining = (...inside: readonly Entry[]): readonly Entry[] => [
  ...before,
  held,
  signal(),
  ...dereg,
  ...inside,
  ...ended(930),
];
const uncontrolled = (...inside: readonly Entry[]): readonly Entry[] => [
  ...plain,
  held,
  signal(),
  ...inside,
  ...ended(450),
];
/** The engine answered the call of the signal so long after the usual signal, which it had sent 2 ms before that. */
const answeredLate = (afterMs: number): readonly Draft[] =>
  signal().map((o) => (o.kind === 'signal.delivered' ? { ...o, t: at(SIGNAL_AT + afterMs) } : o));
const reset = { outcome: 'reset', by: 'RST' } as const;

const closing: readonly WindowRow[] = [
  [
    'connects refused right after the acknowledgement pass',
    'pass',
    draining(turnedAway(5, 205), refusedConnects(210, 900)),
    /from the acknowledgement to the close of the listener 8\.2 ms \[0\.\./,
  ],
  [
    'a listener that had closed before it passes',
    'pass',
    draining(turnedAway(5, 100), refusedConnects(105, 900)),
    /it had closed before; from the acknowledgement/,
  ],
  [
    'connections that are accepted and dropped keep the listener open',
    'fail',
    draining(turnedAway(5, 205), samples('new', 210, 900, reset)),
    /connects succeeded.*none was refused/,
  ],
  [
    'a listener that answers 503 for the whole drain fails',
    'fail',
    draining(turnedAway(5, 900)),
    /connects succeeded, the last at least 68\d.* after the acknowledgement \(100 ms allowed\) and none was refused/,
  ],
  [
    'one that closes 200 ms late is measured again',
    'timing',
    draining(turnedAway(5, 405), refusedConnects(410, 900)),
    /at least 19\d.* measured beside others/,
  ],
  [
    'alone it fails',
    'fail',
    draining(turnedAway(5, 405), refusedConnects(410, 900)),
    /at least 19\d.* \(100 ms allowed\)$/,
    ALONE,
  ],
  [
    'one that closes around the limit is measured again',
    'timing',
    draining(turnedAway(5, 300), refusedConnects(303, 900)),
    /limit of 100 ms lies inside/,
    ALONE,
  ],
  [
    'a stall of the harness widens what is known of the close',
    'timing',
    draining(turnedAway(5, 250), stall(265, 60), refusedConnects(255, 900)),
    /limit of 100 ms lies inside/,
    ALONE,
  ],
  [
    'connects that hang are a black hole',
    'fail',
    draining(turnedAway(5, 205), samples('new', 320, 400, { outcome: 'hung', connectedAt: undefined })),
    /a black hole: 16 connects .* hung instead of being refused/,
  ],
  [
    'so are connections that are accepted and never answered',
    'fail',
    draining(turnedAway(5, 205), samples('new', 320, 400, { outcome: 'hung' })),
    /were accepted and never answered/,
  ],
  [
    'one connect that nobody answered may be a lost packet: measured again beside others',
    'timing',
    draining(
      turnedAway(5, 205),
      refusedConnects(210, 900),
      sample('new', 400, { outcome: 'hung', connectedAt: undefined }),
    ),
    /1 connects .*measured beside others/,
  ],
  [
    'alone it is a black hole',
    'fail',
    draining(
      turnedAway(5, 205),
      refusedConnects(210, 900),
      sample('new', 400, { outcome: 'hung', connectedAt: undefined }),
    ),
    /a black hole: 1 connects/,
    ALONE,
  ],
  [
    'a connect that hung within the limit counts neither way',
    'pass',
    draining(turnedAway(5, 205), sample('new', 206, { outcome: 'hung' }), refusedConnects(220, 900)),
    /close of the listener/,
  ],
  [
    'a listener that comes back fails',
    'fail',
    draining(turnedAway(5, 205), refusedConnects(210, 700), sample('new', 710, { status: 503 })),
    /1 connects succeeded, the last at least 50\d.* allowed\)$/,
  ],
  [
    'an end before a refusal was seen is inconclusive',
    'inconclusive',
    [...before, signal(), ...dereg, turnedAway(5, 203), ...ended(210)],
    /process ended 7 ms after the acknowledgement, before a connect was refused/,
  ],
  [
    'resets that may be a backlog’s decide nothing',
    'inconclusive',
    draining(turnedAway(5, 205), samples('new', 320, 900, { ...reset, connectedAt: undefined })),
    /no connect was refused|before a connect was refused/,
  ],
  [
    'a goodbye that was never acknowledged is no trigger',
    'inconclusive',
    [...before, signal(), goodbye(3), turnedAway(5, 900), ...ended(930)],
    /the goodbye was never acknowledged/,
  ],
  [
    'no goodbye is no trigger',
    'inconclusive',
    [...before, signal(), turnedAway(5, 900), ...ended(930)],
    /no goodbye was received/,
  ],
  [
    '503 before the signal does not matter here',
    'pass',
    [
      ...before,
      sample('new', -50, { status: 503 }),
      signal(),
      ...dereg,
      turnedAway(5, 205),
      refusedConnects(210, 900),
      ...ended(930),
    ],
    /close of the listener/,
  ],
  [
    'without a controller it counts from the signal',
    'pass',
    uncontrolled(refusedConnects(3, 400)),
    /from the signal to the close of the listener/,
  ],
  [
    'without a controller a listener that stays up fails',
    'fail',
    uncontrolled(turnedAway(5, 420)),
    /after the signal \(150 ms allowed\) and none was refused/,
    ALONE,
  ],
  [
    'a service that ends at once without a controller is inconclusive',
    'inconclusive',
    [...plain, signal(), ...ended(20)],
    /process ended 20 ms after the signal/,
  ],
  [
    'a service that ended while the engine was still answering did not end before the signal',
    'inconclusive',
    [...plain, answeredLate(300), ...ended(20)],
    /the process ended 0 to 22 ms after the signal, before a connect/,
  ],
  [
    'nothing to probe is not exercised',
    'not exercised',
    [ready(), failed, signal(), ...ended(40)],
    /nothing could be probed/,
  ],
  ['no signal is inconclusive', 'inconclusive', before, /trigger never happened/],
  ['a service that never became ready is inconclusive', 'inconclusive', [neverReady], /never became ready/],
];

const idle = (goodbyeMs: number, ackMs: number, exitMs: number): readonly Entry[] => [
  ...before,
  signal(),
  goodbye(goodbyeMs),
  acknowledged(ackMs),
  ...ended(exitMs),
];
const dwelling: readonly WindowRow[] = [
  [
    'an end right after the acknowledgement passes, however long that took',
    'pass',
    idle(3, 403, 415),
    /goodbye after 3 ms, end 12 ms after the acknowledgement: together 15 ms/,
  ],
  ['a dwell after the acknowledgement fails', 'fail', idle(3, 403, 1403), /end 1000 ms after .*not below 300 ms$/],
  ['a dwell before the goodbye fails', 'fail', idle(1000, 1400, 1410), /goodbye after 1000 ms.*not below 300 ms$/],
  ['half of it on either side fails', 'fail', idle(320, 720, 1100), /together 700 ms .*not below 300 ms$/],
  ['a short dwell is measured again', 'timing', idle(3, 403, 803), /not below 300 ms, measured beside others/],
  ['alone it fails', 'fail', idle(3, 403, 803), /not below 300 ms$/, ALONE],
  ['an end around the limit is measured again', 'timing', idle(3, 403, 698), /limit of 300 ms lies inside/, ALONE],
  [
    'a stall widens what is known of it',
    'timing',
    [...idle(3, 403, 600), stall(590, 120)],
    /limit of 300 ms lies inside/,
    ALONE,
  ],
  [
    'the SIGKILL of the harness fails',
    'fail',
    [...before, signal(), goodbye(3), acknowledged(403), outerTimeout()],
    /still running 9998 ms after the signal/,
  ],
  [
    'a kill by someone else is inconclusive',
    'inconclusive',
    [...before, signal(), goodbye(3), acknowledged(403), exit(500, 137)],
    /137/,
  ],
  [
    'an unknown end is inconclusive',
    'inconclusive',
    [...before, signal(), goodbye(3), acknowledged(403)],
    /never confirmed/,
  ],
  [
    'no acknowledgement is no trigger',
    'inconclusive',
    [...before, signal(), goodbye(3), ...ended(2010)],
    /goodbye was never acknowledged/,
  ],
  ['no goodbye is no trigger', 'inconclusive', [...before, signal(), ...ended(40)], /no goodbye was received/],
  [
    'work in flight is not exercised',
    'not exercised',
    [...before, held, signal(), goodbye(3), acknowledged(403), ...ended(1403)],
    /1 connections were held at the signal/,
  ],
  [
    'without a controller it counts from the signal',
    'pass',
    [...plain, signal(), ...ended(40)],
    /without a controller it ended after 40 ms/,
    { preset: 'baseline' },
  ],
  [
    'without a controller a dwell fails',
    'fail',
    [...plain, signal(), ...ended(2000)],
    /2000 ms .*not below 300 ms/,
    { preset: 'baseline' },
  ],
  ['no signal is inconclusive', 'inconclusive', before, /trigger never happened/],
];

checkWindowRows(adm4, closing);
checkWindowRows(adm8, dwelling);

it('ADM-4 rests on the observations that bound the close', () => {
  const finding = checkClause(adm4, {}, draining(turnedAway(5, 205), refusedConnects(210, 900)));
  expect(finding.limitMs).toBe(100);
  expect(finding.evidence.length).toBeGreaterThanOrEqual(4);
  expect(finding.measured?.highMs).toBeLessThan(SIGNAL_AT);
});
