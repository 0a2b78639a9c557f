import { describe, expect, it } from 'vitest';
import { presetByName } from '../contract/presets/index.ts';
import { resolveTerms } from '../contract/terms.ts';
import { evaluateSignal, evaluateTime, fromMatrix, hardBoundMs, needsGrace, resolveColumns } from './expression.ts';

const { terms } = resolveTerms(presetByName('light-fabric'), { stopSignal: 'TERM', overrides: [] });

describe('time expressions', () => {
  it.each([
    ['200ms', 200],
    ['1.5s', 1500],
    ['grace + floor + 1s', 3250],
    ['outerTimeout', 10_000],
    ['hardDeadline + 5s', 7250],
    ['idleWatch', 3250],
    ['longWork', 1900],
    ['serveAfter + 400ms', 400],
    ['grace/4', 500],
    ['grace / 2 + 250ms', 1250],
    ['grace - 200ms', 1800],
    ['grace - 3s', 0],
  ])('%s is %d ms', (expression, ms) => {
    expect(evaluateTime(expression, terms)).toBe(ms);
  });

  it.each(['soon', '1h', 'grace -', 'grace/0', 'grace/x', ''])('"%s" is refused by name', (expression) => {
    expect(() => evaluateTime(expression, terms)).toThrow(
      /neither a duration like 200ms or 1s nor one of grace, floor/,
    );
  });

  it('serveAfter is what is declared', () => {
    expect(evaluateTime('serveAfter + 1s', { ...terms, serveAfterMs: 500 })).toBe(1500);
  });

  it('the hard bound is the later of stop bound and grace + floor', () => {
    expect(hardBoundMs(terms)).toBe(2250);
    expect(hardBoundMs({ ...terms, stopBoundMs: 9000 })).toBe(9000);
  });
});

describe('columns of the matrix', () => {
  const values = { at: 'grace/4', kind: 'silent', grace: 700 };
  it('are replaced wherever they stand', () => {
    expect(fromMatrix('$at + 250ms', values)).toBe('grace/4 + 250ms');
    expect(resolveColumns([{ shape: 'stalled', kind: '$kind', count: 2 }], values)).toEqual([
      { shape: 'stalled', kind: 'silent', count: 2 },
    ]);
    expect(resolveColumns({ grace: '$grace', init: true }, values)).toEqual({ grace: '700', init: true });
  });

  it('that do not exist are named', () => {
    expect(() => resolveColumns({ way: '$over' }, values)).toThrow(/"\$over" names no column/);
  });

  it('tell whether they need a declared grace', () => {
    expect(['grace', 'grace/4', 'grace - 200ms', '500ms', 'hardDeadline'].map(needsGrace)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });
});

describe('signal expressions', () => {
  it('take the matrix value, the preset’s own signal, or the name', () => {
    expect(evaluateSignal('$signal', { signal: 'INT' }, terms)).toBe('INT');
    expect(evaluateSignal('$signal', { signal: 'primary' }, terms)).toBe('TERM');
    expect(evaluateSignal('HUP', {}, terms)).toBe('HUP');
    expect(() => evaluateSignal('$signal', {}, terms)).toThrow(/names no column/);
  });
});
