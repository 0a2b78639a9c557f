import { describe, expect, it } from 'vitest';
import type { CellRef } from '../model/plan.ts';
import type { History } from '../model/history.ts';
import { history, ready, signal } from './testing/history-builder.ts';
import type { Entry, Setting } from './testing/history-builder.ts';
import {
  acknowledged,
  controller,
  goodbye,
  probeEnded,
  probeStarted,
  refusedConnects,
  sample,
  served,
  turnedAway,
} from './testing/window-builder.ts';
import { windowSummaries } from './window-summary.ts';

/** Served until the signal, 503 for 300 ms, then refused. */
const window: readonly Entry[] = [
  ready(),
  ...controller(),
  probeStarted(),
  ...signal(),
  ...served(-50, 0),
  goodbye(1),
  ...turnedAway(5, 305),
  acknowledged(304),
  ...refusedConnects(310, 320),
  probeEnded(330, 2),
];

function seen(entries: readonly Entry[], cell: Partial<CellRef> = {}, more: Setting = {}): History {
  return history({ ...more, cell: { scenario: 'window/acknowledged', cell: '-', ...cell } }, ...entries);
}

const fault: Entry = { kind: 'fault', t: 0, where: 'harness', message: 'lost' };

describe('the windows of a run', () => {
  it('are intervals on one axis, ms from the engine’s answer to the signal', () => {
    const [summary, ...others] = windowSummaries([seen(window)]) ?? [];
    expect(others).toEqual([]);
    expect(summary).toEqual({
      scenario: 'window/acknowledged',
      cell: '-',
      repeat: 1,
      lane: 'shared',
      history: 'docker/shop/stop-idle',
      kept: 48,
      everyMs: 5,
      longestGapMs: 6,
      normal: 200,
      outcomes: {
        new: { answered: 60, refused: 2, reset: 0, hung: 0, races: 0 },
        kept: { answered: 60, refused: 0, reset: 0, hung: 0, races: 0 },
      },
      withdrawn: 2,
      times: {
        signal: { fromMs: -2, toMs: 0 },
        lastServed: { fromMs: -2.6, toMs: -2 },
        gateClosed: { fromMs: -2, toMs: 6 },
        first503: { fromMs: 5.4, toMs: 6 },
        last503: { fromMs: 302.4, toMs: 303 },
        goodbyeReceived: { fromMs: 1, toMs: 1 },
        acknowledged: { fromMs: 303.8, toMs: 304 },
        firstRefused: { fromMs: 310, toMs: 311.2 },
        listenerClosed: { fromMs: 300, toMs: 311.2 },
      },
      boundariesWithinMs: 11.2,
    });
  });

  it('count each of the four outcomes, and races among the resets', () => {
    const more = [
      sample('new', 306, { outcome: 'hung' }),
      sample('kept', 307, { outcome: 'reset', race: true }),
      sample('new', 308, { outcome: 'reset' }),
    ];
    expect(windowSummaries([seen([...window, ...more])])?.[0]?.outcomes).toEqual({
      new: { answered: 60, refused: 2, reset: 1, hung: 1, races: 0 },
      kept: { answered: 60, refused: 0, reset: 1, hung: 0, races: 1 },
    });
  });

  it('say nothing of what was not seen', () => {
    const [summary] = windowSummaries([seen([ready(), probeStarted(), ...signal(), ...served(-50, 0)])]) ?? [];
    expect(Object.keys(summary?.times ?? {})).toEqual(['signal', 'lastServed']);
    expect(summary).not.toHaveProperty('boundariesWithinMs');
    expect(summary).not.toHaveProperty('longestGapMs');
  });

  it('carry the reason why a 503 proves nothing', () => {
    const always = [ready(), probeStarted(), ...signal(), ...turnedAway(-50, 50)];
    const [summary] = windowSummaries([seen(always)]) ?? [];
    expect(summary?.doubt).toMatch(/before the signal already/);
    expect(summary?.times).not.toHaveProperty('gateClosed');
  });

  const alone = { lane: 'alone', path: 'alone' } as const;
  it.each<readonly [string, readonly History[], readonly string[] | undefined]>([
    ['every repeat is shown', [seen(window, { repeat: 2, path: 'r2' }), seen(window, { path: 'r1' })], ['r1', 'r2']],
    ['a cell that was repeated alone shows that', [seen(window, alone), seen(window, { sample: 2 })], ['alone']],
    [
      'of several alone it is the last',
      [seen(window, { ...alone, sample: 3, path: 's3' }), seen(window, { ...alone, sample: 2 }), seen(window)],
      ['s3'],
    ],
    ['what was measured in company does not stand in', [seen([...window, fault], alone), seen(window)], undefined],
    ['a record that broke off shows nothing', [seen(window, {}, { complete: false })], undefined],
    ['nor does one with a fault', [seen([...window, fault])], undefined],
    ['nor one without a signal', [seen([ready(), probeStarted(), ...served(-50, 0)])], undefined],
    ['nor one without a probe', [seen([ready(), ...signal()])], undefined],
    ['other scenarios are not windows', [seen(window, { scenario: 'drain/http2' })], undefined],
    ['nothing at all is none', [], undefined],
  ])('%s', (_, histories, shown) => {
    expect(windowSummaries(histories)?.map((summary) => summary.history)).toEqual(shown);
  });
});
