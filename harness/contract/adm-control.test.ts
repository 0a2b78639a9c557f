import { expect, it } from 'vitest';
import { checkWindowRows } from '../judge/testing/clause-rows.suite.ts';
import { checkClause } from '../judge/testing/judge-clause.ts';
import type { Entry } from '../judge/testing/history-builder.ts';
import { at, exit, ready, signal, SIGNAL_AT } from '../judge/testing/history-builder.ts';
import type { More, WindowRow } from '../judge/testing/window-builder.ts';
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
  turnedAway,
} from '../judge/testing/window-builder.ts';
import { adm6, adm7 } from './adm-control.ts';

const plain: readonly Entry[] = [ready(), probeStarted(), served(-100, 0)];
const before: readonly Entry[] = [...controller(), ...plain];
const ending: readonly Entry[] = [
  goodbye(3),
  acknowledged(403),
  refusedConnects(406, 420),
  exit(420, 0),
  probeEnded(420),
];
const window = (...inside: readonly Entry[]): readonly Entry[] => [
  ...before,
  signal(),
  turnedAway(5, 400),
  ...inside,
  ...ending,
];
const failed: Entry = { kind: 'probe.failed', t: at(800), message: '404', tried: [] };
const refusal = { status: 503, headers: REFUSAL };
const health = (afterMs: number, more: More = {}): Entry =>
  sample('new', afterMs, { purpose: 'readiness', request: 'GET /health', ...more });
const control = (request: string, more: More = {}, afterMs = 60): Entry =>
  sample('new', afterMs, { purpose: 'control', request, ...more });
const nearMiss = (request: string, more: More = refusal, afterMs = 70): Entry =>
  sample('new', afterMs, { purpose: 'near-miss', request, ...more });
const tcp = { ready: { kind: 'tcp', port: 8080, origin: 'EXPOSE' } } as const;

const notReady: readonly WindowRow[] = [
  ['a readiness that says 503 passes', 'pass', window(health(50, { status: 503 })), /GET \/health was answered 503/],
  ['any status of 400 or more says not ready', 'pass', window(health(50, { status: 404 })), /answered 404/],
  [
    'a ready service after the gate closed fails',
    'fail',
    window(health(50)),
    /GET \/health still said ready \(200\) 1 times/,
  ],
  ['a redirect is ready', 'fail', window(health(50, { status: 302 })), /still said ready \(302\)/],
  ['asked as a control route it is judged too', 'fail', window(control('GET /health')), /still said ready/],
  [
    'one asked before the 503 had come counts neither way',
    'pass',
    window(health(2), health(50, { status: 503 })),
    /answered 503/,
  ],
  [
    'a connection refused where the listener is gone passes',
    'pass',
    window(health(410, { outcome: 'refused' })),
    /the listener was gone/,
  ],
  [
    'one that is left hanging is inconclusive',
    'inconclusive',
    window(health(60, { outcome: 'hung' })),
    /got no answer .*\(hung\)/,
  ],
  ['a readiness that was not asked is inconclusive', 'inconclusive', window(), /readiness was not asked/],
  [
    'the probe’s own samples count where it asks the readiness route',
    'fail',
    [...before, signal(), samples('new', 0, 400, { request: 'GET /health' }), ...ending],
    /GET \/health still said ready \(200\), the last at least 39/,
  ],
  [
    'and without a gate they are measured again when just late',
    'timing',
    [...before, signal(), samples('new', 0, 100, { request: 'GET /health' }), ...ending],
    /measured beside others/,
  ],
  [
    'alone they fail',
    'fail',
    [...before, signal(), samples('new', 0, 100, { request: 'GET /health' }), ...ending],
    /still said ready/,
    ALONE,
  ],
  [
    'within the tolerance they count neither way',
    'pass',
    [
      ...before,
      signal(),
      samples('new', 0, 45, { request: 'GET /health' }),
      samples('new', 50, 400, { request: 'GET /health', status: 503 }),
      ...ending,
    ],
    /answered 503/,
    ALONE,
  ],
  [
    'without a controller an empty window is not exercised',
    'not exercised',
    [...plain, signal(), exit(20, 0), probeEnded(20)],
    /window is empty/,
  ],
  ['readiness over TCP is not exercised', 'not exercised', window(), /not asked over HTTP here \(tcp\)/, tcp],
  [
    '503 before the signal is inconclusive',
    'inconclusive',
    [...before, sample('new', -50, { status: 503 }), signal(), health(50, { status: 503 }), ...ending],
    /before the signal already/,
  ],
  [
    'nothing to probe is not exercised',
    'not exercised',
    [ready(), failed, signal(), exit(40, 0)],
    /nothing could be probed/,
  ],
  ['no signal is inconclusive', 'inconclusive', before, /trigger never happened/],
];

