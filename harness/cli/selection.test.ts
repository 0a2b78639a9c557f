import { describe, expect, it } from 'vitest';
import { plan } from '../judge/testing/plan-builder.ts';
import { cellOf } from '../judge/testing/history-builder.ts';
import type { Scenario } from '../model/scenario.ts';
import { parseRunOptions } from './options.ts';
import { checkPlanned, select } from './selection.ts';

const scenario = (id: string, matrix?: Scenario['matrix']): Scenario => ({
  id,
  title: 't',
  script: [],
  clauses: [],
  ...(matrix === undefined ? {} : { matrix }),
});
const scenarios = [
  scenario('signal/second', { first: ['TERM'], second: ['INT', 'HUP'] }),
  scenario('drain/stalled', { kind: ['silent', 'half-body'] }),
  scenario('drain/http2'),
];
const cells = (only: readonly string[], skip: readonly string[] = []): string[] => {
  const selection = select(only, skip, scenarios);
  const all = ['signal/second first=TERM,second=INT', 'signal/second first=TERM,second=HUP'];
  all.push('drain/stalled kind=silent', 'drain/stalled kind=half-body', 'drain/http2 -');
  return all.filter((cell) => {
    const [id = '', name = ''] = cell.split(' ');
    return selection.scenario(id) && selection.cell(id, name);
  });
};

describe('--only and --skip', () => {
  it.each([
    [['drain/'], ['drain/stalled kind=silent', 'drain/stalled kind=half-body', 'drain/http2 -']],
    [['drain/stalled:kind=silent'], ['drain/stalled kind=silent']],
    [
      ['drain/stalled:kind=silent', 'drain/http2:-'],
      ['drain/stalled kind=silent', 'drain/http2 -'],
    ],
    [['signal/second:second=HUP'], ['signal/second first=TERM,second=HUP']],
    [['signal/second:first=TERM,second=INT'], ['signal/second first=TERM,second=INT']],
    [['SIG-1', 'drain/stalled:kind=half-body'], ['drain/stalled kind=half-body']],
  ])('%j keeps just its cells', (only, kept) => {
    expect(cells(only)).toEqual(kept);
  });

  it('leave out a cell and keep the rest of its scenario', () => {
    expect(cells(['drain/stalled'], ['drain/stalled:kind=silent'])).toEqual(['drain/stalled kind=half-body']);
  });

  it('take the name of a cell with a comma in it as --plan prints it', () => {
    const raw = { only: ['SIG,signal/second:first=TERM,second=INT,drain/http2'] };
    expect(parseRunOptions(['x:1'], raw, {}).only).toEqual([
      'SIG',
      'signal/second:first=TERM,second=INT',
      'drain/http2',
    ]);
  });

  it.each([
    ['drain/stalled:kind=silnt', /its cells are named kind=silent\|half-body/],
    ['drain/http2:over=h2', /it has only one cell, "-"/],
    ['drain/stalled:', /has no cell ""/],
  ])('%s is refused by name', (entry, message) => {
    expect(() => select([entry], [], scenarios)).toThrow(message);
  });

  it('a cell that this image does not get is refused once the plan is known', () => {
    const planned = plan([cellOf({ cell: { scenario: 'drain/stalled', cell: 'kind=silent' } })]);
    expect(() => checkPlanned(['SIG', 'drain/stalled', 'drain/stalled:kind=silent'], planned)).not.toThrow();
    expect(() => checkPlanned(['drain/stalled:kind=half-body'], planned)).toThrow(/no such cell is planned/);
  });
});
