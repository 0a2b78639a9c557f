import { describe, expect, it } from 'vitest';
import { exit, outerTimeout, ready, SIGNAL_AT } from '../judge/testing/history-builder.ts';
import type { Entry, Setting } from '../judge/testing/history-builder.ts';
import type { Row } from '../judge/testing/judge-clause.ts';
import { judgeClause } from '../judge/testing/judge-clause.ts';
import { early, startedBefore } from '../judge/testing/start-up-builder.ts';

const alone: Setting = { cell: { lane: 'alone' } };
const bad: readonly Entry[] = [startedBefore(), early(-100)];
const failing: Entry = { kind: 'bootstrap.listening', t: 0, url: 'http://10.0.0.1:9000', behaviour: 'fails' };
const refusing: Entry = {
  kind: 'controller.listening',
  t: 0,
  url: 'http://10.0.0.1:9000',
  behaviour: 'refuses-registration',
};

const rows: readonly Row[] = [
  [
    'an end with a status other than 0 passes',
    'pass',
    [...bad, exit(20, 78)],
    /^with the bad configuration: exit 78 622 ms after its start, never ready and nothing served$/,
  ],
  ['exit 0 fails', 'fail', [...bad, exit(20, 0)], /exit 0 .*although it never was ready/],
  [
    'becoming ready all the same fails',
    'fail',
    [...bad, ready(SIGNAL_AT - 50), outerTimeout(500)],
    /became ready all the same/,
  ],
  ['serving before it fails too', 'fail', [...bad, early(-50, 200), exit(20, 1)], /served 1 requests although/],
  [
    'neither up nor at an end, alone, fails',
    'fail',
    [...bad, outerTimeout(15_000)],
    /neither ready nor at an end 15600 ms/,
    alone,
  ],
  [
    'beside others it is to be looked at again',
    'inconclusive',
    [...bad, outerTimeout(15_000)],
    /measured beside others/,
  ],
  ['SIGKILL by another proves nothing', 'inconclusive', [...bad, exit(20, 137)], /137/],
  ['an end whose status is not known neither', 'inconclusive', bad, /never confirmed/],
  ['nor a container that was not started', 'inconclusive', [early(-100)], /was not started/],
  [
    'readiness that is only assumed proves nothing against it',
    'not exercised',
    [...bad, ready(SIGNAL_AT - 50), outerTimeout(500)],
    /only assumed/,
    { ready: { kind: 'settled', afterMs: 1000, origin: 'nothing' } },
  ],
  [
    'without a config server a service may start from what it has',
    'not exercised',
    [failing, ...bad, ready(SIGNAL_AT - 50), outerTimeout(500)],
    /config server fails, nothing is cached: it starts without/,
  ],
  [
    'if it ends, then not with 0',
    'fail',
    [failing, ...bad, exit(20, 0)],
    /config server fails, nothing is cached: exit 0/,
  ],
  [
    'a refused registration may be tried again',
    'not exercised',
    [refusing, ...bad, outerTimeout(8000)],
    /goes on trying/,
  ],
  ['or end the start', 'pass', [refusing, ...bad, exit(20, 1)], /registration is refused: exit 1/],
];

describe('STA-11', () => {
  for (const [promise, outcome, entries, seen, setting = {}] of rows) {
    it(promise, () => {
      expect(judgeClause('STA-11', setting, entries)).toMatchObject({ outcome, seen: expect.stringMatching(seen) });
    });
  }
});
