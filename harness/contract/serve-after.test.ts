import { describe, expect, it } from 'vitest';
import { checkRows, checkWindowRows } from '../judge/testing/clause-rows.suite.ts';
import type { Entry, Setting } from '../judge/testing/history-builder.ts';
import { at, exit, ready, signal, SIGNAL_AT } from '../judge/testing/history-builder.ts';
import { checkClause } from '../judge/testing/judge-clause.ts';
import type { WindowRow } from '../judge/testing/window-builder.ts';
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
import { answered, finished, held } from '../judge/testing/work-builder.ts';
import { adm6 } from './adm-control.ts';
import { adm3, adm5 } from './adm-gate.ts';
import { adm9 } from './adm-half-headers.ts';
import { adm4, adm8 } from './adm-listener.ts';
import { adm1, adm2 } from './adm-refusal.ts';
import { drn8 } from './drn-answers.ts';
import { drn9, drn9Fast } from './drn-exit.ts';
import { sig1Fast } from './sig.ts';

/* The policy serveAfter: new work may be served for a declared time after the signal, and no longer. */

const SECOND: Setting = { preset: 'baseline', terms: { serveAfterMs: 1000 } };
const BASELINE: Setting = { preset: 'baseline' };
const before: readonly Entry[] = [ready(), probeStarted(), served(-100, 0)];
const ended = (afterMs: number): readonly Entry[] => [exit(afterMs, 0), probeEnded(afterMs)];
const window = (...inside: readonly Entry[]): readonly Entry[] => [...before, signal(), ...inside, ...ended(1450)];
const hung = (from: number, to: number): Entry => samples('new', from, to, { outcome: 'hung' });
/** Connections that wait in the backlog until the process is gone, 450 ms after the signal. */
const waiting = (from: number, to: number): Entry =>
  samples('new', from, to, { outcome: 'reset', by: 'RST', t: at(SIGNAL_AT + 450) });

const styles: readonly WindowRow[] = [
  [
    '503 at once and a close pass without a declaration',
    'pass',
    window(turnedAway(5, 400), refusedConnects(405, 1400)),
    /none of \d+ requests sent later was served/,
    BASELINE,
  ],
  [
    'immediate refusal passes without a declaration',
    'pass',
    window(refusedConnects(5, 1400)),
    /new work was refused or dropped/,
    BASELINE,
  ],
  [
    'serving on without a declaration fails, with the line to declare',
    'fail',
    window(served(0, 900), refusedConnects(905, 1400)),
    /served .*\(50 ms allowed\); where it is meant to serve on, declare terms: \{ serveAfter: 1s \}$/,
    BASELINE,
  ],
  ['serving on for longer asks for whole seconds', 'fail', window(served(0, 1400)), /serveAfter: 2s/, BASELINE],
  [
    'serving on within what is declared, and a close, pass',
    'pass',
    window(served(0, 900), refusedConnects(905, 1400)),
    /new work was refused or dropped/,
    SECOND,
  ],
  [
    'within what is declared and 503 before a close passes',
    'pass',
    window(served(0, 900), turnedAway(905, 1000), refusedConnects(1005, 1400)),
    /gate closed 89\d/,
    SECOND,
  ],
  [
    'serving beyond what is declared fails',
    'fail',
    window(served(0, 1700), refusedConnects(1705, 1800)),
    /served .* at least 16\d\d.* ms after the signal \(1050 ms allowed\); .*serveAfter: 2s/,
    SECOND,
  ],
  [
    'narrowly beyond it is measured again',
    'timing',
    window(served(0, 1200), refusedConnects(1205, 1400)),
    /\(1050 ms allowed\), measured beside others/,
    SECOND,
  ],
  [
    'a 503 and then a 2xx fails whatever is declared',
    'fail',
    window(turnedAway(5, 100), served(105, 300), refusedConnects(305, 1400)),
    /sent when a 503 had come already/,
    SECOND,
  ],
  [
    'a listener that is still open after it fails, also where it answers 503',
    'fail',
    window(served(0, 900), turnedAway(905, 2400)),
    /connects succeeded, the last at least .* after the signal \(1150 ms allowed\) and none was refused/,
    SECOND,
  ],
  [
    'one that is open narrowly longer is measured again',
    'timing',
    window(served(0, 900), turnedAway(905, 1300), refusedConnects(1305, 1400)),
    /measured beside others/,
    SECOND,
  ],
];
checkWindowRows(adm5, styles);

const blackHoles: readonly WindowRow[] = [
  [
    'connects that hang are tried again, alone',
    'timing',
    window(hung(60, 300)),
    /left hanging.*beside others/,
    BASELINE,
  ],
  [
    'accepted connects that hang fail',
    'fail',
    window(hung(60, 300)),
    /48 new connections were left hanging/,
    { ...BASELINE, ...ALONE },
  ],
  [
    'connects that nobody takes fail where they are many',
    'fail',
    window(samples('new', 60, 300, { outcome: 'hung', connectedAt: undefined, sentBegin: undefined })),
    /left hanging/,
    { ...BASELINE, ...ALONE },
  ],
  [
    'few of them may be lost packets',
    'timing',
    window(
      refusedConnects(5, 1400),
      samples('new', 60, 70, { outcome: 'hung', connectedAt: undefined, sentBegin: undefined }),
    ),
    /2 connects got no answer of any kind/,
    BASELINE,
  ],
  [
    'ones that wait in the backlog until the end fail',
    'fail',
    [...before, signal(), waiting(60, 160), waiting(430, 445), ...ended(450)],
    /left hanging/,
    { ...BASELINE, ...ALONE },
  ],
  [
    'ones that are dropped at once are turned away',
    'pass',
    window(samples('new', 5, 1400, { outcome: 'reset', by: 'RST' })),
    /refused or dropped/,
    BASELINE,
  ],
  [
    'within the tolerance nothing is said of them',
    'pass',
    window(hung(5, 30), refusedConnects(60, 1400)),
    /refused/,
    BASELINE,
  ],
  [
    'they fail in the time of serving on too',
    'fail',
    window(served(0, 300), hung(305, 600)),
    /left hanging/,
    { ...SECOND, ...ALONE },
  ],
  ['they fail under light-fabric as well', 'fail', window(turnedAway(5, 100), hung(105, 300)), /left hanging/, ALONE],
];
checkWindowRows(adm5, blackHoles);

