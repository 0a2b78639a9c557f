// Good twin of kills-workers: the workers leave by themselves, 5 ms before PID 1.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpTransport } from '../reference/http-transport.ts';
import { runUntilShutdown } from '../reference/run-until-shutdown.ts';
import { createRuntime } from '../reference/runtime.ts';
import type { ShutdownContext } from '../reference/shutdown-context.ts';
import { ShutdownWatcher } from '../reference/signal-watcher.ts';

const watcher = ShutdownWatcher.install();
const workers = [1, 2].map(() => fork(new URL('worker.ts', import.meta.url)));

class TransportWithWorkers extends HttpTransport {
  override async stop(context: ShutdownContext): Promise<'drained' | 'cut'> {
    const work = await super.stop(context);
    const left = workers.map((worker) => once(worker, 'exit'));
    for (const worker of workers) worker.send('leave');
    await Promise.all(left);
    await sleep(5);
    return work;
  }
}

await runUntilShutdown(createRuntime(watcher, (...parts) => new TransportWithWorkers(...parts)));
