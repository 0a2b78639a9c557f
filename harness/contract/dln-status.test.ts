import { describe, expect, it } from 'vitest';
import type { Fate } from '../model/observation.ts';
import { judgeClause } from '../judge/testing/judge-clause.ts';
import type { Row } from '../judge/testing/judge-clause.ts';
import {
  at,
  EXCEEDED,
  exit,
  line,
  logComplete,
  outerTimeout,
  ready,
  signal,
  SIGNAL_AT,
} from '../judge/testing/history-builder.ts';
import type { Entry } from '../judge/testing/history-builder.ts';

const held: Entry = { kind: 'work.held', t: at(800), id: 'w1', shape: 'slow-request', how: 'POST /' };
const failed: Entry = {
  kind: 'work.failed',
  t: at(800),
  id: 'w1',
  shape: 'slow-request',
  tried: ['POST /'],
  message: '404',
};
const lost = (afterMs: number, fate: Fate): Entry => ({
  kind: 'work.ended',
  t: at(SIGNAL_AT + afterMs),
  id: 'w1',
  shape: 'slow-request',
  fate,
});
const said = line(2001, EXCEEDED, { stream: 'stderr' });
const busy = (...entries: readonly Entry[]): readonly Entry[] => [ready(), held, ...signal(), ...entries];
const cut = (code: number, ...more: readonly Entry[]): readonly Entry[] =>
  busy(lost(2002, 'closed'), ...more, ...exit(2005, code));

describe('DLN-2', () => {
  const rows: readonly Row[] = [
    [
      'an expired grace with its status, said on stderr, passes',
      'pass',
      cut(1, said, logComplete()),
      /exit 1 .* said on stderr/,
    ],
    ['work still held when the record stopped counts', 'pass', busy(said, ...exit(2005, 1), logComplete()), /exit 1/],
    [
      'an end before the grace of which the two clocks tell different times is inconclusive',
      'inconclusive',
      busy(lost(1503, 'closed'), said, ...exit(1505, 0, { finishedMs: 2105 }), logComplete()),
      /trigger never happened: the work was lost/,
    ],
    ['exit 0 fails', 'fail', cut(0, said, logComplete()), /exit 0 with work in flight/],
    ['silence on stderr fails', 'fail', cut(1, logComplete()), /stderr never says/],
    ['saying it on stdout is not enough', 'fail', cut(1, line(2001, EXCEEDED), logComplete()), /stderr never says/],
    ['silence with an incomplete log is inconclusive', 'inconclusive', cut(1), /was not read/],
    ['the SIGKILL of the outer timeout fails', 'fail', busy(...outerTimeout()), /harness sent SIGKILL/],
    [
      'an end past the hard deadline fails',
      'fail',
      busy(lost(2002, 'closed'), said, ...exit(3600, 1), logComplete()),
      /exit 1 .* after 3600 ms .*not below 2300 ms/,
    ],
    [
      'an end at the hard deadline is inconclusive',
      'inconclusive',
      busy(lost(2002, 'closed'), said, ...exit(2298, 1), logComplete()),
      /2300 ms lies inside/,
    ],
    [
      'cp: an end past grace and listener fails',
      'fail',
      busy(lost(5003, 'closed'), ...exit(9100, 0)),
      /not below 6050 ms/,
      { preset: 'openab-cp' },
    ],
    ['137 fails', 'fail', cut(137, said, logComplete()), /137/],
    [
      'cp: exit 0 is the status',
      'pass',
      busy(lost(5003, 'closed'), ...exit(5010, 0)),
      /exit 0/,
      { preset: 'openab-cp' },
    ],
    ['cp: exit 1 fails', 'fail', busy(lost(5003, 'closed'), ...exit(5010, 1)), /exit 1/, { preset: 'openab-cp' }],
    [
      'work cut early by a fast exit 0 fails',
      'fail',
      busy(lost(9, 'reset'), ...exit(10, 0)),
      /cut 9 ms after .*exit 0.*not at the grace/,
    ],
    [
      'work cut early fails with the right status too',
      'fail',
      busy(lost(9, 'closed'), ...exit(10, 1)),
      /exit 1.*not at the grace/,
    ],
    ['an early exit without the fate of the work fails', 'fail', busy(...exit(10, 0)), /cut 10 ms/],
    [
      'work answered early is no trigger',
      'inconclusive',
      busy(lost(300, 'answered'), ...exit(310, 0)),
      /all work was answered/,
    ],
    [
      'work lost while the service went on is no trigger',
      'inconclusive',
      busy(lost(300, 'reset'), ...exit(2100, 0)),
      /\(reset\) 300 ms/,
    ],
    ['no work is no trigger', 'inconclusive', [ready(), ...signal(), ...exit(10, 0)], /no work was in flight/],
    ['no signal is inconclusive', 'inconclusive', [ready(), held], /trigger/],
    ['an unknown end is inconclusive', 'inconclusive', busy(), /never confirmed/],
    [
      'work that cannot be held is not exercised',
      'not exercised',
      [ready(), failed, ...signal(), ...exit(10, 0)],
      /could be held.*404/,
    ],
    ['without a grace it is not exercised', 'not exercised', cut(1), /no grace/, { preset: 'baseline' }],
  ];
  for (const [promise, outcome, entries, seen, setting = {}] of rows) {
    it(promise, () => {
      const finding = judgeClause('DLN-2', setting, entries);
      expect(finding).toMatchObject({ outcome, seen: expect.stringMatching(seen) });
      expect(finding.timing ?? false).toBe(/at the hard deadline/.test(promise));
      if (outcome === 'not exercised') expect(finding.declare).toMatch(/endpoints: |grace: /);
    });
  }
});
