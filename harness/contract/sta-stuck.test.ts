import { describe, expect, it } from 'vitest';
import { at, exit, line, logComplete, outerTimeout, signal, SIGNAL_AT } from '../judge/testing/history-builder.ts';
import type { Entry, Setting } from '../judge/testing/history-builder.ts';
import type { Row } from '../judge/testing/judge-clause.ts';
import { judgeClause } from '../judge/testing/judge-clause.ts';
import { deaf, heldStart, hears, pending, seenAs, startedBefore } from '../judge/testing/start-up-builder.ts';

const alone: Setting = { cell: { lane: 'alone' } };
const held = heldStart();
const EXPIRED = 'light-runtime: startup abort deadline exceeded';
const said = [line(250, EXPIRED, { stream: 'stderr' }), logComplete()];
const waited = (waitedMs: number): Entry => ({
  kind: 'cpu.pressure',
  of: 'container',
  t: at(SIGNAL_AT - 5),
  waitedMs,
});
const second = (afterMs: number, name = 'TERM'): Entry => signal(name, SIGNAL_AT + afterMs, 'script', 2);

const stuck: readonly Row[] = [
  [
    'exit 1 at the floor, said on stderr, passes',
    'pass',
    [...held, signal(), exit(253, 1), ...said],
    /^SIGTERM while it waited for the config server: exit 1 after 253 ms .*, said on stderr$/,
  ],
  [
    'exit 1 before the floor, said, passes too',
    'pass',
    [...held, signal(), exit(90, 1), ...said],
    /exit 1 after 90 ms/,
  ],
  [
    "waiting for the resource's own time-out fails",
    'fail',
    [...held, signal(), exit(2003, 1), ...said],
    /exit 1 after 2003 ms .*not below 300 ms/,
    alone,
  ],
  [
    'beside others it is to be measured again',
    'inconclusive',
    [...held, signal(), exit(2003, 1), ...said],
    /measured beside others/,
  ],
  ['exit 0 at the floor fails', 'fail', [...held, signal(), exit(253, 0), ...said], /exit 0, not 1/],
  ['any other status fails', 'fail', [...held, signal(), exit(253, 143), ...said], /exit 143, not 1/],
  [
    'exit 0 long before the floor shows that there was nothing stuck',
    'inconclusive',
    [...held, signal(), exit(20, 0), logComplete()],
    /trigger never happened: .*the declared fault did not show/,
  ],
  [
    'without a word on stderr it fails',
    'fail',
    [...held, signal(), exit(253, 1), line(250, EXPIRED), logComplete()],
    /stderr never says that the abort took too long/,
  ],
  [
    'a record of stderr that is not whole leaves it open',
    'inconclusive',
    [...held, signal(), exit(253, 1), logComplete([], 'gone')],
    /stderr was not seen to say so, but/,
  ],
  [
    'without a pattern it is not exercised',
    'not exercised',
    [...held, signal(), exit(253, 1), ...said],
    /no log pattern `startUpExpired`/,
    { preset: 'baseline' },
  ],
  [
    'a limit inside the uncertainty decides nothing',
    'inconclusive',
    [...held, signal(), exit(299, 1), ...said],
    /lies inside it/,
    alone,
  ],
  [
    'never ending fails',
    'fail',
    [...held, signal(), seenAs(hears, 40), outerTimeout(5000)],
    /the harness sent SIGKILL/,
  ],
  [
    'a loss in the deaf window is not its matter',
    'not exercised',
    [...startedBefore(), pending(), seenAs(deaf), signal(), outerTimeout(5000)],
    /STA-9/,
  ],
  [
    'a start that nothing holds is no such abort',
    'inconclusive',
    [...startedBefore(), signal(), exit(253, 1), ...said],
    /nothing held the start-up/,
  ],
  ['without a signal there was no trigger', 'inconclusive', [...held, exit(-20, 1)], /had ended by itself/],
];

const twice: readonly Row[] = [
  [
    'an end at the floor of the first signal passes',
    'pass',
    [...held, signal(), second(150), exit(252, 1)],
    /^SIGTERM 150 ms after SIGTERM while it waited for the config server: exit 1, counted from the first, after 252 ms/,
  ],
  [
    'so does one that the second shortened, also in the middle of its call',
    'pass',
    [...held, signal(), second(150, 'INT'), exit(149, 1)],
    /^SIGINT 150 ms after SIGTERM .* after 149 ms/,
  ],
  [
    'on a machine on which its start had waited as long for a processor it is to be measured again',
    'inconclusive',
    [...held, waited(200), signal(), second(150), exit(402, 1)],
    /when its start had waited for a processor for 30 % of its time/,
    alone,
  ],
  [
    'where it had waited for less it is not',
    'fail',
    [...held, waited(60), signal(), second(150), exit(402, 1)],
    /not below 300 ms/,
    alone,
  ],
  [
    'a floor that the second begins anew fails',
    'fail',
    [...held, signal(), second(150), exit(402, 1)],
    /not below 300 ms/,
    alone,
  ],
  [
    'beside others it is to be measured again',
    'inconclusive',
    [...held, signal(), second(150), exit(402, 1)],
    /measured beside others/,
  ],
  [
    'never ending fails',
    'fail',
    [...held, signal(), second(150), seenAs(hears, 40), outerTimeout(5000)],
    /the harness sent SIGKILL/,
  ],
  [
    'a second signal around the end of the floor may have come too late',
    'inconclusive',
    [...held, signal(), second(256), exit(255, 1)],
    /whether the second came before that is not known/,
  ],
  [
    'an abort that was over before it shows nothing',
    'not exercised',
    [...held, signal(), exit(20, 0)],
    /did not hold the abort/,
  ],
  [
    'one that was over at the floor when no second had come was not exercised in time',
    'inconclusive',
    [...held, signal(), exit(253, 1)],
    /sent too late/,
  ],
  [
    'a second signal that the engine refused is none',
    'inconclusive',
    [
      ...held,
      signal(),
      {
        kind: 'signal.failed',
        t: SIGNAL_AT * 1e6 + 151e6,
        n: 2,
        signal: 'INT',
        purpose: 'script',
        message: 'no such API',
        ended: false,
      },
      exit(253, 1),
    ],
    /could not be delivered \(no such API\)/,
  ],
];

describe.each([
  ['STA-3', stuck],
  ['STA-10', twice],
] as const)('%s', (id, rows) => {
  for (const [promise, outcome, entries, seen, setting = {}] of rows) {
    it(promise, () => {
      expect(judgeClause(id, setting, entries)).toMatchObject({ outcome, seen: expect.stringMatching(seen) });
    });
  }
});

describe('what is measured again', () => {
  it.each([
    ['STA-3', [...held, signal(), exit(330, 1), ...said], true],
    ['STA-3', [...held, signal(), exit(20, 0)], false],
    ['STA-10', [...held, signal(), second(150), exit(402, 1)], true],
    ['STA-10', [...held, signal(), second(256), exit(255, 1)], true],
    ['STA-10', [...held, signal(), exit(253, 1)], true],
  ] as const)('%s: only what time leaves open (%#)', (id, entries, again) => {
    expect(judgeClause(id, {}, entries).timing ?? false).toBe(again);
  });
});
