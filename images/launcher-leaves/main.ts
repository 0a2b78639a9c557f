// A correct service whose drain takes 3 s; the fault is the launcher in front of it.
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpTransport } from '../reference/http-transport.ts';
import { runUntilShutdown } from '../reference/run-until-shutdown.ts';
import { createRuntime } from '../reference/runtime.ts';
import { serveRequest } from '../reference/service.ts';
import type { ShutdownContext } from '../reference/shutdown-context.ts';
import { ShutdownWatcher } from '../reference/signal-watcher.ts';

class DrainingTransport extends HttpTransport {
  override async stop(context: ShutdownContext): Promise<'drained' | 'cut'> {
    await sleep(3000);
    return super.stop(context);
  }
}

const watcher = ShutdownWatcher.install();
await runUntilShutdown({ ...createRuntime(watcher), graceMs: 5000, transport: new DrainingTransport(8080, serveRequest) });
