import { describe, expect, it } from 'vitest';
import { declaredFaults, stuckStartUp } from './declared-faults.ts';
import { ShutdownContext } from './shutdown-context.ts';
import { VirtualClock } from './testing/virtual-clock.ts';

const shutDown = (fault: string) => {
  const clock = new VirtualClock();
  const ended: number[] = [];
  const context = new ShutdownContext('Terminate', 100, clock);
  for (const participant of declaredFaults({ FAULT_CLEANUP: fault }, clock)) {
    void participant.shutdown(context).then(() => ended.push(clock.now()));
  }
  return { clock, ended };
};

describe('the declared faults', () => {
  it.each([{}, { FAULT_CLEANUP: '' }])('%j declares none', (env) => {
    expect(declaredFaults(env, new VirtualClock())).toEqual([]);
  });

  it('slow:800 takes 800 ms, whatever the deadline', async () => {
    const { clock, ended } = shutDown('slow:800');
    await clock.advance(799);
    expect(ended).toEqual([]);
    await clock.advance(1);
    expect(ended).toEqual([800]);
  });

  it('stuck never ends', async () => {
    const { clock, ended } = shutDown('stuck');
    await clock.advance(3_600_000);
    expect(ended).toEqual([]);
  });

  it.each(['slow', 'slow:x', 'Stuck'])('refuses %j by name', (fault) => {
    expect(() => shutDown(fault)).toThrow(`FAULT_CLEANUP must be slow:<ms>, stuck or thread, got ${fault}`);
  });
});

describe('the declared fault of the start-up', () => {
  it.each([{}, { FAULT_STARTUP: '' }])('%j declares none', (env) => {
    expect(stuckStartUp(env, new VirtualClock())).toEqual([]);
  });

  it('does not hold the start, and takes 20 s to give back, cancelled or not', async () => {
    const clock = new VirtualClock();
    const [phase] = stuckStartUp({ FAULT_STARTUP: 'stuck' }, clock);
    await phase?.run(AbortSignal.abort());
    const undone: number[] = [];
    void phase?.undo?.().then(() => undone.push(clock.now()));
    await clock.advance(19_999);
    expect(undone).toEqual([]);
    await clock.advance(1);
    expect(undone).toEqual([20_000]);
  });

  it('refuses another by name', () => {
    expect(() => stuckStartUp({ FAULT_STARTUP: 'slow' }, new VirtualClock())).toThrow(
      'FAULT_STARTUP must be stuck, got slow',
    );
  });
});
