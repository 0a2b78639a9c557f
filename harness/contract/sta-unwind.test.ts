import { describe, expect, it } from 'vitest';
import { exit, line, outerTimeout, RECEIVED, ready, signal, SIGNAL_AT } from '../judge/testing/history-builder.ts';
import type { Entry, Setting } from '../judge/testing/history-builder.ts';
import type { Row } from '../judge/testing/judge-clause.ts';
import { judgeClause } from '../judge/testing/judge-clause.ts';
import {
  cache,
  early,
  heldStart,
  hears,
  pending,
  seenAs,
  sent,
  session,
  startedBefore,
  told,
} from '../judge/testing/start-up-builder.ts';

const alone: Setting = { cell: { lane: 'alone' } };
const half: readonly Entry[] = [...heldStart(), sent(32_768), ...[signal()], exit(20, 0)];
const whole: readonly Entry[] = [...heldStart(), sent(65_536, true), ...[signal()], exit(20, 0)];
const temporary = { name: '.values.yml.1.tmp', bytes: 32_768 };

const cached: readonly Row[] = [
  ['a cache without the file passes', 'pass', [...half, cache([])], /^no file that was served is there, 32768 bytes/],
  [
    'a temporary file beside it is allowed, and said',
    'pass',
    [...half, cache([temporary])],
    /; beside it \.values\.yml\.1\.tmp$/,
  ],
  [
    'a whole file passes',
    'pass',
    [...whole, cache([{ name: 'values.yml', bytes: 65_536, same: true }])],
    /^values\.yml whole \(65536 bytes\)/,
  ],
  [
    'half of a file fails',
    'fail',
    [...half, cache([{ name: 'values.yml', bytes: 32_768, same: false }])],
    /values\.yml is left with 32768 bytes, not what was served, of which 32768/,
  ],
  [
    'so does part of a file of which all was sent',
    'fail',
    [...whole, cache([{ name: 'values.yml', bytes: 4096, same: false }])],
    /left with 4096 bytes/,
  ],
  [
    'and one that is emptied before anything came',
    'fail',
    [...heldStart(), signal(), exit(20, 0), cache([{ name: 'values.yml', bytes: 0, same: false }])],
    /0 bytes, before anything was sent/,
  ],
  [
    'a file that the image brought says nothing where nothing was sent',
    'not exercised',
    [...heldStart(), signal(), exit(20, 0), cache([{ name: 'values.yml', bytes: 300, same: false }])],
    /nothing of a file was sent/,
  ],
  [
    'one that is longer than what was sent comes from elsewhere',
    'inconclusive',
    [...half, cache([{ name: 'values.yml', bytes: 40_000, same: false }])],
    /more than the 32768 that were sent/,
  ],
  [
    'nothing sent and nothing there is not exercised',
    'not exercised',
    [...heldStart(), signal(), exit(20, 0), cache([])],
    /nothing of a file was sent/,
  ],
  [
    'a cache that cannot be read is inconclusive',
    'inconclusive',
    [...half, cache([], 'no such folder')],
    /no such folder/,
  ],
  ['one that nobody looked into too', 'inconclusive', half, /nobody looked/],
  ['without a signal there was no trigger', 'inconclusive', [...heldStart(), exit(-20, 1), cache([])], /had ended/],
];

const registering = heldStart('registration');
const registered: readonly Entry[] = [
  ...registering,
  session('opened', -60),
  told('service/register', -55),
  ...[signal()],
];

