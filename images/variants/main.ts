// The reference, wrong in exactly the one way that FAULT names.
import { consoleLog } from '../reference/log.ts';
import { runUntilShutdown } from '../reference/run-until-shutdown.ts';
import { ShutdownWatcher } from '../reference/signal-watcher.ts';
import { faults } from './faults.ts';

const watcher = ShutdownWatcher.install();
const name = process.env['FAULT'] ?? '';
const fault = Object.hasOwn(faults, name) ? faults[name] : undefined;
if (!fault) {
  const names = Object.keys(faults).join(', ');
  consoleLog.err(`variants: ${name === '' ? 'FAULT is not set' : `FAULT=${name} is unknown`}; use one of ${names}`);
  process.exit(64);
}
await runUntilShutdown(fault(watcher));
