// Fault: the drain takes 30 s whether or not there is work, under a deadline that is no deadline.
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpTransport } from '../reference/http-transport.ts';
import { runUntilShutdown } from '../reference/run-until-shutdown.ts';
import { createRuntime } from '../reference/runtime.ts';
import type { ShutdownContext } from '../reference/shutdown-context.ts';
import { ShutdownWatcher } from '../reference/signal-watcher.ts';

class SlowTransport extends HttpTransport {
  override async stop(context: ShutdownContext): Promise<'drained' | 'cut'> {
    await sleep(30_000);
    return super.stop(context);
  }
}

const watcher = ShutdownWatcher.install();
await runUntilShutdown({
  ...createRuntime(watcher, (...parts) => new SlowTransport(...parts)),
  graceMs: 60_000,
});
