// Fault: only SIGTERM is handled; SIGINT and SIGHUP are ignored.
import { runUntilShutdown } from '../reference/run-until-shutdown.ts';
import { createRuntime } from '../reference/runtime.ts';
import { ShutdownWatcher } from '../reference/signal-watcher.ts';

const ignore = (): void => undefined;
const watcher = ShutdownWatcher.install({
  on: (signal, handler) => process.on(signal, signal === 'SIGTERM' ? handler : ignore),
});
process.on('SIGHUP', ignore);
await runUntilShutdown(createRuntime(watcher));
