// Fault: the status is 0 whatever happened, also when the grace ran out and work was cut.
import { runUntilShutdown } from '../reference/run-until-shutdown.ts';
import { createRuntime } from '../reference/runtime.ts';
import { ShutdownWatcher } from '../reference/signal-watcher.ts';

const watcher = ShutdownWatcher.install();
await runUntilShutdown({ ...createRuntime(watcher), exit: () => process.exit(0) });
