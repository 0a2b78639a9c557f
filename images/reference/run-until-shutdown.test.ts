import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { AdmissionGate } from './admission-gate.ts';
import type { Registry } from './registry-session.ts';
import type { Runtime } from './run-until-shutdown.ts';
import { runUntilShutdown } from './run-until-shutdown.ts';
import type { ShutdownContext } from './shutdown-context.ts';
import { ShutdownWatcher } from './signal-watcher.ts';
import { collectedLog } from './testing/collected-log.ts';
import { settle, VirtualClock } from './testing/virtual-clock.ts';
import type { Transport } from './transport.ts';

const never = new Promise<never>(() => undefined);

/** Cuts its work when it is cancelled, as the HTTP transport does. */
const cutWhenCancelled = (context: ShutdownContext): Promise<'cut'> =>
  new Promise((resolve) => context.cancellation.addEventListener('abort', () => resolve('cut'), { once: true }));

const start = async (parts: Partial<Transport> = {}, graceMs = 2000, others: Partial<Runtime> = {}) => {
  const signals = new EventEmitter();
  const clock = new VirtualClock();
  const log = collectedLog();
  const gate = new AdmissionGate();
  const exits: { status: number; at: number }[] = [];
  const transport: Transport = {
    bind: async () => undefined,
    stop: async () => 'drained',
    abort: async () => undefined,
    ...parts,
  };
  const exit = (status: number): void => void exits.push({ status, at: clock.now() });
  const watcher = ShutdownWatcher.install(signals);
  const done = runUntilShutdown({ watcher, gate, transport, graceMs, clock, log, exit, ...others });
  await settle();
  return { signals, clock, log, gate, exits, done };
};

const final = (reason: string, outcome: string, ms: number): string =>
  `out light-runtime: shutdown completed reason=${reason} outcome=${outcome} duration_ms=${ms}`;

