// Fault: the service is ready three seconds before it has its signal handlers.
import { runUntilShutdown } from '../reference/run-until-shutdown.ts';
import { createRuntime } from '../reference/runtime.ts';
import { ShutdownWatcher } from '../reference/signal-watcher.ts';

const watcher = ShutdownWatcher.install({
  on: (signal, handler) => setTimeout(() => process.on(signal, handler), 3000),
});
await runUntilShutdown(createRuntime(watcher));
