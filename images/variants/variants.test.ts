import { describe, expect, it } from 'vitest';
import { smoke, smokeOf } from '../variant-subjects.ts';
import { faults } from './faults.ts';
import { variants } from './variants.ts';

const numbered = (family: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${family}-${index + 1}`);

describe('the table of variants', () => {
  it('has every fault of the image, once', () => {
    expect(variants.map(({ fault }) => fault).sort()).toEqual(Object.keys(faults).sort());
  });

  it('has a fault for every clause of the window, the drain, the deadline, second signals, start-up and WebSockets', () => {
    const failing = new Set(variants.flatMap(({ clauses }) => clauses));
    const wanted = [
      ...numbered('ADM', 9),
      ...numbered('DRN', 9),
      ...numbered('DLN', 7),
      'DRN-9-fast',
      'CFG-3',
      'IMG-4',
      ...['SIG-5', 'SIG-6', 'SIG-7', 'SIG-8', 'SIG-9'],
      ...['STA-2', 'STA-3', 'STA-4', 'STA-5', 'STA-6', 'STA-7', 'STA-10', 'STA-11'],
      ...numbered('WSS', 6),
    ];
    expect(wanted.filter((id) => !failing.has(id))).toEqual([]);
  });

  it('has a fault for every kind of connection that does not go on', () => {
    const kinds = variants.flatMap(({ where }) => /^drain\/stalled:kind=(.+)$/.exec(where)?.slice(1) ?? []).sort();
    const all = [
      'half-body',
      'half-closed',
      'half-headers',
      'half-request-line',
      'half-tls-handshake',
      'reader-stops',
      'silent',
    ];
    expect(kinds).toEqual(all);
  });

  it.each(variants)('names for $fault only what else there is in the smoke set', ({ clauses, alsoFails }) => {
    expect(alsoFails.filter((id) => !smoke.includes(id) || clauses.includes(id))).toEqual([]);
  });

  it('keeps the names of both subjects of a variant apart', () => {
    const names = variants.flatMap(({ fault }) => [fault, smokeOf(fault)]);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(variants)('says of $fault why it is wrong', ({ why }) => {
    expect(why).toMatch(/^\S.{10,}/);
  });
});
