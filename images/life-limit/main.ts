// Fault: a deadline that runs from the start bounds the life instead of the shutdown.
import { runUntilShutdown } from '../reference/run-until-shutdown.ts';
import { createRuntime } from '../reference/runtime.ts';
import { ShutdownWatcher } from '../reference/signal-watcher.ts';

const watcher = ShutdownWatcher.install();
const life = setTimeout(() => process.exit(0), 2500);
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => clearTimeout(life));
await runUntilShutdown(createRuntime(watcher));
