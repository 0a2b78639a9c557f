import { consoleLog } from './log.ts';
import { runUntilShutdown } from './run-until-shutdown.ts';
import { createRuntime } from './runtime.ts';
import { ShutdownWatcher } from './signal-watcher.ts';

// first, before configuration and listener: the process owns its signals before it can become ready
const watcher = ShutdownWatcher.install();

try {
  await runUntilShutdown(createRuntime(watcher));
} catch (error) {
  consoleLog.err(`light-runtime: start-up failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}
