import { peerFaults } from './fault-peers.ts';
import { stopFaults } from './fault-stops.ts';
import type { Faults } from './fault.ts';

/** Every fault of the image `control-plane-variants`. */
export const faults: Faults = { ...peerFaults, ...stopFaults };