describe('the life of a service', () => {
  it('is ready only once the transport is bound', async () => {
    const { gate, log } = await start({ bind: () => never });
    expect(gate.isOpen).toBe(false);
    expect(log.lines).toEqual(['info graceful shutdown configured configured_ms=2000 effective_ms=2000']);
  });

  it.each([
    ['SIGTERM', 'Terminate'],
    ['SIGINT', 'Interrupt'],
  ])('ends with 0 at once when %s finds nothing in flight', async (signal, reason) => {
    const { signals, exits, log, done, clock } = await start();
    signals.emit(signal);
    await done;
    expect(exits).toEqual([{ status: 0, at: 0 }]);
    expect(log.lines.slice(-2)).toEqual([
      `info shutdown signal received reason=${reason}`,
      final(reason, 'graceful', 0),
    ]);
    expect(clock.pending).toBe(0);
  });

  it('closes the gate before it says anything', async () => {
    const seen: boolean[] = [];
    const log = collectedLog();
    const info: typeof log.info = (message) => {
      if (message === 'shutdown signal received') seen.push(running.gate.isOpen);
    };
    const running = await start({}, 2000, { log: { ...log, info } });
    running.signals.emit('SIGTERM');
    await running.done;
    expect(seen).toEqual([false]);
  });

  it('closes the gate before the transport is asked to stop', async () => {
    const seen: boolean[] = [];
    const running = await start({
      stop: async () => {
        seen.push(running.gate.isOpen);
        return 'drained';
      },
    });
    running.signals.emit('SIGTERM');
    await running.done;
    expect(seen).toEqual([false]);
  });

  it('cuts work at the graceful deadline, says so on stderr before the last line, and ends with 1', async () => {
    const { signals, clock, exits, log, done } = await start({ stop: cutWhenCancelled });
    signals.emit('SIGTERM');
    await clock.advance(1999);
    expect(exits).toEqual([]);
    await clock.advance(1);
    await done;
    expect(exits).toEqual([{ status: 1, at: 2000 }]);
    expect(log.lines.slice(-2)).toEqual([
      'err light-runtime: graceful shutdown deadline exceeded',
      final('Terminate', 'deadline-exceeded', 2000),
    ]);
  });

  it('ends with 1 in time for the hard deadline when the transport ignores its cancellation', async () => {
    const { signals, clock, exits, done } = await start({ stop: () => never });
    signals.emit('SIGTERM');
    await clock.advance(10_000);
    await done;
    expect(exits).toEqual([{ status: 1, at: 2220 }]);
  });

  it.each([
    ['cuts work at once', cutWhenCancelled, 1, 'deadline-exceeded', 100],
    ['is out by the floor although the transport hangs', () => never, 1, 'deadline-exceeded', 320],
  ])('a second signal %s', async (_what, stop, status, outcome, at) => {
    const { signals, clock, exits, log, done } = await start({ stop });
    signals.emit('SIGTERM');
    await clock.advance(100);
    signals.emit('SIGINT');
    await clock.advance(10_000);
    await done;
    expect(exits).toEqual([{ status, at }]);
    expect(log.lines).toContain('warn second shutdown signal received; cancelling graceful drain');
    expect(log.lines.at(-1)).toBe(final('Terminate', outcome, at));
  });

  it('ends with 0 at a second signal when everything had completed', async () => {
    const stop = async (context: ShutdownContext): Promise<'drained'> => {
      await cutWhenCancelled(context);
      return 'drained';
    };
    const { signals, clock, exits, done } = await start({ stop });
    signals.emit('SIGTERM');
    await clock.advance(10);
    signals.emit('SIGTERM');
    await done;
    expect(exits).toEqual([{ status: 0, at: 10 }]);
  });

  it('reports a transport that fails to stop as failed, with 1', async () => {
    const { signals, exits, log, done } = await start({ stop: () => Promise.reject(new Error('no')) });
    signals.emit('SIGTERM');
    await done;
    expect(exits).toEqual([{ status: 1, at: 0 }]);
    expect(log.lines.at(-1)).toBe(final('Terminate', 'failed', 0));
  });

  it('warns of a grace of 0 and still has the floor', async () => {
    const { signals, clock, exits, log, done } = await start({ stop: () => never }, 0);
    signals.emit('SIGTERM');
    await clock.advance(1000);
    await done;
    expect(log.lines).toContain('warn shutdownGracefulPeriod is 0: requests are not drained');
    expect(exits).toEqual([{ status: 1, at: 220 }]);
  });
});

describe('the registration', () => {
  const registry = (parts: Partial<Registry>): Partial<Runtime> => ({
    registry: { start: async () => undefined, shutdown: async () => 'Acknowledged', abort: () => undefined, ...parts },
  });

  it('comes before readiness', async () => {
    const { gate } = await start({}, 2000, registry({ start: () => never }));
    expect(gate.isOpen).toBe(false);
  });

  it('is closed when a signal cancels the start-up', async () => {
    const aborted: boolean[] = [];
    const parts = registry({ start: () => never, abort: () => void aborted.push(true) });
    const { signals, done, exits } = await start({}, 2000, parts);
    signals.emit('SIGTERM');
    await done;
    expect([aborted, exits]).toEqual([[true], [{ status: 0, at: 0 }]]);
  });
});

