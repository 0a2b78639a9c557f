import { checkWindowRows } from '../judge/testing/clause-rows.suite.ts';
import type { Fate } from '../model/observation.ts';
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
  sample,
  served,
  stall,
  turnedAway,
} from '../judge/testing/window-builder.ts';
import { adm9 } from './adm-half-headers.ts';

const plain: readonly Entry[] = [ready(), probeStarted(), served(-100, 0)];
const half = (id: string, heldAt = 650): Entry => ({
  kind: 'work.held',
  t: at(heldAt),
  id,
  shape: 'half-headers',
  how: 'GET / with some headers',
  admitted: false,
  ends: 'finish',
  normal: { status: 200 },
});
const finished = (id: string, afterMs = 700): Entry => ({
  kind: 'work.finished',
  begin: at(SIGNAL_AT + afterMs),
  t: at(SIGNAL_AT + afterMs + 0.2),
  id,
  shape: 'half-headers',
});
const over = (id: string, fate: Fate, status?: number, afterMs = 702): Entry => ({
  kind: 'work.ended',
  t: at(SIGNAL_AT + afterMs),
  id,
  shape: 'half-headers',
  fate,
  ...(status === undefined ? {} : { status }),
});
const both: readonly Entry[] = [half('h1'), half('h2')];
const draining = (gate: readonly Entry[], ...work: readonly Entry[]): readonly Entry[] => [
  ...controller(),
  ...plain,
  ...both,
  signal(),
  ...gate,
  goodbye(3),
  acknowledged(203),
  ...work,
  exit(930, 0),
  probeEnded(930),
];
const gate = [turnedAway(5, 205)];
const drained = (...work: readonly Entry[]): readonly Entry[] => draining(gate, ...work);
const done: readonly Entry[] = [finished('h1'), finished('h2')];
const uncontrolled = (...work: readonly Entry[]): readonly Entry[] => [...plain, half('h1'), signal(), ...work];
const unheld: Entry = {
  kind: 'work.failed',
  t: at(650),
  id: 'h',
  shape: 'half-headers',
  tried: [],
  message: 'not held: closed',
};
const failed: Entry = { kind: 'probe.failed', t: at(800), message: '404', tried: [] };

