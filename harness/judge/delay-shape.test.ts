import { describe, expect, it } from 'vitest';
import type { History } from '../model/history.ts';
import { delayShape } from './delay-shape.ts';
import { exit, history, outerTimeout, ready, signal } from './testing/history-builder.ts';
import type { Entry, Setting } from './testing/history-builder.ts';
import { heldWork, workEnded } from './testing/held-work.ts';

const stuck = outerTimeout();

function idle(end: readonly Entry[], more: Setting = {}): History {
  return history({ cell: { scenario: 'signal/no-load' }, ...more }, ready(), ...signal(), ...end);
}

/** Work past a grace; 2000 is light-fabric's own. */
function past(graceMs: number, end: readonly Entry[], more: Setting = {}): History {
  const grace = graceMs === 2000 ? 'normal' : graceMs;
  const setting: Setting = { values: { grace }, terms: { graceMs }, ...more };
  return history(
    { ...setting, cell: { scenario: 'deadline/work-past-grace', ...more.cell } },
    ready(),
    heldWork(),
    ...signal(),
    ...end,
  );
}

const lane = (alone: boolean): Setting => ({ cell: { lane: alone ? 'alone' : 'shared' } });

type ShapeRow = readonly [promise: string, histories: readonly History[], shape?: string, sentence?: RegExp];

describe('the shape of the delay', () => {
  const rows: readonly ShapeRow[] = [
    [
      'an end that follows the grace is bounded by it',
      [idle(exit(12, 0)), past(700, exit(705, 1)), past(1500, exit(1508, 1)), past(2000, exit(2240, 1))],
      'bounded by the grace',
      /705 ms with a grace of 700 ms, 1508 ms .*2240 ms with a grace of 2000 ms, 12 ms with nothing in flight/,
    ],
    [
      'two graces are enough, in any order',
      [past(1500, exit(1508, 1)), past(700, exit(705, 1))],
      'bounded by the grace',
      /705 ms with .* 1508 ms/,
    ],
    [
      'the same delay whatever the grace is constant',
      [idle(exit(12, 0)), past(700, exit(3010, 1)), past(1500, exit(3040, 1)), past(2000, exit(2990, 1))],
      'constant',
      /^the same delay whatever the grace: 3010/,
    ],
    [
      'a fixed sleep is constant without load too',
      [idle(exit(5003, 0)), past(700, exit(5010, 1)), past(2000, exit(5040, 1))],
      'constant',
      /and the same with nothing in flight/,
    ],
    [
      'leaving at once whatever is in flight is constant',
      [idle(exit(9, 0)), past(700, exit(10, 0)), past(1500, exit(9, 0)), past(2000, exit(14, 0))],
      'constant',
      /10 ms with a grace of 700/,
    ],
    [
      'one grace shows a constant delay if there is one without load',
      [idle(exit(2100, 0)), past(2000, exit(2140, 0))],
      'constant',
      /nothing in flight/,
    ],
    [
      'a grace counted in whole seconds is slow where it is longer',
      [idle(exit(12, 0)), past(700, exit(1205, 1)), past(1500, exit(2005, 1)), past(2000, exit(2205, 1))],
      'slow',
      /beyond the hard deadline: 1205 ms/,
    ],
    [
      'clean-up past the floor is slow',
      [idle(exit(12, 0)), past(700, exit(1700, 1)), past(1500, exit(2510, 1)), past(2000, exit(3015, 1))],
      'slow',
    ],
    ['one slow end is slow', [idle(exit(12, 0)), past(2000, exit(4000, 1))], 'slow'],
    [
      'no end is unbounded',
      [idle(exit(12, 0)), past(700, stuck), past(2000, stuck)],
      'unbounded',
      /9998 ms after the signal \(grace 700 ms, 2000 ms\), but ended 12 ms after it with nothing in flight/,
    ],
    [
      'no end without load is unbounded too',
      [idle(stuck), past(2000, stuck)],
      'unbounded',
      /with nothing in flight too/,
    ],
    ['no end of one is enough', [past(700, exit(705, 1)), past(2000, stuck)], 'unbounded', /with work in flight/],
    [
      'ends that vary a little still follow the grace',
      [past(700, exit(760, 1)), past(700, exit(940, 1)), past(1500, exit(1503, 1)), past(2000, exit(2195, 1))],
      'bounded by the grace',
    ],
    [
      'ends that vary a little are still constant',
      [past(700, exit(3010, 1)), past(1500, exit(3250, 1)), past(2000, exit(2940, 1))],
      'constant',
    ],
    [
      'a sample alone counts in place of one in company',
      [past(700, exit(1300, 1), lane(false)), past(700, exit(705, 1), lane(true)), past(1500, exit(1505, 1))],
      'bounded by the grace',
    ],
    [
      'ends that fit nothing say nothing',
      [past(700, exit(300, 1)), past(1500, exit(1400, 1)), past(2000, exit(900, 1))],
    ],
    ['one good end is not enough', [idle(exit(12, 0)), past(2000, exit(2005, 1))]],
    ['no load alone is not enough', [idle(exit(12, 0))]],
    ['nothing is not enough', []],
    [
      'work that was answered says nothing',
      [
        past(700, [workEnded(100, 'answered', { status: 200 }), ...exit(110, 0)]),
        past(1500, [workEnded(100, 'answered', { status: 200 }), ...exit(110, 0)]),
      ],
    ],
    ['an outside kill says nothing', [past(700, exit(705, 137)), past(1500, exit(1505, 1))]],
    ['an end that nobody confirmed says nothing', [past(700, []), past(1500, exit(1505, 1))]],
    [
      'readings that contradict each other say nothing',
      [past(700, exit(705, 1, { finishedMs: 2000 })), past(1500, exit(1505, 1))],
    ],
    [
      'a history cut short says nothing',
      [past(700, stuck, { complete: false }), past(700, exit(705, 1), { complete: false })],
    ],
    ['a fault says nothing', [past(700, [{ kind: 'fault', t: 1e9, where: 'engine', message: 'gone' }, ...stuck])]],
    [
      'other signals and scenarios say nothing',
      [
        idle(stuck, { values: { signal: 'HUP' } }),
        past(700, stuck, { cell: { scenario: 'drain/work-within-grace' } }),
        past(1500, exit(1505, 1)),
      ],
    ],
  ];
  for (const [promise, histories, shape, sentence = /./] of rows) {
    it(promise, () => {
      const found = delayShape(histories);
      expect(found?.shape).toBe(shape);
      if (shape !== undefined) expect(found?.sentence).toMatch(sentence);
    });
  }
});
