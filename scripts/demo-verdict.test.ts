import { describe, expect, it } from 'vitest';
import type { ReportedTarget } from '../harness/model/report.ts';
import type { Outcome } from '../harness/model/verdict.ts';
import { broken, good, surprises } from './demo-verdict.ts';

const target = (image: string, outcomes: readonly Outcome[], level = 'M', engine = 'docker') =>
  ({
    image,
    engine,
    verdicts: outcomes.map((outcome, n) => ({ clause: `SIG-${n}`, level, outcome })),
  }) as unknown as ReportedTarget;

const expected = [target(good, ['pass', 'not exercised']), target(broken, ['fail', 'pass'])];
const fault = { where: 'engine', message: 'docker no longer answers' } as const;

describe('the demonstration', () => {
  it('ends well when the good image qualifies and the broken one fails', () => {
    expect(surprises({ targets: expected, faults: [] })).toEqual([]);
  });

  it.each([
    ['a fault', expected, [fault], 'engine fault: docker no longer answers'],
    ['nothing judged', [], [], `${good} was not judged`],
    ['a good image that fails', [target(good, ['fail', 'pass']), ...expected], [], `${good} on docker failed SIG-0`],
    ['a good image left open', [target(good, ['pass', 'inconclusive']), ...expected], [], 'inconclusive in SIG-1'],
    ['a good image never exercised', [target(good, ['not exercised']), ...expected], [], 'passed no MUST clause'],
    [
      'a broken image that passes',
      [...expected, target(broken, ['pass'], 'M', 'podman')],
      [],
      'on podman failed no MUST',
    ],
    [
      'a broken image that fails a SHOULD only',
      [...expected, target(broken, ['fail'], 'S')],
      [],
      'failed no MUST clause',
    ],
  ])('says so of %s', (_title, targets, faults, sentence) => {
    expect(surprises({ targets, faults }).join('\n')).toContain(sentence);
  });
});
