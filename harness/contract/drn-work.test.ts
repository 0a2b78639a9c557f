import { describe, expect, it } from 'vitest';
import { checkClause } from '../judge/testing/judge-clause.ts';
import { exit, outerTimeout, ready, signal } from '../judge/testing/history-builder.ts';
import type { Entry, Setting } from '../judge/testing/history-builder.ts';
import { checkRows } from '../judge/testing/clause-rows.suite.ts';
import { answered, completed, finished, held, lost, workFailed } from '../judge/testing/work-builder.ts';
import { baseline } from './presets/baseline.ts';
import { lightFabric } from './presets/light-fabric.ts';
import { drn1, drn2, drn3 } from './drn-work.ts';
import { resolveTerms } from './terms.ts';

const busy = (...entries: readonly Entry[]): readonly Entry[] => [ready(), ...signal(), ...entries];
type Rows = Parameters<typeof checkRows>[1];
const alone: Setting = { cell: { lane: 'alone' } };

describe('DRN-1', () => {
  const rows: Rows = [
    [
      'work that completes inside the grace, and exit 0, passes',
      'pass',
      busy(completed('slow-body-1'), completed('upload-1'), ...exit(510, 0)),
      /all 2 pieces of admitted work completed; exit 0/,
    ],
    [
      'fast and exit 0 is not graceful: all requests cut fails',
      'fail',
      busy(
        held('slow-body-1'),
        held('slow-body-2'),
        lost('slow-body-1', 38),
        lost('slow-body-2', 39, 'reset'),
        ...exit(40, 0),
      ),
      /2 of 2 pieces of admitted work did not complete; slow-body-1 was closed 38 ms after the signal/,
    ],
    [
      'a service that is gone before the engine answers fails too',
      'fail',
      busy(held('slow-body-1'), lost('slow-body-1', -0.5, 'reset'), ...exit(-0.8, 0)),
      /1 of 1 .* reset 0 ms after/,
    ],
    [
      'one of several lost fails, and is named',
      'fail',
      busy(
        completed('slow-body-1'),
        held('slow-body-2'),
        finished('slow-body-2', 500),
        lost('slow-body-2', 501, 'truncated'),
        ...exit(510, 0),
      ),
      /1 of 2 .*slow-body-2 was truncated 501 ms/,
    ],
    [
      'a 503 to admitted work fails',
      'fail',
      busy(held('slow-body-1'), answered('slow-body-1', 4, { status: 503 }), ...exit(10, 0)),
      /answered 503 instead of 200 4 ms/,
    ],
    [
      'another status than the normal one fails',
      'fail',
      busy(
        held('slow-body-1'),
        finished('slow-body-1', 500),
        answered('slow-body-1', 503, { status: 500 }),
        ...exit(510, 0),
      ),
      /answered 500 instead of 200/,
    ],
    [
      'a 404 that is the normal answer passes',
      'pass',
      busy(
        held('slow-body-1', { normal: { status: 404 } }),
        finished('slow-body-1', 500),
        answered('slow-body-1', 503, { status: 404 }),
        ...exit(510, 0),
      ),
      /all 1 .* completed/,
    ],
    [
      'a 503 that is the normal answer too proves nothing',
      'inconclusive',
      busy(
        held('slow-body-1', { normal: { status: 503 } }),
        finished('slow-body-1', 500),
        answered('slow-body-1', 503, { status: 503 }),
        ...exit(510, 0),
      ),
      /its normal answer is a 503 too/,
    ],
    [
      'work that was never answered though it was due fails',
      'fail',
      busy(held('slow-body-1'), finished('slow-body-1', 500), lost('slow-body-1', 2350, 'held'), ...exit(2255, 1)),
      /never answered until the end of PID 1 2255 ms/,
    ],
    [
      'work that hangs past the grace while the service goes on fails',
      'fail',
      busy(held('slow-body-1'), finished('slow-body-1', 500), lost('slow-body-1', 2100, 'hung'), ...exit(4000, 1)),
      /still without an answer 2100 ms/,
    ],
    [
      'what was given up inside the grace proves nothing',
      'inconclusive',
      busy(held('slow-body-1'), finished('slow-body-1', 500), lost('slow-body-1', 900, 'held'), ...exit(4000, 1)),
      /still without an answer 900 ms/,
    ],
    [
      'work that hangs to the outer timeout fails',
      'fail',
      busy(held('slow-body-1'), finished('slow-body-1', 500), lost('slow-body-1', 10_005, 'reset'), ...outerTimeout()),
      /1 of 1 .* reset 10005 ms/,
    ],
    [
      'an answer before the harness had done its part is as good',
      'pass',
      busy(held('slow-body-1'), answered('slow-body-1', 100), ...exit(110, 0)),
      /all 1 /,
    ],
    [
      'what the harness completed too late proves nothing, and is tried again',
      'inconclusive',
      busy(held('slow-body-1'), finished('slow-body-1', 1950), lost('slow-body-1', 2001), ...exit(2005, 1)),
      /completed its part only 1950 ms/,
      {},
      'timing',
    ],
    [
      'lost before the grace can have run out it fails, whenever the harness would have completed it',
      'fail',
      busy(held('slow-body-1'), lost('slow-body-1', 1900), ...exit(1905, 1)),
      /closed 1900 ms/,
    ],
    [
      'what the harness never completed proves nothing',
      'inconclusive',
      busy(held('slow-body-1'), lost('slow-body-1', 2001), ...exit(2005, 1)),
      /did not complete its part/,
    ],
    [
      'narrowly lost beside others it is tried again',
      'inconclusive',
      busy(held('slow-body-1'), finished('slow-body-1', 1810), lost('slow-body-1', 2001), ...exit(2005, 1)),
      /measured beside others/,
      {},
      'timing',
    ],
    [
      'narrowly lost alone it fails',
      'fail',
      busy(held('slow-body-1'), finished('slow-body-1', 1810), lost('slow-body-1', 2001), ...exit(2005, 1)),
      /1 of 1/,
      alone,
    ],
    [
      'work that ends by itself and is lost early fails',
      'fail',
      busy(held('slow-answer-1', { ends: 'itself' }), lost('slow-answer-1', 600), ...exit(605, 0)),
      /slow-answer-1 was closed 600 ms/,
    ],
    [
      'work that ends by itself, at an unknown time, and is cut at the deadline proves nothing; its exit status is right',
      'pass',
      busy(
        completed('slow-body-1'),
        held('slow-answer-1', { ends: 'itself' }),
        lost('slow-answer-1', 2001),
        ...exit(2005, 1),
      ),
      /all 1 .* completed \(1 more prove nothing\); exit 1/,
    ],
    [
      'work without an end is none of it',
      'inconclusive',
      busy(held('stream-1', { ends: 'never' }), lost('stream-1', 9), ...exit(10, 0)),
      /never happened/,
    ],
    [
      'a connection that was never admitted is none of it',
      'inconclusive',
      busy(held('half-headers-1', { admitted: false }), lost('half-headers-1', 9), ...exit(10, 0)),
      /never happened/,
    ],
    ['exit 1 after all work fails', 'fail', busy(completed('slow-body-1'), ...exit(510, 1)), /completed, but exit 1/],
    ['137 after all work fails', 'fail', busy(completed('slow-body-1'), ...exit(510, 137)), /completed, but 137/],
    [
      'the outer timeout after all work fails',
      'fail',
      busy(completed('slow-body-1'), ...outerTimeout()),
      /still running/,
    ],
    ['no end on record is inconclusive', 'inconclusive', busy(completed('slow-body-1')), /never confirmed/],
    [
      'no fate on record is inconclusive',
      'inconclusive',
      busy(held('slow-body-1'), ...exit(10, 0)),
      /nothing is on record/,
    ],
    [
      'an answer without a status on record is inconclusive',
      'inconclusive',
      busy(held('slow-body-1'), { ...lost('slow-body-1', 5, 'answered') }, ...exit(10, 0)),
      /without a status/,
    ],
    [
      'what was lost after the harness interfered is no fault',
      'inconclusive',
      busy(
        held('slow-body-1'),
        ...signal('KILL', 1100, 'clean-up', 2),
        lost('slow-body-1', 105, 'reset'),
        ...exit(104, 137),
      ),
      /harness had interfered/,
    ],
    ['nothing that could be held is not exercised', 'not exercised', [ready(), workFailed('slow-body', '404')], /404/],
    ['no signal is inconclusive', 'inconclusive', [ready(), held('slow-body-1')], /never happened/],
    [
      'without a grace any loss within the bound of the stop fails',
      'fail',
      busy(held('slow-body-1'), finished('slow-body-1', 500), lost('slow-body-1', 2400), ...exit(2405, 0)),
      /closed 2400 ms/,
      { preset: 'baseline' },
    ],
  ];
  checkRows(drn1, rows);

  it('takes the rows of the grace where one is declared, the one in milliseconds where none is', () => {
    const rows = [undefined, '500ms', 'grace/4', 'grace - 200ms'];
    const applies = (preset: typeof baseline): readonly boolean[] => {
      const { terms } = resolveTerms(preset, { stopSignal: 'SIGTERM', overrides: [] });
      return rows.map((at) => drn1.appliesTo?.(at === undefined ? {} : { at }, terms) ?? true);
    };
    expect(applies(lightFabric)).toEqual([true, false, true, true]);
    expect(applies(baseline)).toEqual([true, true, false, false]);
  });
});

