// Good, by openab-cp: SIGHUP drains as the other two do, the status is 0 also when the drain ran out, a second signal ends
// it at once with 128 + its number, a drain of 0 is refused, and a Close says 1012.
import { constants } from 'node:os';
import { HttpTransport } from '../reference/http-transport.ts';
import { consoleLog } from '../reference/log.ts';
import { runUntilShutdown } from '../reference/run-until-shutdown.ts';
import { createRuntime } from '../reference/runtime.ts';
import { ShutdownWatcher } from '../reference/signal-watcher.ts';
import { WebSockets } from '../reference/web-sockets.ts';

let first: string | undefined;
const watcher = ShutdownWatcher.install({
  on(signal, handler) {
    const handle = (name: NodeJS.Signals): void => {
      if (first !== undefined) process.exit(128 + constants.signals[name]);
      first = name;
      handler();
    };
    process.on(signal, handle);
    // the watcher knows two reasons: a hang-up goes in as Terminate and is logged under its own name
    if (signal === 'SIGTERM') process.on('SIGHUP', handle);
  },
});
const named = (text: string): string => (first === 'SIGHUP' ? text.replace('Terminate', 'Hangup') : text);

const webSockets = new WebSockets({ code: 1012, reason: 'control plane shutting down' });
const runtime = createRuntime(watcher, (port, handler, options) => {
  return new HttpTransport(port, handler, { ...options, webSockets });
});
if (runtime.graceMs === 0) {
  consoleLog.err('a drain of 0 cuts every request: give at least 1 ms');
  process.exit(1);
}
await runUntilShutdown({
  ...runtime,
  log: {
    ...consoleLog,
    info: (message, { reason, ...fields } = {}) =>
      consoleLog.info(message, reason === undefined ? fields : { ...fields, reason: named(String(reason)) }),
    out: (line) => consoleLog.out(named(line)),
  },
  exit: () => process.exit(0),
});
