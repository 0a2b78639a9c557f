import { describe, expect, it } from 'vitest';
import { presetByName } from '../contract/presets/index.ts';
import { resolveTerms } from '../contract/terms.ts';
import { evaluateSignal, evaluateTime, hardBoundMs } from './expression.ts';

const { terms } = resolveTerms(presetByName('light-fabric'), { stopSignal: 'TERM', overrides: [] });

describe('time expressions', () => {
  it.each([
    ['200ms', 200],
    ['1.5s', 1500],
    ['grace + floor + 1s', 3250],
    ['outerTimeout', 10_000],
    ['hardDeadline + 5s', 7250],
    ['idleWatch', 3250],
  ])('%s is %d ms', (expression, ms) => {
    expect(evaluateTime(expression, terms)).toBe(ms);
  });

  it.each(['soon', '1h', 'grace - 1s', ''])('"%s" is refused by name', (expression) => {
    expect(() => evaluateTime(expression, terms)).toThrow(
      /neither a duration like 200ms or 1s nor one of grace, floor/,
    );
  });

  it('the hard bound is the later of stop bound and grace + floor', () => {
    expect(hardBoundMs(terms)).toBe(2250);
    expect(hardBoundMs({ ...terms, stopBoundMs: 9000 })).toBe(9000);
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
