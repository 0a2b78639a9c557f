// Fault: the last line sits in a buffer that nobody flushes before the exit.
import { consoleLog } from '../reference/log.ts';
import { runUntilShutdown } from '../reference/run-until-shutdown.ts';
import { createRuntime } from '../reference/runtime.ts';
import { ShutdownWatcher } from '../reference/signal-watcher.ts';

const buffer: string[] = [];
const watcher = ShutdownWatcher.install();
await runUntilShutdown({ ...createRuntime(watcher), log: { ...consoleLog, out: (line) => buffer.push(line) } });
