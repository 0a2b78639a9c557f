import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { ShutdownWatcher } from './signal-watcher.ts';

describe('the signal watcher', () => {
  it('owns TERM and INT the moment it is installed', () => {
    const source = new EventEmitter();
    ShutdownWatcher.install(source);
    expect(source.eventNames()).toEqual(['SIGINT', 'SIGTERM']);
  });

  it.each([
    ['SIGTERM', 'Terminate'],
    ['SIGINT', 'Interrupt'],
  ])('reports %s as %s', async (signal, reason) => {
    const source = new EventEmitter();
    const next = ShutdownWatcher.install(source).next();
    source.emit(signal);
    await expect(next).resolves.toBe(reason);
  });

  it('keeps signals that came before anybody waited, in order', async () => {
    const source = new EventEmitter();
    const watcher = ShutdownWatcher.install(source);
    source.emit('SIGINT');
    source.emit('SIGTERM');
    await expect(watcher.next()).resolves.toBe('Interrupt');
    await expect(watcher.next()).resolves.toBe('Terminate');
  });

  it('gives each signal to one waiter only', async () => {
    const source = new EventEmitter();
    const watcher = ShutdownWatcher.install(source);
    const [first, second] = [watcher.next(), watcher.next()];
    source.emit('SIGTERM');
    source.emit('SIGINT');
    await expect(Promise.all([first, second])).resolves.toEqual(['Terminate', 'Interrupt']);
  });
});