describe('a signal during start-up', () => {
  it('cancels the bind, unwinds, and ends with 0 without ever opening the gate', async () => {
    const cancelled: boolean[] = [];
    const bind: Transport['bind'] = (_gate, cancel) => {
      cancel.addEventListener('abort', () => cancelled.push(true));
      return never;
    };
    const { signals, exits, gate, log, done } = await start({ bind });
    signals.emit('SIGTERM');
    await done;
    expect(cancelled).toEqual([true]);
    expect(gate.isOpen).toBe(false);
    expect(exits).toEqual([{ status: 0, at: 0 }]);
    expect(log.lines.at(-1)).toBe(final('Terminate', 'graceful', 0));
  });

  it('is said, as an abort of the start', async () => {
    const { signals, log, done } = await start({ bind: () => never });
    signals.emit('SIGINT');
    await done;
    expect(log.lines.slice(1)).toEqual([
      'info shutdown received during startup',
      'info shutdown signal received reason=Interrupt',
      final('Interrupt', 'graceful', 0),
    ]);
  });

  it('ends with 1 at the floor when something does not unwind, and says so on stderr', async () => {
    const { signals, clock, exits, log, done } = await start({ bind: () => never, abort: () => never });
    signals.emit('SIGINT');
    await clock.advance(1000);
    await done;
    expect(exits).toEqual([{ status: 1, at: 220 }]);
    expect(log.lines.slice(-2)).toEqual([
      'err light-runtime: startup abort deadline exceeded',
      final('Interrupt', 'deadline-exceeded', 220),
    ]);
  });

  it.each(['SIGTERM', 'SIGINT'])('a second signal, %s, gives the abort no more time', async (second) => {
    const { signals, clock, exits, done } = await start({ bind: () => never, abort: () => never });
    signals.emit('SIGTERM');
    await clock.advance(150);
    signals.emit(second);
    await clock.advance(1000);
    await done;
    expect(exits).toEqual([{ status: 1, at: 220 }]);
  });

  it('takes back what was begun in reverse order, and begins nothing more', async () => {
    const said: string[] = [];
    const tells = (what: string, result: Promise<void> = Promise.resolve()) => {
      said.push(what);
      return result;
    };
    const phases = ['one', 'two'].map((name) => ({
      name,
      run: () => tells(name),
      undo: () => tells(`undo ${name}`),
    }));
    const registry: Registry = {
      start: () => tells('register', never),
      shutdown: async () => 'Acknowledged',
      abort: () => void tells('close the session'),
    };
    const transport = { bind: () => tells('bind'), abort: () => tells('close the listener') };
    const { signals, exits, done } = await start(transport, 2000, { before: phases, registry });
    expect(said.splice(0)).toEqual(['one', 'two', 'bind', 'register']);
    signals.emit('SIGTERM');
    await done;
    expect(said).toEqual(['close the session', 'close the listener', 'undo two', 'undo one']);
    expect(exits).toEqual([{ status: 0, at: 0 }]);
  });

  const turns: readonly (readonly [string, (signal: () => void, complete: () => void) => void])[] = [
    [
      'just before',
      (signal, complete) => {
        signal();
        complete();
      },
    ],
    [
      'just after',
      (signal, complete) => {
        complete();
        signal();
      },
    ],
    [
      'some turns of promises after',
      (signal, complete) => {
        complete();
        let later = Promise.resolve();
        for (let turn = 0; turn < 6; turn += 1) later = later.then(() => undefined);
        void later.then(signal);
      },
    ],
  ];
  it.each(turns)('%s the end of the start is not lost, and no request gets in (STA-4)', async (_when, both) => {
    const bound = Promise.withResolvers<void>();
    const { signals, gate, exits, done } = await start({ bind: () => bound.promise });
    both(
      () => signals.emit('SIGTERM'),
      () => bound.resolve(),
    );
    // the first turn in which a request could come
    await settle();
    expect([gate.isOpen, gate.tryEnter('application')]).toEqual([false, undefined]);
    await done;
    expect(exits).toEqual([{ status: 0, at: 0 }]);
  });
});

describe('a start that fails', () => {
  it('is unwound, and its caller told', async () => {
    const aborted: boolean[] = [];
    const bound = Promise.withResolvers<void>();
    const { done, gate, exits } = await start({
      bind: () => bound.promise,
      abort: async () => void aborted.push(gate.isOpen),
    });
    bound.reject(new Error('port in use'));
    await expect(done).rejects.toThrow('port in use');
    expect([aborted, exits]).toEqual([[false], []]);
  });

  it('waits for what does not unwind no longer than the floor', async () => {
    const bound = Promise.withResolvers<void>();
    const { done, clock } = await start({ bind: () => bound.promise, abort: () => never });
    const failed = done.catch(() => clock.now());
    bound.reject(new Error('port in use'));
    await clock.advance(1000);
    expect(await failed).toBe(220);
  });
});
