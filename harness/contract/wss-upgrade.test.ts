import { checkWindowRows } from '../judge/testing/clause-rows.suite.ts';
import type { Entry } from '../judge/testing/history-builder.ts';
import { at, exit, outerTimeout, ready, signal, SIGNAL_AT } from '../judge/testing/history-builder.ts';
import { socket, socketEnd, upgradeAt } from '../judge/testing/web-socket-builder.ts';
import type { WindowRow } from '../judge/testing/window-builder.ts';
import { ALONE, probeEnded, probeStarted, served, stall, turnedAway } from '../judge/testing/window-builder.ts';
import { wss6 } from './wss-upgrade.ts';

const endAt = (afterMs: number, code?: number) => ({
  messages: 0,
  bytes: 0,
  by: 'FIN' as const,
  t: at(SIGNAL_AT + afterMs),
  ...(code === undefined ? {} : { close: { code, reason: 'bye', t: at(SIGNAL_AT + afterMs - 1) } }),
});
/** The first 503 is here 6 ms after the signal. */
const gated = (...entries: readonly Entry[]): readonly Entry[] => [
  ready(),
  probeStarted(),
  served(-100, 0),
  signal(),
  turnedAway(5, 205),
  ...entries,
  exit(300, 0),
  probeEnded(300),
];
/** No 503 ever comes. */
const ungated = (...entries: readonly Entry[]): readonly Entry[] => [
  ready(),
  probeStarted(),
  served(-100, 0),
  signal(),
  ...entries,
  exit(300, 0),
  probeEnded(300),
];
const half = socket('half-upgrade', 1);
const halfSent = { id: 'web-sockets-1', via: 'half-sent' } as const;

const rows: readonly WindowRow[] = [
  ['a 503 passes', 'pass', gated(upgradeAt(50, 'answered', { status: 503 })), /new answered 503/],
  ['any answer but 101 passes', 'pass', gated(upgradeAt(50, 'answered', { status: 404 })), /new answered 404/],
  ['a refused connect passes', 'pass', gated(upgradeAt(50, 'refused')), /new refused/],
  ['a reset passes', 'pass', gated(upgradeAt(50, 'reset')), /new reset/],
  [
    'upgraded and closed at once passes',
    'pass',
    gated(upgradeAt(50, 'upgraded', { served: false, end: endAt(55, 1001) })),
    /upgraded and closed with 1001/,
  ],
  [
    'upgraded and dropped at once passes',
    'pass',
    gated(upgradeAt(50, 'upgraded', { end: endAt(55) })),
    /upgraded and closed/,
  ],
  [
    'upgraded and served fails, even if it is closed at once',
    'fail',
    gated(upgradeAt(50, 'upgraded', { served: true, end: endAt(55, 1001) })),
    /upgrade-1 \(new\) was served, which was sent when new work had been turned away/,
  ],
  [
    'half sent, completed after the gate and served fails',
    'fail',
    gated(half, upgradeAt(50, 'upgraded', { ...halfSent, begin: at(800), served: true })),
    /web-sockets-1 \(half-sent\) was served/,
  ],
  [
    'half sent, completed before the gate says nothing',
    'timing',
    gated(half, upgradeAt(2, 'upgraded', { ...halfSent, served: true })),
    /too close to the signal/,
  ],
  [
    'served too close to the signal, beside one that was refused later, is no pass',
    'timing',
    gated(half, upgradeAt(2, 'upgraded', { ...halfSent, served: true }), upgradeAt(60, 'refused')),
    /new refused; the upgrade web-sockets-1 \(half-sent\) was served, too close/,
  ],
  [
    'half sent, closed before it was completed passes',
    'pass',
    gated(half, socketEnd(1, 20)),
    /1 half-sent closed before/,
  ],
  ['closed with the exit it says nothing', 'not exercised', gated(half, socketEnd(1, 301)), /no upgrade was asked/],
  [
    'upgraded and left open is measured again alone',
    'timing',
    gated(upgradeAt(50, 'upgraded', { served: false })),
    /not closed within 500 ms/,
  ],
  ['and fails there', 'fail', gated(upgradeAt(50, 'upgraded', { served: false })), /not closed within 500 ms/, ALONE],
  [
    'closed too late fails there too',
    'fail',
    gated(upgradeAt(50, 'upgraded', { end: endAt(800, 1001) })),
    /not closed within/,
    ALONE,
  ],
  [
    'but not where the harness stood still',
    'pass',
    gated(upgradeAt(50, 'upgraded', { end: endAt(800, 1001) }), stall(790, 500)),
    /closed with 1001/,
    ALONE,
  ],
  ['left hanging is measured again alone', 'timing', gated(upgradeAt(50, 'hung')), /left hanging/],
  ['and fails there', 'fail', gated(upgradeAt(50, 'hung')), /left hanging/, ALONE],
  [
    'without a 503, served well after the signal fails',
    'fail',
    ungated(upgradeAt(900, 'upgraded', { served: true })),
    /was served, sent at least/,
    ALONE,
  ],
  [
    'served for a declared time is no fault',
    'timing',
    ungated(upgradeAt(400, 'upgraded', { served: true })),
    /too close/,
    { terms: { serveAfterMs: 1000 } },
  ],
  [
    'none that was asked for is not exercised without a controller',
    'not exercised',
    gated(),
    /no upgrade was asked for/,
  ],
  [
    'a service that answered 503 before is inconclusive',
    'inconclusive',
    [ready(), probeStarted({ normal: 503 }), signal(), upgradeAt(50, 'refused'), exit(300, 0)],
    /cannot be told/,
  ],
  [
    'without a probe it is inconclusive',
    'inconclusive',
    [ready(), signal(), upgradeAt(50, 'refused'), exit(300, 0)],
    /never under way/,
  ],
  [
    'a service that never ends is judged all the same',
    'fail',
    [...gated(upgradeAt(50, 'upgraded', { served: true })).slice(0, -2), outerTimeout()],
    /was served/,
  ],
];

checkWindowRows(wss6, rows, /registry/);
