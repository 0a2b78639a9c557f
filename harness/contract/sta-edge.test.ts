import { describe, expect, it } from 'vitest';
import { exit, line, outerTimeout, RECEIVED, ready, signal, SIGNAL_AT } from '../judge/testing/history-builder.ts';
import type { Entry, Setting } from '../judge/testing/history-builder.ts';
import type { Row } from '../judge/testing/judge-clause.ts';
import { judgeClause } from '../judge/testing/judge-clause.ts';
import {
  deaf,
  early,
  heldStart,
  hears,
  pending,
  released,
  seenAs,
  startedBefore,
} from '../judge/testing/start-up-builder.ts';

const alone: Setting = { cell: { lane: 'alone' } };
const baseline: Setting = { preset: 'baseline' };
const edge: readonly Entry[] = [...heldStart('registration'), released(), ...[signal()]];
const atReady: readonly Entry[] = [startedBefore(), ready(SIGNAL_AT - 5), ...[signal()]];

const rows: readonly Row[] = [
  [
    'an end soon after the answer that the start waited for passes',
    'pass',
    [...edge, early(6), exit(20, 0)],
    /^SIGTERM 2 ms after the answer that its start waited for: exit 0 \(asked after it: 1 refused\) after 20 ms/,
  ],
  [
    'so does the stop of a service that has become ready, and that is said',
    'pass',
    [...heldStart('registration'), released('registration', 12), ready(SIGNAL_AT - 5), signal(), exit(400, 0)],
    /ready before it: exit 0 \(nothing was asked after it\)/,
  ],
  ['at the first ready answer too', 'pass', [...atReady, exit(20, 0)], /^SIGTERM 3 ms after readiness: exit 0/],
  [
    'a request that was under way at the signal may be answered',
    'pass',
    [...atReady, early(-1, 200), early(3, 200), early(30, 503), exit(60, 0)],
    /asked after it: 1 answered 200, 1 answered 503/,
  ],
  [
    'a 2xx to what was asked well after it fails',
    'fail',
    [...edge, early(90, 200), exit(200, 0)],
    /1 requests were answered 2xx .*at least 85 ms after it \(50 ms allowed\)/,
    alone,
  ],
  [
    'beside others it is to be looked at again',
    'inconclusive',
    [...edge, early(90, 200), exit(200, 0)],
    /measured beside others/,
  ],
  [
    'unless the service had said that it has the signal',
    'fail',
    [...edge, line(10, RECEIVED), early(90, 200), exit(200, 0)],
    /at least 75 ms after it/,
  ],
  ['or it is later than any stop', 'fail', [...edge, early(1100, 200), exit(1200, 0)], /at least 1095 ms after it/],
  [
    'one that comes before the service says that it has the signal is none, however late that is',
    'pass',
    [...edge, early(90, 200), line(95, RECEIVED), exit(200, 0)],
    /asked after it: 1 answered 200/,
    alone,
  ],
  [
    'where new work may be served for a declared time it may be here',
    'pass',
    [...atReady, early(600, 200), exit(1200, 0)],
    /1 answered 200/,
    { terms: { serveAfterMs: 900, stopBoundMs: 3000, stopGoalMs: 3000 } },
  ],
  [
    'a signal without effect fails',
    'fail',
    [...edge, seenAs(hears, 40), outerTimeout()],
    /was lost: still running 9998 ms later/,
  ],
  ['at the first ready answer too, seen or not', 'fail', [...atReady, outerTimeout()], /was lost/],
  [
    'one that comes before there is a handler is for the deaf window to tell',
    'not exercised',
    [...startedBefore(), pending('registration'), seenAs(deaf), released(), signal(), outerTimeout()],
    /no handler for it yet \(STA-9\)/,
  ],
  ['an end later than that of any stop fails', 'fail', [...edge, exit(4000, 0)], /not below 2300 ms/],
  [
    'a status of neither kind of end fails',
    'fail',
    [...edge, exit(20, 1)],
    /exit 1, neither an abort of the start nor a stop/,
  ],
  ['in baseline the status is another clause’s', 'pass', [...atReady, exit(20, 143)], /exit 143/, baseline],
  ['another’s SIGKILL fails', 'fail', [...edge, exit(20, 137)], /137/],
  [
    'a signal while the peer still holds the start is not on the edge',
    'inconclusive',
    [...heldStart('registration'), signal(), exit(20, 0)],
    /not about to be ready/,
  ],
  [
    'readiness that is only assumed has no edge',
    'not exercised',
    [...atReady, exit(20, 0)],
    /only assumed/,
    { ready: { kind: 'settled', afterMs: 1000, origin: 'nothing' } },
  ],
  ['without a signal there was no trigger', 'inconclusive', [...heldStart('registration'), exit(-20, 1)], /had ended/],
];

describe('STA-4', () => {
  for (const [promise, outcome, entries, seen, setting = {}] of rows) {
    it(promise, () => {
      expect(judgeClause('STA-4', setting, entries)).toMatchObject({ outcome, seen: expect.stringMatching(seen) });
    });
  }
});
