import { describe, expect, it } from 'vitest';
import { faults } from './faults.ts';
import { variants } from './variants.ts';

const numbered = (family: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${family}-${index + 1}`);

describe('the table of variants', () => {
  it('has every fault of the image, once', () => {
    expect(variants.map(({ fault }) => fault).sort()).toEqual(Object.keys(faults).sort());
  });

  it('has a fault for every clause of the window, the drain and the deadline', () => {
    const failing = new Set(variants.flatMap(({ clauses }) => clauses));
    const wanted = [
      ...numbered('ADM', 9),
      ...numbered('DRN', 9),
      ...numbered('DLN', 7),
      'DRN-9-fast',
      'CFG-3',
      'IMG-4',
    ];
    expect(wanted.filter((id) => !failing.has(id))).toEqual([]);
  });

  it.each(variants)('says of $fault why it is wrong', ({ why }) => {
    expect(why).toMatch(/^\S.{10,}/);
  });
});