describe('what may still be served is no failure of', () => {
  const ack: readonly Entry[] = [...controller(), ...before, signal(), goodbye(3), acknowledged(203)];
  const serving: Setting = { terms: { graceMs: 5000, serveAfterMs: 1000 } };
  const refused = [
    samples('new', 905, 1000, { status: 503, headers: REFUSAL }),
    samples('kept', 905, 1000, { status: 503, headers: REFUSAL }),
  ];
  const ready503 = sample('new', 950, { purpose: 'readiness', request: 'GET /health', status: 503 });
  const half: readonly Entry[] = [
    held('half-headers-1', { admitted: false }),
    finished('half-headers-1', 500),
    answered('half-headers-1', 503),
  ];
  it.each([
    ['ADM-1', adm1, window(served(0, 900), ...refused, refusedConnects(1005, 1400)), 'pass', 'fail'],
    ['ADM-2', adm2, window(served(0, 900), ...refused, refusedConnects(1005, 1400)), 'pass', 'fail'],
    ['ADM-3', adm3, [...ack, served(0, 900), turnedAway(905, 1400), ...ended(1450)], 'pass', 'fail'],
    ['ADM-4', adm4, window(served(0, 900), refusedConnects(905, 1400)), 'pass', 'fail'],
    [
      'ADM-6',
      adm6,
      window(
        sample('new', 400, { purpose: 'readiness', request: 'GET /health' }),
        served(0, 900),
        ...refused,
        ready503,
      ),
      'pass',
      'fail',
    ],
    ['ADM-8', adm8, [ready(), probeStarted(), signal(), ...ended(1100)], 'pass', 'fail'],
    ['ADM-9', adm9, window(...half, served(0, 900), ...refused), 'timing', 'fail'],
    ['SIG-1-fast', sig1Fast, [ready(), signal(), exit(1500, 0)], 'pass', 'fail'],
  ] as const)('%s', (_, clause, entries, declared, undeclared) => {
    const outcome = (setting: Setting): string => {
      const finding = checkClause(clause, setting, entries);
      return finding.timing === true ? 'timing' : finding.outcome;
    };
    expect(outcome(serving)).toBe(declared);
    expect(outcome({ terms: { graceMs: 5000 } })).toBe(undeclared);
  });

  it('ADM-8, which still fails beyond it', () => {
    expect(checkClause(adm8, serving, [ready(), probeStarted(), signal(), ...ended(3000)])).toMatchObject({
      outcome: 'fail',
      limitMs: 1300,
    });
  });

  it('ADM-4, which counts from the acknowledgement where that comes later', () => {
    const late: readonly Entry[] = [...controller(), ...before, signal(), goodbye(3), acknowledged(1500)];
    const inTime = [...late, turnedAway(5, 1505), refusedConnects(1510, 1900), ...ended(1950)];
    expect(checkClause(adm4, serving, inTime)).toMatchObject({
      outcome: 'pass',
      seen: expect.stringMatching(/acknowledgement/),
    });
    const early = [...ack, served(0, 900), refusedConnects(905, 1400), ...ended(1450)];
    expect(checkClause(adm4, serving, early)).toMatchObject({
      outcome: 'pass',
      seen: expect.stringMatching(/from the signal/),
    });
  });
});

describe('the drain begins when new work is no longer served:', () => {
  const work = (afterMs: number, connection: string): readonly Entry[] => [
    held('slow-body-1'),
    finished('slow-body-1', afterMs - 3),
    answered('slow-body-1', afterMs, { headers: { connection } }),
  ];
  const run = (...entries: readonly Entry[]): readonly Entry[] => [ready(), ...signal(), ...entries];
  checkRows(drn8, [
    [
      'an answer before it may keep its connection alive',
      'inconclusive',
      run(...work(500, 'keep-alive'), ...exit(1200, 0)),
      /no HTTP\/1.1 answer/,
      SECOND,
    ],
    ['one after it may not', 'fail', run(...work(1300, 'keep-alive'), ...exit(1350, 0)), /keep-alive/, SECOND],
  ]);
  checkRows(drn9, [
    [
      'an exit soon after it follows the last work',
      'pass',
      run(...work(500, 'close'), ...exit(1600, 0)),
      /exit 0/,
      SECOND,
    ],
    ['one long after it does not', 'fail', run(...work(500, 'close'), ...exit(2800, 0)), /not below 1000 ms/, SECOND],
    [
      'after work that lasted longer that counts',
      'fail',
      run(...work(1500, 'close'), ...exit(3300, 0)),
      /1800 ms .*not below/,
      SECOND,
    ],
    [
      'undeclared it does not either',
      'fail',
      run(...work(500, 'close'), ...exit(2100, 0)),
      /not below 1000 ms/,
      BASELINE,
    ],
  ]);
  checkRows(drn9Fast, [
    ['nor is the goal missed', 'pass', run(...work(500, 'close'), ...exit(1100, 0)), /exit 0/, SECOND],
  ]);
});
