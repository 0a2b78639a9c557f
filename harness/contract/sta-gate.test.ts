import { describe, expect, it } from 'vitest';
import { at, exit, ready, signal, SIGNAL_AT } from '../judge/testing/history-builder.ts';
import type { Entry } from '../judge/testing/history-builder.ts';
import type { Row } from '../judge/testing/judge-clause.ts';
import { judgeClause } from '../judge/testing/judge-clause.ts';
import { early, pending, released, startedBefore } from '../judge/testing/start-up-builder.ts';

/** Held by both peers one after the other, until 100 ms before the signal. */
const both: readonly Entry[] = [
  startedBefore(),
  early(-590),
  pending('bootstrap', 500),
  released('bootstrap', 350),
  pending('registration', 300),
  released('registration', 100),
];
const up: readonly Entry[] = [ready(SIGNAL_AT - 90), ...[signal()], exit(20, 0)];

const rows: readonly Row[] = [
  [
    'refusals and 503 before readiness, and 2xx after it, pass',
    'pass',
    [...both, early(-450), early(-250, 503), early(-50, 200), ...up],
    /^GET \/ before it was ready: 2 refused, 1 answered 503; after it 1 answered 2xx$/,
  ],
  [
    'a 2xx while the config server holds the start fails',
    'fail',
    [...both, early(-450, 200), early(-250, 503), early(-50, 200), ...up],
    /1 requests \(GET \/\) were answered 2xx before it was ready/,
  ],
  [
    'so does one while the controller does',
    'fail',
    [...both, early(-450), early(-250, 204), early(-50, 200), ...up],
    /were answered 2xx before it was ready/,
  ],
  [
    'and one of a service that never becomes ready',
    'fail',
    [startedBefore(), pending('bootstrap', 500), early(-450, 200), exit(20, 1)],
    /were answered 2xx before it was ready, while it waited for the config server/,
  ],
  [
    'between the release and the first look that saw it ready it may serve',
    'pass',
    [...both, early(-450), early(-250), early(-96, 200), ...up],
    /after it 1 answered 2xx/,
  ],
  [
    'a look that began before the release and saw it ready after it is no readiness before, nor is what it overlaps',
    'pass',
    [
      ...both,
      early(-450),
      early(-250),
      early(-102, 200),
      { kind: 'ready', begin: at(SIGNAL_AT - 103), t: at(SIGNAL_AT - 95), by: 'http', attempts: 3, answers: 1 },
      ...[signal()],
      exit(20, 0),
    ],
    /after it 1 answered 2xx/,
  ],
  [
    'a request across the release proves nothing against it',
    'pass',
    [...both, early(-450), early(-250), early(-100.8, 200), ...up],
    /after it 1 answered 2xx/,
  ],
  [
    'a start that does not wait for the peer has no such gate',
    'not exercised',
    [
      startedBefore(),
      pending('bootstrap', 500),
      early(-450),
      ready(SIGNAL_AT - 300),
      early(-200, 200),
      signal(),
      exit(20, 0),
    ],
    /became ready while it waited for the config server/,
  ],
  [
    'a route that is never answered 2xx proves nothing',
    'not exercised',
    [...both, early(-450, 404), early(-250, 404), early(-50, 404), ...up],
    /was not answered 2xx later either/,
  ],
  [
    'a start that is never complete proves nothing',
    'inconclusive',
    [...both, early(-450), early(-250), exit(20, 1)],
    /never became ready/,
  ],
  [
    'a wait in which nothing was asked neither',
    'inconclusive',
    [...both, early(-450), early(-50, 200), ...up],
    /nothing was asked while it waited for the controller/,
  ],
  [
    'nor a start in which nothing was',
    'inconclusive',
    [startedBefore(), pending(), ...up],
    /nothing was asked while it started/,
  ],
  [
    'nor one that was never held',
    'inconclusive',
    [startedBefore(), early(-450), early(-50, 200), ...up],
    /never seen pending/,
  ],
];

describe('STA-7', () => {
  for (const [promise, outcome, entries, seen] of rows) {
    it(promise, () => {
      expect(judgeClause('STA-7', {}, entries)).toMatchObject({ outcome, seen: expect.stringMatching(seen) });
    });
  }
});
