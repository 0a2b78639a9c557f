import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runUntilStopped } from './run-until-stopped.ts';
import type { ShutdownReason } from './shutdown-signals.ts';

/** A stop whose drain takes so long, on a clock that the test turns. */
const stopped = (drainTakesMs: number, sweeperStopMs = 0) => {
  const said: string[] = [];
  let signal: (reason: ShutdownReason) => void = () => undefined;
  const stop = new Promise<ShutdownReason>((resolve) => {
    signal = resolve;
  });
  void runUntilStopped({
    settings: { drainMs: 5000, port: 1, sweeperStopMs },
    plane: {
      listen: async (port) => port,
      leave: () => said.push('leaves'),
      drained: () =>
        new Promise((resolve) => {
          setTimeout(resolve, drainTakesMs);
        }),
      cut: () => said.push('cuts'),
    },
    stop,
    log: (line) => said.push(line),
    exit: (status) => said.push(`exit ${status} after ${Date.now()} ms`),
  });
  return { said, signal };
};

describe('the life of the control plane', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('has no end without a signal: the budget bounds the stop', async () => {
    const { said } = stopped(0);
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(said).toEqual(['control plane ready port=1 shutdown_drain_secs=5']);
  });

  it.each([
    ['is over with the drain', 300, 0, 'graceful', 300],
    ['exits 0 although the drain ran out', 60_000, 0, 'deadline-exceeded', 5000],
    ['spends the second after the drain on its clean-up', 60_000, 800, 'deadline-exceeded', 5800],
    ['waits for its clean-up no longer than that second', 60_000, 9000, 'deadline-exceeded', 5950],
  ])('%s', async (_title, drainMs, sweeperMs, outcome, endMs) => {
    const { said, signal } = stopped(drainMs, sweeperMs);
    signal('Hangup');
    await vi.advanceTimersByTimeAsync(20_000);
    expect(said.slice(1)).toEqual([
      'shutdown signal received reason=Hangup',
      'leaves',
      'cuts',
      `control plane stopped reason=Hangup outcome=${outcome}`,
      `exit 0 after ${endMs} ms`,
    ]);
  });
});
