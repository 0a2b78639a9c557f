import type { WebSocket } from 'ws';
import { ControlPlane } from '../control-plane/control-plane.ts';
import type { Peer } from '../control-plane/peer.ts';
import type { Service } from '../control-plane/run-until-stopped.ts';
import { readSettings } from '../control-plane/settings.ts';
import type { ShutdownSignal } from '../control-plane/shutdown-signals.ts';
import { forcedStatus, watchSignals } from '../control-plane/shutdown-signals.ts';

/** The control plane with one thing wrong. */
export type Fault = () => Service;

/** Faults by the name that `FAULT` gives. */
export type Faults = Readonly<Record<string, Fault>>;

const exitAtOnce = (signal: ShutdownSignal): void => process.exit(forcedStatus(signal));

/** The control plane, right but for what is given. */
export const service = (wrong: Partial<Service>): Service => ({
  settings: wrong.settings ?? readSettings(process.env),
  plane: wrong.plane ?? new ControlPlane(),
  stop: wrong.stop ?? watchSignals(process, exitAtOnce),
  log: (line) => console.log(line),
  exit: (status) => process.exit(status),
  ...wrong,
});

/** A fault of each peer alone. */
export const inPeer =
  (Class: new (socket: WebSocket) => Peer): Fault =>
  () =>
    service({ plane: new ControlPlane((socket) => new Class(socket)) });

/** A fault in what a second signal does. */
export const inSecondSignal =
  (onSecond: (signal: ShutdownSignal) => void): Fault =>
  () =>
    service({ stop: watchSignals(process, onSecond) });
