import { describe, expect, it } from 'vitest';
import { faults } from './faults.ts';
import { variants } from './variants.ts';

describe('the table of variants of the control plane', () => {
  it('has every fault of the image, once', () => {
    expect(variants.map(({ fault }) => fault).sort()).toEqual(Object.keys(faults).sort());
  });

  it('has a fault for every clause of WebSockets, and for the signals, statuses and settings of its own preset', () => {
    const failing = variants.map(({ clause }) => clause);
    const webSockets = Array.from({ length: 7 }, (_, index) => `WSS-${index + 1}`);
    const wanted = [...webSockets, 'SIG-3', 'SIG-5', 'SIG-7', 'SIG-8', 'DLN-2', 'DLN-4'];
    expect(wanted.filter((id) => !failing.includes(id))).toEqual([]);
  });

  it.each(variants)('says of $fault why it is wrong', ({ why }) => {
    expect(why).toMatch(/^\S.{10,}/);
  });
});
