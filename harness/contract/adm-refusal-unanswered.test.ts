import { describe, expect, it } from 'vitest';
import { checkWindowRows } from '../judge/testing/clause-rows.suite.ts';
import { checkClause } from '../judge/testing/judge-clause.ts';
import type { Entry } from '../judge/testing/history-builder.ts';
import { exit, ready, signal } from '../judge/testing/history-builder.ts';
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
import { adm1, adm2 } from './adm-refusal.ts';

const window = (...inside: readonly Entry[]): readonly Entry[] => [
  ...controller(),
  ready(),
  probeStarted(),
  served(-100, 0),
  signal(),
  ...inside,
  goodbye(3),
  acknowledged(403),
  refusedConnects(406, 420),
  exit(420, 0),
  probeEnded(420),
];
const unheard = { outcome: 'hung', connectedAt: undefined, sentBegin: undefined, sentAt: undefined } as const;
const refusal = { status: 503, headers: REFUSAL };

const rows: readonly WindowRow[] = [
  [
    'may be a lost packet: beside others it is measured again',
    'timing',
    window(turnedAway(5, 400), sample('new', 100, unheard)),
    /1 connects .* measured beside others/,
  ],
  ['fails alone', 'fail', window(turnedAway(5, 400), sample('new', 100, unheard)), /left hanging/, ALONE],
  [
    'fails where it is the rule',
    'fail',
    window(turnedAway(5, 400), samples('new', 100, 125, unheard)),
    /5 .*left hanging/,
  ],
];

checkWindowRows(adm2, rows);

describe('ADM-1: requests under which the connection ended', () => {
  const race = { outcome: 'reset', by: 'FIN', race: true } as const;
  const onNew = samples('new', 5, 400, refusal);
  it('fail where more were dropped than refused', () => {
    const dropping = [samples('kept', 100, 300, race), samples('kept', 300, 350, refusal)];
    const finding = checkClause(adm1, {}, window(onNew, ...dropping));
    expect(finding).toMatchObject({ outcome: 'fail', seen: expect.stringMatching(/^40 of 50 requests/) });
  });

  it('are the race of every client where they are few', () => {
    const few = [samples('kept', 100, 115, race), samples('kept', 115, 390, refusal)];
    expect(checkClause(adm1, {}, window(onNew, ...few)).outcome).toBe('pass');
  });
});
