// Fault: a clean drain, logged as graceful, ends with status 1.
import { runUntilShutdown } from '../reference/run-until-shutdown.ts';
import { createRuntime } from '../reference/runtime.ts';
import { ShutdownWatcher } from '../reference/signal-watcher.ts';

const watcher = ShutdownWatcher.install();
await runUntilShutdown({ ...createRuntime(watcher), exit: () => process.exit(1) });
