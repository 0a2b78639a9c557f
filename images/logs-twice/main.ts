// Fault: two layers both log the one signal that was received.
import { consoleLog } from '../reference/log.ts';
import { runUntilShutdown } from '../reference/run-until-shutdown.ts';
import { createRuntime } from '../reference/runtime.ts';
import { ShutdownWatcher } from '../reference/signal-watcher.ts';

const watcher = ShutdownWatcher.install();
const info: typeof consoleLog.info = (message, fields) => {
  consoleLog.info(message, fields);
  if (message === 'shutdown signal received') consoleLog.info(message, fields);
};
await runUntilShutdown({ ...createRuntime(watcher), log: { ...consoleLog, info } });
