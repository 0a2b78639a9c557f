import { describe, expect, it } from 'vitest';
import { exited, ready, signal, stalled, stop } from '../index.ts';
import type { Scenario } from '../model/scenario.ts';
import { withSpokenColumns } from './scenario-columns.ts';

const scenario: Scenario = { id: 'a/b', title: 't', script: [ready(), signal('INT'), exited()], clauses: ['SIG-2'] };

describe('what a scenario says outright is a column', () => {
  it.each([
    ['the one signal', {}, { signal: ['INT'] }],
    ['beside the columns of its matrix', { matrix: { kind: ['silent'] } }, { kind: ['silent'], signal: ['INT'] }],
    ['not where there is such a column', { matrix: { signal: ['TERM'] } }, { signal: ['TERM'] }],
    ['none of several signals', { script: [signal('INT'), signal('TERM')] }, undefined],
    ['not what the matrix decides', { script: [signal('$first')], matrix: { first: ['INT'] } }, { first: ['INT'] }],
    ['the stop', { script: [stop('given')] }, { timeout: ['given'] }],
    ['the stalled kind', { script: [], load: [stalled('silent')] }, { kind: ['silent'] }],
    [
      'the setting',
      { script: [], setting: { grace: '0', fault: 'slow-clean-up' } },
      { grace: ['0'], fault: ['slow-clean-up'] },
    ],
  ] as const)('%s', (_, more, matrix) => {
    expect(withSpokenColumns({ ...scenario, ...more }).matrix).toEqual(matrix);
  });
});
