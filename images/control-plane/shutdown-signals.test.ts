import { EventEmitter } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import type { ShutdownSignal } from './shutdown-signals.ts';
import { forcedStatus, watchSignals } from './shutdown-signals.ts';

const watched = () => {
  const source = new EventEmitter();
  const onSecond = vi.fn<(signal: ShutdownSignal) => void>();
  return { source, onSecond, first: watchSignals(source, onSecond) };
};

describe('the shutdown signals', () => {
  it.each([
    ['SIGTERM', 'Terminate'],
    ['SIGINT', 'Interrupt'],
    ['SIGHUP', 'Hangup'],
  ])('%s begins the stop, as %s, and forces nothing', async (signal, reason) => {
    const { source, onSecond, first } = watched();
    source.emit(signal);
    expect(await first).toBe(reason);
    expect(onSecond).not.toHaveBeenCalled();
  });

  it.each<readonly [ShutdownSignal, ShutdownSignal]>([
    ['SIGTERM', 'SIGTERM'],
    ['SIGTERM', 'SIGHUP'],
    ['SIGHUP', 'SIGINT'],
  ])('after %s a %s is the second one, at once', async (one, other) => {
    const { source, onSecond, first } = watched();
    const reason = { SIGTERM: 'Terminate', SIGINT: 'Interrupt', SIGHUP: 'Hangup' }[one];
    source.emit(one);
    source.emit(other);
    expect(onSecond.mock.calls).toEqual([[other]]);
    expect(await first).toBe(reason);
  });

  it.each<readonly [ShutdownSignal, number]>([
    ['SIGTERM', 143],
    ['SIGINT', 130],
    ['SIGHUP', 129],
  ])('%s forces status %d', (signal, status) => {
    expect(forcedStatus(signal)).toBe(status);
  });
});
