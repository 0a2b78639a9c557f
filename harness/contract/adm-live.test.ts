import { expect, it } from 'vitest';
import { checkWindowRows } from '../judge/testing/clause-rows.suite.ts';
import type { Entry, Setting } from '../judge/testing/history-builder.ts';
import { at, exit, history, outerTimeout, ready, signal, SIGNAL_AT } from '../judge/testing/history-builder.ts';
import { judgeHistory } from '../judge/judge-history.ts';
import type { More, WindowRow } from '../judge/testing/window-builder.ts';
import {
  ALONE,
  probeEnded,
  probeStarted,
  refusedConnects,
  sample,
  served,
  turnedAway,
} from '../judge/testing/window-builder.ts';
import { answered, finished, held } from '../judge/testing/work-builder.ts';
import { adm5 } from './adm-gate.ts';
import { adm6Live } from './adm-live.ts';

const ANY: Setting = { preset: 'baseline' };
const SERVING: Setting = { preset: 'baseline', terms: { livenessInDrain: 'serving' } };
const route: More = { purpose: 'liveness', request: 'GET /livez' };
const live = (more: More = {}): Entry => sample('new', 400, { ...route, ...more });
const before: readonly Entry[] = [ready(), probeStarted(), served(-100, 0)];
const work: readonly Entry[] = [held('slow-body-1'), finished('slow-body-1', 450), answered('slow-body-1', 453)];
const ended: readonly Entry[] = [exit(470, 0), probeEnded(470)];
const drain = (...inside: readonly Entry[]): readonly Entry[] => [...before, ...work, signal(), ...inside, ...ended];
const dropped = (afterMs: number): More => ({ outcome: 'reset', by: 'RST', t: at(SIGNAL_AT + 400 + afterMs) });
const never: More = { outcome: 'hung', connectedAt: undefined, sentBegin: undefined, sentAt: undefined };

const rows: readonly WindowRow[] = [
  ['answered normally it passes', 'pass', drain(turnedAway(5, 440), live()), /^GET \/livez 200$/, ANY],
  ['turned away it passes where nothing is asked of it', 'pass', drain(live({ status: 503 })), /503/, ANY],
  ['refused too', 'pass', drain(refusedConnects(5, 440), live({ outcome: 'refused' })), /refused/, ANY],
  ['dropped at once too', 'pass', drain(live(dropped(2))), /reset/, ANY],
  ['left hanging it is asked again, alone', 'timing', drain(live({ outcome: 'hung' })), /left hanging.*beside/, ANY],
  ['alone it fails', 'fail', drain(live({ outcome: 'hung' })), /GET \/livez was left hanging/, { ...ANY, ...ALONE }],
  ['left waiting to the end it fails', 'fail', drain(live(dropped(600))), /left hanging/, { ...ANY, ...ALONE }],
  ['a lost packet is asked again, alone', 'timing', drain(live(never)), /no answer of any kind/, ANY],
  ['and fails then', 'fail', drain(live(never)), /left hanging/, { ...ANY, ...ALONE }],
  ['not asked after the signal it is inconclusive', 'inconclusive', drain(), /was not asked.*ended 470 ms/, ANY],
  ['asked in the instant of the signal it is not', 'inconclusive', drain(sample('new', 1, route)), /not asked/, ANY],
  ['serving: answered beside held work it passes', 'pass', drain(live()), /200 while 1 admitted request/, SERVING],
  ['serving: 503 fails', 'fail', drain(live({ status: 503 })), /GET \/livez 503 while 1/, SERVING],
  [
    'serving: refused fails',
    'fail',
    drain(live({ outcome: 'refused' })),
    /refused while .* makes a new connection/,
    SERVING,
  ],
  ['serving: dropped fails', 'fail', drain(live(dropped(2))), /reset while/, SERVING],
  ['serving: left hanging fails', 'fail', drain(live({ outcome: 'hung' })), /left hanging/, { ...SERVING, ...ALONE }],
  [
    'serving: one of two routes that is refused fails',
    'fail',
    drain(live(), live({ request: 'GET /alive', status: 404 })),
    /^GET \/alive 404 while/,
    SERVING,
  ],
  [
    'serving: with nothing held it is inconclusive',
    'inconclusive',
    [...before, signal(), live(), ...ended],
    /no admitted work was held/,
    SERVING,
  ],
  [
    'serving: an idle connection is no work',
    'inconclusive',
    [...before, held('idle-keep-alive-1', { admitted: false, ends: 'never' }), signal(), live(), ...ended],
    /no admitted work was held/,
    SERVING,
  ],
  ['no signal is inconclusive', 'inconclusive', before, /trigger never happened/, ANY],
  [
    'a process that never ends is judged all the same',
    'pass',
    [...before, ...work, signal(), live(), outerTimeout()],
    /200/,
    ANY,
  ],
];
checkWindowRows(adm6Live, rows);

it('is not exercised where no route is declared, with the line to declare', () => {
  const declare = "endpoints: { liveness: ['GET /livez'] }";
  const missing: Entry = { kind: 'capability.missing', t: at(1400), capability: 'liveness', reason: 'none', declare };
  const literal = history({ ...ANY, clauses: ['ADM-6-live', 'ADM-5'] }, ...drain(turnedAway(5, 440), missing));
  expect(judgeHistory(literal)).toMatchObject([
    { clause: 'ADM-6-live', finding: { outcome: 'not exercised', declare } },
    { clause: 'ADM-5', finding: { outcome: 'pass' } },
  ]);
});

checkWindowRows(adm5, [
  ['a liveness route that goes on is no application route', 'pass', drain(turnedAway(5, 440), live()), /none of/, ANY],
  [
    'nor is it as the readiness that it also is',
    'pass',
    drain(turnedAway(5, 440), live(), sample('new', 401, { ...route, purpose: 'readiness' })),
    /none of/,
    ANY,
  ],
]);
