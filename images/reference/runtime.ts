import { AdmissionGate } from './admission-gate.ts';
import { systemClock } from './clock.ts';
import { HttpTransport } from './http-transport.ts';
import { consoleLog } from './log.ts';
import type { Runtime } from './run-until-shutdown.ts';
import { serveRequest } from './service.ts';
import { readSettings } from './settings.ts';
import type { ShutdownWatcher } from './signal-watcher.ts';

/** The parts of the reference service, put together as in production. */
export const createRuntime = (watcher: ShutdownWatcher): Runtime => {
  const { graceMs, port } = readSettings(process.env);
  return {
    watcher,
    gate: new AdmissionGate(),
    transport: new HttpTransport(port, serveRequest),
    graceMs,
    clock: systemClock,
    log: consoleLog,
    exit: (status) => process.exit(status),
  };
};