const inventory: readonly WindowRow[] = [
  [
    'with no inventory every route is refused, /health too',
    'pass',
    window(health(50, refusal)),
    /GET \/orders, GET \/health got 503; no control route is declared, so only that half/,
  ],
  [
    'a health route that slips through fails',
    'fail',
    window(health(50)),
    /not refused after the gate had closed: GET \/health 200/,
  ],
  ['a route that is refused otherwise fails', 'fail', window(health(50, { status: 404 })), /GET \/health 404/],
  [
    'a control route that answers, and refused near misses, pass',
    'pass',
    window(control('GET /live'), nearMiss('GET /live/'), nearMiss('POST /live'), health(50, refusal)),
    /got 503; control routes answered: GET \/live 200/,
  ],
  [
    'a near miss that slips through fails',
    'fail',
    window(control('GET /live'), nearMiss('GET /live/'), nearMiss('GET /livex', {})),
    /GET \/livex 200/,
  ],
  [
    'a near miss that is not found fails: it is not the refusal',
    'fail',
    window(control('GET /live'), nearMiss('GET /livex', { status: 404 })),
    /GET \/livex 404/,
  ],
  [
    'a control route that says not ready itself, without the refusal’s Retry-After, is let through',
    'pass',
    window(control('GET /ready', { status: 503, headers: {} }), nearMiss('GET /ready/')),
    /control routes answered: GET \/ready 503/,
  ],
  [
    'a control route’s 503 among refusals without Retry-After cannot be told from one of them',
    'inconclusive',
    window(control('GET /ready', { status: 503, headers: {} }), nearMiss('GET /ready/', { status: 503, headers: {} })),
    /whether GET \/ready is let through cannot be told: GET \/ready 503/,
  ],
  [
    'a control route that is refused fails',
    'fail',
    window(control('GET /live', refusal), nearMiss('GET /live/')),
    /not let through: GET \/live 503/,
  ],
  [
    'one that breaks fails',
    'fail',
    window(control('GET /live', { status: 500 }), nearMiss('GET /live/')),
    /GET \/live 500/,
  ],
  [
    'one that is left hanging fails',
    'fail',
    window(control('GET /live', { outcome: 'hung' }), nearMiss('GET /live/')),
    /GET \/live hung/,
  ],
  [
    'one that is reset while the listener is up fails',
    'fail',
    window(control('GET /live', { outcome: 'reset', by: 'RST' }), nearMiss('GET /live/')),
    /GET \/live reset/,
  ],
  [
    'one that always says 401 cannot be told',
    'inconclusive',
    window(control('GET /live', { status: 401 }), nearMiss('GET /live/')),
    /GET \/live 401/,
  ],
  [
    'a readiness that is a control route may say not ready',
    'pass',
    window(health(50, { status: 503 }), control('GET /health', { status: 503 }), nearMiss('GET /health/')),
    /control routes answered: GET \/health 503/,
  ],
  [
    'a readiness that is the only control route is known by its near misses',
    'pass',
    window(health(50, { status: 404 }), nearMiss('POST /health'), nearMiss('GET /healthx')),
    /control routes answered: GET \/health 404/,
  ],
  [
    'a readiness beside other control routes may be one: ADM-6 judges it',
    'pass',
    window(health(50), control('GET /live'), nearMiss('GET /live/')),
    /control routes answered: GET \/live 200/,
  ],
  [
    'unless it was asked as a near miss too',
    'fail',
    window(health(50), control('GET /live'), nearMiss('GET /health', {})),
    /GET \/health 200/,
  ],
  [
    'where nothing is declared /health is a near miss and no inventory',
    'pass',
    window(health(50, refusal), nearMiss('GET /health')),
    /no control route is declared/,
  ],
  [
    'one asked when the listener was gone is inconclusive',
    'inconclusive',
    window(control('GET /live', { outcome: 'refused' }, 410), nearMiss('GET /live/')),
    /GET \/live is let through cannot be told: not asked while/,
  ],
  [
    'one that was reset at the exit is inconclusive',
    'inconclusive',
    window(control('GET /live', { outcome: 'reset' }, 402), nearMiss('GET /live/')),
    /cannot be told/,
  ],
  ['a control route without a near miss is inconclusive', 'inconclusive', window(control('GET /live')), /no near miss/],
  [
    'one of two control routes is not enough',
    'inconclusive',
    window(control('GET /live'), control('GET /stat', { outcome: 'refused' }, 410), nearMiss('GET /live/')),
    /whether GET \/stat is let through/,
  ],
  ['only the probe’s own route is inconclusive', 'inconclusive', window(), /only the probe's own route/],
  [
    'a gate that never closed fails',
    'fail',
    [...before, signal(), served(0, 400), health(200), ...ending],
    /not refused: .*GET \/orders 200.* the last at least/,
  ],
  [
    'a gate that closes late is measured again',
    'timing',
    [...before, signal(), served(0, 100), turnedAway(105, 400), health(120, refusal), ...ending],
    /measured beside others/,
  ],
  [
    'what was asked before the 503 had come counts neither way',
    'pass',
    window(control('GET /live', {}, 60), nearMiss('GET /live/', {}, 2), nearMiss('GET /live/')),
    /control routes answered/,
  ],
  [
    'a process that died at the signal is inconclusive',
    'inconclusive',
    [...before, signal(), exit(40, 0), probeEnded(40)],
    /no route was asked/,
  ],
  [
    'without a controller an empty window is not exercised',
    'not exercised',
    [...plain, signal(), exit(40, 0), probeEnded(40)],
    /window is empty/,
  ],
  ['no signal is inconclusive', 'inconclusive', before, /trigger never happened/],
];

checkWindowRows(adm6, notReady, /ready: |registry: |port: /);
checkWindowRows(adm7, inventory, /ready: |registry: |port: /);

it('a stamp before the first 503 is no proof', () => {
  const early = health(5, { sentBegin: at(SIGNAL_AT + 5.9) });
  expect(checkClause(adm6, {}, window(early, health(50, { status: 503 }))).outcome).toBe('pass');
});
