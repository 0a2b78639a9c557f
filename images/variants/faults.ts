import type { Faults } from './fault.ts';
import { admissionFaults } from './fault-admission.ts';
import { childFaults } from './fault-children.ts';
import { controlFaults } from './fault-control.ts';
import { deadlineFaults } from './fault-deadline.ts';
import { drainFaults } from './fault-drain.ts';
import { heldFaults } from './fault-held.ts';
import { policyFaults } from './fault-policies.ts';
import { signalFaults } from './fault-signals.ts';
import { startUpFaults } from './fault-start-up.ts';
import { webSocketFaults } from './fault-websockets.ts';

/** All faults by name. */
export const faults: Faults = {
  ...admissionFaults,
  ...controlFaults,
  ...drainFaults,
  ...heldFaults,
  ...deadlineFaults,
  ...childFaults,
  ...signalFaults,
  ...policyFaults,
  ...startUpFaults,
  ...webSocketFaults,
};
