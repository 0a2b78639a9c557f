// Fault: PID 1 ends at once with 0 while its workers are busy, so the end of its namespace cuts them off.
import { fork } from 'node:child_process';
import { runUntilShutdown } from '../reference/run-until-shutdown.ts';
import { createRuntime } from '../reference/runtime.ts';
import { ShutdownWatcher } from '../reference/signal-watcher.ts';

const watcher = ShutdownWatcher.install();
for (let n = 0; n < 2; n += 1) fork(new URL('worker.ts', import.meta.url));
await runUntilShutdown(createRuntime(watcher));
