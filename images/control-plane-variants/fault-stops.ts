import { ControlPlane } from '../control-plane/control-plane.ts';
import { readSettings } from '../control-plane/settings.ts';
import type { ShutdownSignal } from '../control-plane/shutdown-signals.ts';
import { forcedStatus, watchSignals } from '../control-plane/shutdown-signals.ts';
import type { Fault, Faults } from './fault.ts';
import { inSecondSignal, service } from './fault.ts';

/** Never hears of SIGHUP. */
const withoutHangUp: Fault = () => {
  const source = {
    on(signal: ShutdownSignal, handler: () => void): void {
      if (signal !== 'SIGHUP') process.on(signal, handler);
    },
  };
  return service({ stop: watchSignals(source, (signal) => process.exit(forcedStatus(signal))) });
};

/** Two listeners for each signal: what one takes for the first, the other takes for the second. */
const listeningTwice: Fault = () => {
  const source = {
    on(signal: ShutdownSignal, handler: () => void): void {
      process.on(signal, handler);
      process.on(signal, handler);
    },
  };
  return service({ stop: watchSignals(source, (signal) => process.exit(forcedStatus(signal))) });
};

/** A second signal gives the drain its whole budget again. */
const restartingDrain: Fault = () => {
  const settings = readSettings(process.env);
  let until = 0;
  const stop = watchSignals(process, () => {
    until = performance.now() + settings.drainMs;
  });
  const later = (callback: () => void): void => {
    setTimeout(callback, Math.max(0, until - performance.now()));
  };
  class Restarting extends ControlPlane {
    override cut(): void {
      later(() => super.cut());
    }
  }
  return service({ settings, stop, plane: new Restarting(), exit: (status) => later(() => process.exit(status)) });
};

/** A drain that ran out is taken for a failure. */
const failingExpired: Fault = () => {
  let expired = false;
  class Telling extends ControlPlane {
    #drained = false;

    override async drained(): Promise<void> {
      await super.drained();
      this.#drained = true;
    }

    override cut(): void {
      expired = !this.#drained;
      super.cut();
    }
  }
  return service({ plane: new Telling(), exit: () => process.exit(expired ? 1 : 0) });
};

/** A drain of 0 is no drain at all, and nobody is told. */
const drainOfZero: Fault = () => {
  const { SHUTDOWN_DRAIN_SECS: asked, ...env } = process.env;
  const settings = readSettings(asked === '0' ? env : process.env);
  return service({ settings: asked === '0' ? { ...settings, drainMs: 0 } : settings });
};

/** Signals, statuses and settings: SIG, DLN. */
export const stopFaults: Faults = {
  'deaf-to-hup': withoutHangUp,
  'ignores-second-signal': inSecondSignal(() => undefined),
  'second-signal-exits-1': inSecondSignal(() => process.exit(1)),
  'second-signal-exits-143': inSecondSignal(() => process.exit(forcedStatus('SIGTERM'))),
  'second-signal-restarts-drain': restartingDrain,
  'takes-one-signal-for-two': listeningTwice,
  'expired-exits-1': failingExpired,
  'accepts-zero-drain': drainOfZero,
};
