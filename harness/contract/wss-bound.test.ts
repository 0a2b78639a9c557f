import { describe } from 'vitest';
import { checkRows } from '../judge/testing/clause-rows.suite.ts';
import type { Entry } from '../judge/testing/history-builder.ts';
import {
  at,
  exit,
  GRACEFUL,
  line,
  logComplete,
  outerTimeout,
  ready,
  signal,
} from '../judge/testing/history-builder.ts';
import { noSocket, socket, socketEnd } from '../judge/testing/web-socket-builder.ts';
import { stall } from '../judge/testing/window-builder.ts';
import { wss1, wss5 } from './wss-bound.ts';

const LATE = 'light-runtime: shutdown completed reason=Terminate outcome=deadline-exceeded duration_ms=2001';
const stopped = (...entries: readonly Entry[]): readonly Entry[] => [ready(), ...signal(), ...entries, logComplete()];
const three: readonly Entry[] = [socket('idle', 1), socket('chatty', 2), socket('unregistered', 3)];
const closed: readonly Entry[] = [1, 2, 3].map((n) => socketEnd(n, 5, { code: 1001 }));
const graceful = (afterMs: number, code = 0): readonly Entry[] => [line(afterMs - 1, GRACEFUL), ...exit(afterMs, code)];
const expired = (afterMs: number, code = 1): readonly Entry[] => [line(afterMs - 1, LATE), ...exit(afterMs, code)];
const left = (afterMs: number): readonly Entry[] => [1, 2, 3].map((n) => socketEnd(n, afterMs));
const missing: Entry = {
  kind: 'capability.missing',
  t: at(700),
  capability: 'websocket',
  reason: 'no path',
  declare: 'endpoints: x',
};

describe('WSS-1', () => {
  checkRows(wss1, [
    [
      'a Close and a quick exit pass',
      'pass',
      stopped(...three, ...closed, ...graceful(12)),
      /exit 0 with 3 WebSocket\(s\) \(1 idle, 1 chatty, 1 unregistered\).*graceful/,
    ],
    [
      'dropped at once without a Close passes: WSS-2 speaks about that',
      'pass',
      stopped(...three, ...left(12), ...graceful(12)),
      /exit 0/,
    ],
    [
      'dropped at once with the status of an expired grace passes where the log agrees',
      'pass',
      stopped(...three, ...left(12), ...expired(12)),
      /deadline-exceeded, exit 1/,
    ],
    [
      'dropped at once with a status that the log contradicts fails',
      'fail',
      stopped(...three, ...left(12), ...graceful(12, 1)),
      /they contradict each other/,
    ],
    [
      'any other status fails',
      'fail',
      stopped(...three, ...closed, ...graceful(12, 7)),
      /exit 7.*neither an accepted status/,
    ],
    [
      'left open, and cut with the grace: exit as grace expired',
      'pass',
      stopped(...three, ...left(2003), ...expired(2003)),
      /3 were left open.*2003 ms after the signal/,
    ],
    [
      'left open, and cut with the grace, exit 0 fails',
      'fail',
      stopped(...three, ...left(2003), ...graceful(2003)),
      /exit 0.*not the status of an expired grace/,
    ],
    [
      'that it may have been before is inconclusive',
      'inconclusive',
      stopped(...three, ...left(1955), stall(1950, 20), ...graceful(1960)),
      /may have been before/,
      {},
      'timing',
    ],
    [
      'closed by the deadline, agreeing with the log, passes',
      'pass',
      stopped(...three, ...[1, 2, 3].map((n) => socketEnd(n, 2003, { code: 1001 })), ...graceful(2010)),
      /graceful, exit 0/,
    ],
    [
      'openab-cp exits 0 where its drain expired',
      'pass',
      stopped(...three, ...left(5002), ...exit(5003, 0)),
      /exit 0/,
      { preset: 'openab-cp' },
    ],
    [
      'a process that they hold past the bound fails',
      'fail',
      stopped(...three, ...closed, ...expired(2600)),
      /2600 ms.*not below 2300 ms/,
      { cell: { lane: 'alone' } },
    ],
    [
      'at the bound it is inconclusive',
      'inconclusive',
      stopped(...three, ...closed, ...expired(2299)),
      /lies inside/,
      {},
      'timing',
    ],
    [
      'one that never ends fails',
      'fail',
      stopped(...three, ...outerTimeout()),
      /3 WebSocket\(s\).*held the process: still running/,
    ],
    [
      'one that the harness killed too soon proves nothing',
      'inconclusive',
      stopped(...three, ...outerTimeout(1500)),
      /longer outer timeout/,
    ],
    [
      'without a declared log the status alone counts',
      'pass',
      stopped(...three, ...left(12), ...exit(12, 0)),
      /a status that the stop may have/,
      { preset: 'baseline', terms: { graceMs: 2000, expiredStatus: 1 } },
    ],
    [
      'where no status of an expired grace is known none is wrong once they are cut',
      'pass',
      stopped(...three, ...left(12), ...exit(12, 143)),
      /dropped without a Close/,
      { preset: 'baseline' },
    ],
    [
      'but it is where they were closed in order',
      'fail',
      stopped(...three, ...closed, ...exit(12, 143)),
      /exit 143/,
      { preset: 'baseline' },
    ],
    [
      'closed before the signal is inconclusive',
      'inconclusive',
      stopped(...three, ...left(-50), ...graceful(12)),
      /none of 3 WebSockets/,
    ],
    [
      'a Close before the signal too',
      'inconclusive',
      stopped(
        socket('idle'),
        socketEnd(1, 0.5, { code: 1001, close: { code: 1001, reason: 'x', t: at(900) } }),
        ...graceful(12),
      ),
      /none of 1/,
    ],
    [
      'none that could be held is not exercised',
      'not exercised',
      stopped(noSocket('answered 404'), missing, ...graceful(12)),
      /no WebSocket was held.*answered 404/,
    ],
    ['none that anybody held is inconclusive', 'inconclusive', stopped(...graceful(12)), /none of 0/],
    ['without a signal it is inconclusive', 'inconclusive', [ready(), ...three], /never happened/],
  ]);
});

