// A control plane that keeps the openab-cp contract: /health, and WebSockets on /cp.
import { ControlPlane } from './control-plane.ts';
import { runUntilStopped } from './run-until-stopped.ts';
import { readSettings } from './settings.ts';
import { forcedStatus, watchSignals } from './shutdown-signals.ts';

// Node writes to a pipe before it goes on, so that no line is lost in an exit
const log = (line: string): void => console.log(line);

const stop = watchSignals(process, (signal) => {
  log(`second shutdown signal ${signal}: exiting at once`);
  process.exit(forcedStatus(signal));
});

try {
  await runUntilStopped({
    settings: readSettings(process.env),
    plane: new ControlPlane(),
    stop,
    log,
    exit: (status) => process.exit(status),
  });
} catch (error) {
  console.error(`control plane: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}