describe('DRN-2', () => {
  const ids = Array.from({ length: 32 }, (_, index) => `slow-body-${index + 1}`);
  const all = (end: (id: string, index: number) => Entry): readonly Entry[] =>
    ids.flatMap((id, index) => [held(id), finished(id, 400), end(id, index)]);
  const done = (id: string): Entry => answered(id, 403);
  const rows: Rows = [
    ['all complete passes', 'pass', busy(...all(done), ...exit(410, 0)), /32 of 32 .* completed/],
    [
      'turned away by a 503 or a reset before any byte is accounted for',
      'pass',
      busy(
        ...all((id, i) => (i < 4 ? done(id) : i < 8 ? answered(id, 5, { status: 503 }) : lost(id, 6, 'reset'))),
        ...exit(410, 0),
      ),
      /4 of 32 .*, 28 were turned away whole/,
    ],
    [
      'what was refused before the signal is counted, and said: the rest completes',
      'pass',
      busy(...all(done), workFailed('slow-body', 'no connection: refused (ECONNREFUSED)'), ...exit(410, 0)),
      /32 of 32 .* completed; 1 more were refused before the signal \(no connection: refused/,
    ],
    [
      'one of which no end is on record is not accounted for: inconclusive',
      'inconclusive',
      busy(
        ...ids.flatMap((id, i) => (i === 9 ? [held(id)] : [held(id), finished(id, 400), done(id)])),
        ...exit(410, 0),
      ),
      /1 of 32 .* not accounted for; slow-body-10: nothing is on record about its end/,
    ],
    [
      'one that was completed too late to say anything is measured again',
      'inconclusive',
      busy(
        ...ids.flatMap((id, i) =>
          i === 9 ? [held(id), finished(id, 1950), lost(id, 2001, 'closed')] : [held(id), finished(id, 400), done(id)],
        ),
        ...exit(2005, 1),
      ),
      /1 of 32 .* not accounted for; slow-body-10: closed .*only 1950 ms/,
      {},
      'timing',
    ],
    [
      'one whose connection was closed in order had been taken, and dropped: it fails',
      'fail',
      busy(...all((id, i) => (i === 9 ? lost(id, 6, 'closed') : done(id))), ...exit(410, 0)),
      /1 of 32 .*slow-body-10 was closed .*unaccounted/,
    ],
    [
      'one that is truncated fails',
      'fail',
      busy(
        ...all((id, i) => (i === 9 ? lost(id, 404, 'truncated', { status: 200, bytes: 1 }) : done(id))),
        ...exit(410, 0),
      ),
      /1 of 32 .*slow-body-10 was truncated .*unaccounted/,
    ],
    [
      'one that is reset in the middle of an answer fails',
      'fail',
      busy(
        ...all((id, i) => (i === 9 ? lost(id, 404, 'reset', { status: 200, bytes: 1 }) : done(id))),
        ...exit(410, 0),
      ),
      /slow-body-10 was reset .*unaccounted/,
    ],
    [
      'one that is still held at the exit fails',
      'fail',
      busy(...all((id, i) => (i === 9 ? lost(id, 910, 'held') : done(id))), ...exit(410, 0)),
      /slow-body-10 was never answered until the end of PID 1/,
    ],
    [
      'a 500 fails',
      'fail',
      busy(...all((id, i) => (i === 9 ? answered(id, 404, { status: 500 }) : done(id))), ...exit(410, 0)),
      /answered 500/,
    ],
    [
      'none that completes fails',
      'fail',
      busy(...all((id) => lost(id, 6, 'reset')), ...exit(10, 0)),
      /none of 32 .* completed/,
    ],
    [
      'fewer than many are inconclusive',
      'inconclusive',
      busy(...all(done).slice(0, 31 * 3), ...exit(410, 0)),
      /only 31 requests/,
    ],
    [
      'what the harness never completed proves nothing',
      'inconclusive',
      busy(...ids.flatMap((id) => [held(id), lost(id, 2001)]), ...exit(2005, 1)),
      /none of 32 .* proves anything/,
    ],
    ['nothing that could be held is not exercised', 'not exercised', [ready(), workFailed('slow-body', '404')], /404/],
  ];
  checkRows(drn2, rows);
});

describe('DRN-3', () => {
  const rows: Rows = [
    [
      'an upload that finishes passes',
      'pass',
      busy(completed('upload-1'), ...exit(510, 0)),
      /all 1 uploads completed; exit 0/,
    ],
    [
      'an upload that is cut fails',
      'fail',
      busy(completed('slow-body-1'), held('upload-1'), lost('upload-1', 3, 'reset'), ...exit(510, 0)),
      /1 of 1 uploads .*reset 3 ms/,
      alone,
    ],
    [
      'a cut request is not its business, nor is the status that follows from it',
      'pass',
      busy(completed('upload-1'), held('slow-body-1'), lost('slow-body-1', 2001), ...exit(2005, 1)),
      /all 1 uploads completed; exit 1/,
    ],
    [
      'no upload that could be held is not exercised',
      'not exercised',
      busy(completed('slow-body-1'), workFailed('upload', '404'), ...exit(510, 0)),
      /404/,
    ],
    [
      'no upload at all is inconclusive',
      'inconclusive',
      busy(completed('slow-body-1'), ...exit(510, 0)),
      /none of the uploads/,
    ],
  ];
  checkRows(drn3, rows);

  it('says what to declare', () => {
    const finding = checkClause(drn3, {}, busy(workFailed('upload', '404'), ...exit(510, 0)));
    expect(finding.declare).toBe("endpoints: { upload: ['POST /path'] }");
  });
});
