import { describe, expect, it } from 'vitest';
import { AdmissionGate } from './admission-gate.ts';
import { settle } from './testing/virtual-clock.ts';

const opened = (): AdmissionGate => {
  const gate = new AdmissionGate();
  gate.open();
  return gate;
};

const closed = (): AdmissionGate => {
  const gate = opened();
  gate.close();
  return gate;
};

describe('the admission gate', () => {
  it.each([
    ['before it is opened', 'application', () => new AdmissionGate(), false],
    ['before it is opened', 'control', () => new AdmissionGate(), false],
    ['while it is open', 'application', opened, true],
    ['while it is open', 'control', opened, true],
    ['once it is closed', 'application', closed, false],
    ['once it is closed', 'control', closed, true],
  ] as const)('%s lets %s work in as the contract says', (_when, kind, gate, admitted) => {
    expect(gate().tryEnter(kind) !== undefined).toBe(admitted);
  });

  it('opens once only, and never again after it was closed', () => {
    expect(() => opened().open()).toThrow('opens once: it is open');
    expect(() => closed().open()).toThrow('opens once: it is closed');
  });

  it('tells who waits for its closing before close returns, once', () => {
    const gate = opened();
    const told: boolean[] = [];
    gate.whenClosed(() => told.push(gate.tryEnter('application') === undefined));
    gate.close();
    gate.close();
    expect(told).toEqual([true]);
  });

  it('counts a permit until it is released, once', () => {
    const gate = opened();
    const [first, second] = [gate.tryEnter('application'), gate.tryEnter('application')];
    first?.release();
    first?.release();
    expect(gate.active('application')).toBe(1);
    second?.release();
    expect(gate.active('application')).toBe(0);
  });

  it('is drained when the last application permit is released; control work does not count', async () => {
    const gate = opened();
    const permit = gate.tryEnter('application');
    gate.tryEnter('control');
    let drained = false;
    const done = gate.drained().then(() => {
      drained = true;
    });
    await settle();
    expect(drained).toBe(false);
    permit?.release();
    await done;
    expect(drained).toBe(true);
  });

  it('is drained at once when nothing was admitted', async () => {
    await expect(closed().drained()).resolves.toBeUndefined();
  });
});
