// Fault: work is cut 3 s after the graceful deadline; everything that is said and the status are right.
import { runUntilShutdown } from '../reference/run-until-shutdown.ts';
import { createRuntime } from '../reference/runtime.ts';
import { ShutdownWatcher } from '../reference/signal-watcher.ts';

const runtime = createRuntime(ShutdownWatcher.install());
await runUntilShutdown({ ...runtime, graceMs: runtime.graceMs + 3000 });