const undone: readonly Row[] = [
  [
    'a session that closes and refused connections pass',
    'pass',
    [...registered, session('closed', 4), early(2), early(12), exit(20, 0)],
    /^1 session\(s\) closed 4 ms after the signal; new connections: 2 refused$/,
  ],
  [
    'so does a held handshake that is given up, and nothing asked later',
    'pass',
    [...registering, told('(handshake)', -55, 1, 'held'), signal(), session('closed', 21), exit(20, 0)],
    /closed 21 ms after the signal; it ended before a new connection was tried/,
  ],
  ['and a start that had nothing yet', 'pass', [...heldStart(), signal(), exit(20, 0)], /^nothing was registered/],
  [
    'a listener that is closed within the floor passes',
    'pass',
    [...registered, early(20, 503), early(60), session('closed', 200), exit(250, 0)],
    /1 answered 503, 1 refused/,
  ],
  [
    'a registration that is begun after the signal fails',
    'fail',
    [
      ...registered,
      session('closed', 4),
      session('opened', 180, 2),
      told('service/register', 190, 2),
      session('closed', 240, 2),
      exit(240, 0),
    ],
    /service\/register came at least 185 ms after the signal \(2 in all\)/,
    alone,
  ],
  [
    'beside others it is to be looked at again',
    'inconclusive',
    [...registered, session('closed', 4), session('opened', 180, 2), session('closed', 240, 2), exit(240, 0)],
    /session with the controller was opened .*measured beside others/,
  ],
  [
    'a registration in a session that is opened when the service had said that it has the signal fails by order alone',
    'fail',
    [
      ...registered,
      line(1, RECEIVED),
      session('opened', 6, 2),
      told('service/register', 8, 2),
      session('closed', 20),
      session('closed', 20, 2),
      exit(20, 0),
    ],
    /^it registered in session 2, which was opened when it had said/,
  ],
  [
    'one that was opened before it had said so does not',
    'pass',
    [
      ...registered,
      session('opened', 1, 2),
      line(2, RECEIVED),
      told('service/register', 8, 2),
      session('closed', 20),
      session('closed', 20, 2),
      exit(20, 0),
    ],
    /2 session\(s\) closed/,
  ],
  [
    'unless the service had said that it has the signal',
    'fail',
    [
      ...registered,
      line(1, RECEIVED),
      session('closed', 4),
      session('opened', 180, 2),
      session('closed', 240, 2),
      exit(240, 0),
    ],
    /session with the controller was opened at least 174 ms/,
  ],
  [
    'one that comes before the service says that it has the signal is none, however late that is',
    'pass',
    [
      ...registered,
      session('closed', 4),
      session('opened', 180, 2),
      line(170, RECEIVED),
      session('closed', 240, 2),
      exit(240, 0),
    ],
    /2 session\(s\) closed/,
    alone,
  ],
  [
    'one that was under way at the signal is none',
    'pass',
    [...registering, signal(), session('opened', 30), told('service/register', 40), session('closed', 60), exit(60, 0)],
    /1 session\(s\) closed/,
  ],
  [
    'a listener that is bound after the signal fails',
    'fail',
    [...heldStart(), signal(), early(60), early(120, 503), exit(240, 0)],
    /1 connections were answered, .*when they had been refused after it/,
    alone,
  ],
  [
    'one that may have been bound right before it does not',
    'pass',
    [...heldStart(), signal(), early(20), early(40, 503), exit(240, 0)],
    /1 refused, 1 answered 503/,
    alone,
  ],
  [
    'connections that are answered beyond the floor fail',
    'fail',
    [...registered, early(900, 503), session('closed', 950), exit(960, 0)],
    /the last at least 895 ms after the signal, with 300 ms/,
    alone,
  ],
  [
    'a session that nobody saw closed is inconclusive',
    'inconclusive',
    [...registered, exit(20, 0), session('closed', 5000)],
    /session 1 with the controller was not seen closed/,
  ],
  [
    'a start that goes on is for STA-2',
    'not exercised',
    [...registered, seenAs(hears, 40), outerTimeout(3000)],
    /STA-2 speaks about it/,
  ],
  [
    'a service that was ready had no start to abort',
    'not exercised',
    [...startedBefore(), pending('bootstrap', 500), ready(SIGNAL_AT - 20), signal(), exit(20, 0)],
    /ready before the signal/,
  ],
  [
    'one that was not seen pending tells nothing',
    'inconclusive',
    [...startedBefore(), signal(), exit(20, 0)],
    /not seen pending/,
  ],
];

describe.each([
  ['STA-5', cached],
  ['STA-6', undone],
] as const)('%s', (id, rows) => {
  for (const [promise, outcome, entries, seen, setting = {}] of rows) {
    it(promise, () => {
      expect(judgeClause(id, setting, entries)).toMatchObject({ outcome, seen: expect.stringMatching(seen) });
    });
  }
});