describe('a log that states no outcome', () => {
  checkRows(wss1, [
    ['is left to OBS-3', 'pass', stopped(...three, ...closed, ...exit(12, 0)), /no outcome was logged/],
  ]);
});

describe('WSS-5', () => {
  const deaf: readonly Entry[] = [socket('never-closes'), socketEnd(1, 2003, { code: 1001, fate: 'reset' })];
  checkRows(wss5, [
    [
      'a peer that answers no Close and is dropped passes',
      'pass',
      stopped(...deaf, ...expired(2003)),
      /1 never-closes.*deadline-exceeded/,
    ],
    [
      'and so does a graceful exit, as long as the log says so',
      'pass',
      stopped(...deaf, ...graceful(2003)),
      /graceful, exit 0/,
    ],
    [
      'a reader that stopped, dropped unseen, passes',
      'pass',
      stopped(socket('stops-reading', 1, { owed: 4_194_304 }), socketEnd(1, 2600, { fate: 'held' }), ...expired(2003)),
      /1 stops-reading/,
    ],
    [
      'one that holds the process past the bound fails, by name',
      'fail',
      stopped(...deaf, ...expired(2600)),
      /1 never-closes.*not below 2300/,
      { cell: { lane: 'alone' } },
    ],
    [
      'one that holds it for ever fails',
      'fail',
      stopped(socket('stops-reading'), ...outerTimeout()),
      /1 stops-reading\) held the process/,
    ],
    ['a wrong status fails', 'fail', stopped(...deaf, ...graceful(2003, 3)), /exit 3/],
    ['an idle one says nothing here', 'inconclusive', stopped(socket('idle'), ...graceful(12)), /none of 0/],
    [
      'a kind that is not declared is not exercised',
      'not exercised',
      stopped(noSocket('no flood is declared'), ...graceful(12)),
      /no flood/,
    ],
  ]);
});