const rows: readonly WindowRow[] = [
  [
    '503 passes',
    'pass',
    drained(...done, over('h1', 'answered', 503), over('h2', 'answered', 503)),
    /2 got 503 and 0 a close, of 2/,
  ],
  [
    'a close and a reset pass',
    'pass',
    drained(...done, over('h1', 'closed'), over('h2', 'reset')),
    /0 got 503 and 2 a close/,
  ],
  [
    'a 503 that is cut is a refusal',
    'pass',
    drained(...done, over('h1', 'truncated', 503), over('h2', 'closed')),
    /1 got 503 and 1 a close/,
  ],
  [
    'connections closed at the signal, before they were completed, pass',
    'pass',
    drained(over('h1', 'closed', undefined, 4), over('h2', 'closed', undefined, 4)),
    /0 got 503 and 2 a close/,
  ],
  [
    'one that is served fails',
    'fail',
    drained(...done, over('h1', 'answered', 200), over('h2', 'answered', 503)),
    /1 of 2 requests .* answered 200, when a 503 had come already/,
  ],
  [
    'one that is served in part fails',
    'fail',
    drained(...done, over('h1', 'truncated', 200), over('h2', 'answered', 503)),
    /answered 200/,
  ],
  [
    'the normal answer of a stranger fails',
    'fail',
    drained(...done, over('h1', 'answered', 404), over('h2', 'answered', 503)),
    /answered 404/,
    { preset: 'baseline' },
  ],
  [
    'one that is left hanging fails',
    'fail',
    drained(...done, over('h1', 'hung', undefined, 900), over('h2', 'answered', 503)),
    /1 of 2 requests .* left hanging/,
  ],
  [
    'one held until the SIGKILL of the harness was left hanging',
    'fail',
    [
      ...controller(),
      ...plain,
      ...both,
      signal(),
      ...gate,
      ...done,
      over('h1', 'held', undefined, 10_010),
      over('h2', 'answered', 503),
      outerTimeout(),
    ],
    /left hanging/,
  ],
  [
    'one of which nothing is known is inconclusive',
    'inconclusive',
    drained(finished('h1'), over('h1', 'held', undefined, 930)),
    /not on record/,
  ],
  [
    'served without any 503, long after the signal, fails',
    'fail',
    draining([], ...done, over('h1', 'answered', 200), over('h2', 'answered', 200)),
    /answered 200, at least 69/,
  ],
  [
    'served just after the tolerance, without any 503, is measured again',
    'timing',
    draining([], finished('h1', 80), over('h1', 'answered', 200, 82)),
    /measured beside others/,
  ],
  [
    'alone it fails',
    'fail',
    draining([], finished('h1', 80), over('h1', 'answered', 200, 82)),
    /at least 75 ms after it/,
    ALONE,
  ],
  [
    'completed before the gate had to be closed counts neither way',
    'timing',
    draining([turnedAway(60, 205)], finished('h1', 30), over('h1', 'answered', 200, 32)),
    /no half-sent headers were completed/,
    ALONE,
  ],
  [
    'completed during a stall counts neither way',
    'timing',
    draining([turnedAway(100, 205), stall(90, 90)], finished('h1', 80), over('h1', 'answered', 200, 82)),
    /no half-sent headers were completed/,
    ALONE,
  ],
  [
    'served after a 503 had come fails, however early',
    'fail',
    drained(finished('h1', 8), over('h1', 'answered', 200, 10)),
    /1 of 2 .* when a 503 had come already/,
  ],
  [
    'connections cut by the end of the service are no refusal',
    'inconclusive',
    [
      ...controller(),
      ...plain,
      ...both,
      signal(),
      ...gate,
      over('h1', 'reset', undefined, 40),
      over('h2', 'reset', undefined, 40),
      exit(40, 0),
      probeEnded(40),
    ],
    /no half-sent headers were completed/,
  ],
  [
    'connections that had ended before the signal are none',
    'inconclusive',
    drained(over('h1', 'closed', undefined, -50), over('h2', 'answered', 408, -50)),
    /no half-sent headers were completed/,
  ],
  [
    'connections half sent after the signal are none',
    'inconclusive',
    [...controller(), ...plain, half('h1', SIGNAL_AT + 20), signal(), ...gate, ...done],
    /no headers were half sent at the signal/,
  ],
  [
    'what cannot be held is not exercised',
    'not exercised',
    [...plain, unheld, signal(), exit(40, 0)],
    /could be held with half its headers: not held: closed/,
  ],
  [
    'without a controller a service that leaves at once is not exercised',
    'not exercised',
    uncontrolled(over('h1', 'reset', undefined, 20), exit(20, 0), probeEnded(20)),
    /window is empty/,
  ],
  [
    'without a controller being served fails',
    'fail',
    uncontrolled(finished('h1', 400), over('h1', 'answered', 200, 402), exit(430, 0), probeEnded(430)),
    /answered 200/,
  ],
  [
    'without a controller a close passes',
    'pass',
    uncontrolled(finished('h1', 400), over('h1', 'closed', undefined, 402), exit(430, 0), probeEnded(430)),
    /1 a close/,
  ],
  [
    '503 before the signal is inconclusive',
    'inconclusive',
    [...plain, sample('new', -50, { status: 503 }), half('h1'), signal(), finished('h1'), over('h1', 'answered', 503)],
    /before the signal already/,
  ],
  [
    'nothing to probe is not exercised',
    'not exercised',
    [ready(), failed, half('h1'), signal(), exit(40, 0)],
    /nothing could be probed/,
  ],
  [
    'completed while the harness was stalled is no empty window: measured again',
    'timing',
    uncontrolled(stall(300, 350), finished('h1', 320), over('h1', 'answered', 200, 322), exit(700, 0), probeEnded(700)),
    /1 of 1 .* too close to the signal to tell/,
    ALONE,
  ],
  ['no signal is inconclusive', 'inconclusive', [...plain, ...both], /trigger never happened/],
];

checkWindowRows(adm9, rows, /registry: |port: /);
