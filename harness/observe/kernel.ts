import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Nanoseconds } from '../model/time.ts';
import type { Recorder } from './recorder.ts';

/** The end of PID 1 as the kernel's pidfd showed it. */
export interface SeenExit {
  readonly begin: Nanoseconds;
  readonly t: Nanoseconds;
}

/** A running watch on one container's processes. */
export interface KernelWatch {
  /** Resolves when PID 1 has ended; rejects only when the watcher itself died first. */
  readonly gone: Promise<SeenExit>;
  /** Resolves once the watcher has written its last event and ended. */
  readonly drained: Promise<void>;
  stop(): void;
}

interface Line {
  readonly ev: 'attached' | 'fork' | 'exec' | 'exit' | 'lost' | 'gone';
  readonly mono?: string;
  readonly alive?: string;
  readonly pid?: number;
  readonly parent?: number;
  readonly comm?: string;
  readonly code?: number;
  readonly signal?: number;
  readonly connector?: boolean;
  readonly reason?: string;
}

/**
 * Watch PID 1 by pidfd and its process tree by the kernel's process connector, through the helper binary on the
 * engine's host (local, root). The stamps are made in C at the source, so a busy event loop here costs nothing.
 * Resolves once the helper says that it listens.
 */
export async function watchKernel(options: {
  readonly helper: string;
  readonly pid: number;
  readonly recorder: Recorder;
  readonly fromMonotonic: (ns: bigint) => Nanoseconds;
}): Promise<KernelWatch> {
  const { recorder } = options;
  const child = spawn(options.helper, ['watch', String(options.pid)], { stdio: ['pipe', 'pipe', 'ignore'] });
  const attached = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<SeenExit>();
  gone.promise.catch(() => undefined); // whoever waits for it sees it; nobody waiting is fine
  const at = (ns: string | undefined): Nanoseconds =>
    ns === undefined ? recorder.now() : options.fromMonotonic(BigInt(ns));
  createInterface({ input: child.stdout }).on('line', (text) => {
    const line = JSON.parse(text) as Line;
    switch (line.ev) {
      case 'attached':
        recorder.record(
          line.connector
            ? { kind: 'process.events', state: 'attached' }
            : { kind: 'process.events', state: 'unavailable', reason: line.reason ?? 'unknown' },
        );
        attached.resolve();
        break;
      case 'fork':
        recorder.record({ kind: 'process.fork', t: at(line.mono), pid: line.pid ?? 0, parent: line.parent ?? 0 });
        break;
      case 'exec':
        recorder.record({ kind: 'process.exec', t: at(line.mono), pid: line.pid ?? 0, comm: line.comm ?? '' });
        break;
      case 'exit':
        recorder.record({
          kind: 'process.exit',
          t: at(line.mono),
          pid: line.pid ?? 0,
          comm: line.comm ?? '',
          ...(line.code === undefined ? {} : { code: line.code }),
          ...(line.signal === undefined ? {} : { signal: line.signal }),
        });
        break;
      case 'lost':
        recorder.record({ kind: 'process.events', state: 'lost', reason: 'the kernel dropped process events' });
        break;
      case 'gone': {
        const seen = { begin: at(line.alive), t: at(line.mono) };
        recorder.record({ kind: 'exit.seen', by: 'pidfd', ...seen });
        gone.resolve(seen);
        break;
      }
    }
  });
  const drained = new Promise<void>((resolve) => {
    const end = (why: string) => (): void => {
      attached.reject(new Error(`the helper could not watch pid ${options.pid}: ${why}`));
      gone.reject(new Error(`the helper stopped watching pid ${options.pid}: ${why}`));
      resolve();
    };
    child.once('error', (error) => end(error.message)());
    child.once('close', end('it ended'));
  });
  await attached.promise;
  return { gone: gone.promise, drained, stop: () => child.stdin.end() };
}
