import { describe, expect, it } from 'vitest';
import type { Observation, ProcessFact } from '../model/observation.ts';
import { processFact } from '../judge/testing/history-builder.ts';
import { createRecorder } from '../observe/recorder.ts';
import type { ReadinessContext } from './reach-ready.ts';
import { settle, untilOffset, watchReadiness } from './start-up.ts';

const NEVER_MS = 3_600_000;

/** A service that is ready once it has logged so; its processes as the test says. */
function service(processes: readonly ProcessFact[][] = [[]]) {
  const recorder = createRecorder({ append: () => undefined, close: () => undefined }, () => now, []);
  let now = 0;
  const ended = new AbortController();
  const waits: number[] = [];
  let looks = 0;
  const context = {
    recorder,
    engine: { local: false },
    vantage: { address: undefined },
    target: { ready: { kind: 'log', pattern: 'ready', origin: 'test' }, startTimeoutMs: NEVER_MS },
    life: {
      ended: ended.signal,
      kernelEvents: false,
      reader: { list: async () => processes[Math.min(looks++, processes.length - 1)], oomKills: async () => undefined },
      // time passes where the step asks for it; an hour of it never does
      endedWithin: async (ms: number) => {
        waits.push(ms);
        if (ms >= NEVER_MS) await new Promise((resolve) => ended.signal.addEventListener('abort', resolve));
        now += ms * 1e6;
        return ended.signal.aborted;
      },
    },
  } as unknown as ReadinessContext;
  recorder.record({ kind: 'engine.call', t: 0, call: 'create and start' });
  const watch = () => {
    const readying = watchReadiness(context);
    if (!readying) throw new Error('readiness cannot be seen');
    return readying;
  };
  return {
    context,
    waits,
    watch,
    end: () => ended.abort(),
    log: () => recorder.record({ kind: 'log', stream: 'stdout', text: 'ready' }),
    signal: () => recorder.record({ kind: 'signal.delivered', n: 1, signal: 'TERM', purpose: 'script' }),
    kinds: () => recorder.observations.map((seen: Observation) => seen.kind),
  };
}
const deaf = [processFact(1, 0, ['/server'])];
const hears = [processFact(1, 0, ['/server'], { caught: '4000' })];

describe('a signal into the start-up', () => {
  it('waits until its offset, and looks at the processes then', async () => {
    const { context, watch, waits, kinds } = service([deaf]);
    const readying = watch();
    await untilOffset(context, readying, 600);
    expect(waits).toEqual([600]);
    expect(kinds()).toEqual(['engine.call', 'wait', 'processes']);
    await readying.stop();
  });

  it('waits no longer than until the service is ready', async () => {
    const { context, watch, log, kinds } = service([deaf]);
    log();
    const readying = watch();
    await untilOffset(context, readying, NEVER_MS);
    expect(kinds().slice(-2)).toEqual(['ready', 'processes']);
  });

  it('is settled once the service is ready and so much more, where nothing can have heard it', async () => {
    const { context, watch, log, signal, waits } = service([deaf, deaf, hears]);
    const readying = watch();
    signal();
    log();
    await settle(context, readying, { forMs: 1000, withinMs: 10_000 });
    expect(waits).toEqual([1000]);
  });

  it('is given all the time of a stop where it may have been heard', async () => {
    const { context, watch, log, signal, waits } = service([hears]);
    log();
    const readying = watch();
    await readying.reached;
    signal();
    await settle(context, readying, { forMs: 1000, withinMs: 10_000 });
    expect(waits.at(-2)).toBe(1000);
    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBe(10_050);
  });

  it('is settled by the end', async () => {
    const { context, watch, signal, end, kinds } = service([hears]);
    const readying = watch();
    signal();
    end();
    await settle(context, readying, { forMs: 1000, withinMs: 10_000 });
    await readying.stop();
    expect(kinds().slice(0, 2)).toEqual(['engine.call', 'signal.delivered']);
  });
});
