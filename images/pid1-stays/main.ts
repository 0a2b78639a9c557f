// Fault: the work is done and the last line is written, but PID 1 never ends.
import { runUntilShutdown } from '../reference/run-until-shutdown.ts';
import { createRuntime } from '../reference/runtime.ts';
import { ShutdownWatcher } from '../reference/signal-watcher.ts';

const watcher = ShutdownWatcher.install();
await runUntilShutdown({ ...createRuntime(watcher), exit: () => setInterval(() => undefined, 60_000) });
